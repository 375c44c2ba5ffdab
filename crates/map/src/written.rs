//! Keeps OUT from being a file that is read.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use lmthing_base::diagnostic::Diagnostic;

fn is_module(file: &Path) -> bool {
    const ENDINGS: [&str; 8] = ["mjs", "js", "cjs", "jsx", "mts", "ts", "cts", "tsx"];
    file.extension().is_some_and(|ending| ENDINGS.iter().any(|module| ending.eq_ignore_ascii_case(module)))
}

/// Fails if one of the files that are `written` for OUT is `read`, or is a row by its name.
pub fn check_written<'a>(
    out: &Path,
    written: &[PathBuf],
    read: impl Iterator<Item = &'a Path>,
    is_row: impl Fn(&Path) -> bool,
) -> Result<(), Box<Diagnostic>> {
    let read: BTreeSet<PathBuf> = read.filter_map(|file| file.canonicalize().ok()).collect();
    let is_read = |file: &&PathBuf| is_row(file) || file.canonicalize().is_ok_and(|file| read.contains(&file));
    let reason = match written.iter().find(is_read) {
        Some(file) if file == out => "the command reads it".to_owned(),
        Some(file) => format!("it needs {}, which the command reads", file.display()),
        // A prompt may import it later, when it runs.
        None if is_module(out) => "it has the name of a module".to_owned(),
        None => return Ok(()),
    };
    let message = format!("--output {}: {reason}", out.display());
    Err(Box::new(Diagnostic::new(message).with_hint("name another file, such as out.jsonl")))
}
