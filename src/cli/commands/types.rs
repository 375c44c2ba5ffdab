//! `lmthing types [DIR]` (docs/reference/new.md): writes declarations and settings for editors.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::cli::{ExitCode, Printer, editor, failure::io_error_text, small_args::TypesArgs};
use lmthing_base::diagnostic::Diagnostic;

/// The settings refer to the folder `.lmthing/types`.
const NODE_FILE: &str = ".lmthing/types/node/index.d.ts";

pub(in crate::cli) fn run(args: &TypesArgs, printer: &Printer) -> ExitCode {
    let folder = args.folder.as_deref().unwrap_or(Path::new(""));
    match write_all(folder) {
        Ok(told) => {
            told.iter().for_each(|line| printer.stderr(&format!("{line}\n")));
            ExitCode::Done
        }
        Err(problem) => {
            printer.diagnostic(&problem);
            ExitCode::File
        }
    }
}

/// Writes missing and outdated files; returns messages about them.
fn write_all(folder: &Path) -> Result<Vec<String>, Box<Diagnostic>> {
    let declared = [("lmthing.d.ts", editor::declarations()), (NODE_FILE, editor::node_declarations())];
    let declared = declared.map(|(name, text)| (folder.join(name), text));
    // Checked before anything is written.
    for (path, _) in &declared {
        state(path).map_err(|error| cannot("read", path, &error))?.refuse_foreign(path)?;
    }
    let mut told = Vec::new();
    for (path, text) in &declared {
        told.push(renew(path, text)?);
    }
    told.extend(write_settings(folder)?);
    Ok(told)
}

enum State {
    Missing,
    Ours(String),
    Foreign,
}

impl State {
    fn refuse_foreign(self, path: &Path) -> Result<(), Box<Diagnostic>> {
        match self {
            State::Missing | State::Ours(_) => Ok(()),
            State::Foreign => {
                let message = format!("{} is there, and not a file of lmthing; nothing was written", path.display());
                Err(Box::new(
                    Diagnostic::new(message).with_hint("move it away, or name another folder: lmthing types DIR"),
                ))
            }
        }
    }
}

fn state(path: &Path) -> io::Result<State> {
    match fs::read(path) {
        Ok(bytes) if bytes.starts_with(editor::MARK.as_bytes()) => {
            Ok(State::Ours(String::from_utf8_lossy(&bytes).into_owned()))
        }
        Ok(_) => Ok(State::Foreign),
        // A dangling symbolic link is foreign, too.
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err() => Ok(State::Missing),
        Err(error) => Err(error),
    }
}

fn renew(path: &Path, text: &str) -> Result<String, Box<Diagnostic>> {
    let shown = path.display();
    match state(path).map_err(|error| cannot("read", path, &error))? {
        State::Ours(before) if before == text => Ok(format!("{shown} is up to date.")),
        State::Missing => write(path, text).map(|()| format!("Wrote {shown}.")),
        State::Ours(_) | State::Foreign => write(path, text).map(|()| format!("Renewed {shown}.")),
    }
}

/// Writes a `jsconfig.json`, unless the project has settings.
fn write_settings(folder: &Path) -> Result<Vec<String>, Box<Diagnostic>> {
    let settings = ["tsconfig.json", "jsconfig.json"].map(|name| folder.join(name));
    let Some(own) = settings.iter().find(|path| path.symlink_metadata().is_ok()) else {
        let [_, path] = &settings;
        write(path, editor::JSCONFIG)?;
        return Ok(vec![format!("Wrote {}.", path.display())]);
    };
    let shown = own.display();
    let text = fs::read_to_string(own).unwrap_or_default();
    if text.contains(".lmthing/types") {
        return Ok(vec![format!("{shown} stays as it is.")]);
    }
    Ok(vec![format!(
        "{shown} stays as it is. For prompt files it has to say, beside what it says:\n{}",
        editor::ADVICE
    )])
}

fn write(path: &Path, text: &str) -> Result<(), Box<Diagnostic>> {
    let folder: PathBuf =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Into::into).unwrap_or(".".into());
    fs::create_dir_all(&folder).and_then(|()| fs::write(path, text)).map_err(|error| cannot("write", path, &error))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot {what} {}: {}", path.display(), io_error_text(error))))
}
