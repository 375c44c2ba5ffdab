//! `lmthing lsp` (docs/reference/lsp.md), and the hidden command that runs another one on unsaved texts.

use std::{collections::BTreeMap, ffi::OsString, fs, path::Path};

use super::input::shared_sources;
use crate::cli::{
    ExitCode, Printer, env, failure::io_error_text, interrupt::Interrupts, lsp_args::UnsavedArgs,
    standard_streams::blocking_standard_streams,
};
use lmthing_base::{cost::similar_model, diagnostic::Diagnostic};
use lmthing_check::CheckOptions;
use lmthing_lsp::{ServerOptions, serve};
use lmthing_system::{
    files::{FileReporter, set_unsaved_text},
    process::exit_with_parent,
    user_file::{self, MAX_TEXT},
};

pub(in crate::cli) fn run(printer: &Printer) -> ExitCode {
    let options = ServerOptions {
        version: env!("CARGO_PKG_VERSION"),
        program: std::env::current_exe().unwrap_or_else(|_| "lmthing".into()),
        check: check_options,
        wait_for_signal: || Interrupts::listen().wait(),
        today,
    };
    match blocking_standard_streams().and_then(|(input, output)| serve(input, output, options)) {
        Ok(true) => ExitCode::Done,
        Ok(false) => ExitCode::File,
        Err(error) => {
            printer.diagnostic(&Diagnostic::new(format!("the server cannot be started: {error}")));
            ExitCode::File
        }
    }
}

fn check_options(folder: &Path) -> CheckOptions {
    CheckOptions {
        near_model: |provider, id| similar_model(provider, id, &today()),
        ..CheckOptions::new(shared_sources(&FileReporter::default()), env::variables(folder).0)
    }
}

fn today() -> String {
    jiff::Timestamp::now().strftime("%F").to_string()
}

/// Sets the texts of the table. The arguments that follow are a command line.
pub(in crate::cli) fn unsaved(args: &UnsavedArgs) -> Result<Vec<OsString>, Box<Diagnostic>> {
    exit_with_parent();
    let table = &args.table;
    let wrong = |why: String| Box::new(Diagnostic::new(format!("cannot read {}: {why}", table.display())));
    let text = user_file::read_text(table, MAX_TEXT).map_err(|error| wrong(io_error_text(&error)))?;
    let texts: BTreeMap<String, String> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    texts.into_iter().for_each(|(path, text)| set_unsaved_text(Path::new(&path), Some(text.into())));
    let _ = fs::remove_file(table);
    Ok(["lmthing".into()].into_iter().chain(args.arguments.iter().cloned()).collect())
}
