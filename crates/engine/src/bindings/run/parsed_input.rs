//! Reading the command-line input of a file that runs elsewhere.

use std::{path::Path, rc::Rc};

use rquickjs::{Ctx, Result};
use serde_json::{Map, Value as Json};

use super::{
    deadlock::detect_deadlock,
    file::{FileRun, default_function},
    file_input::{FileInput, file_input},
};
use crate::{bindings::results::throw::run_error, prompt::RunError};
use lmthing_base::{diagnostic::Diagnostic, input::CommandLine};
use lmthing_node::{Engine, diagnose_error, import_file_once, until_halted};

#[derive(Debug)]
pub enum ParsedInput {
    Help(String),
    Nothing,
    /// Valid input, before the schema adds defaults and transforms it.
    Input(Map<String, Json>),
}

/// Loads a prompt file and reads its input from the command line, without running it.
pub async fn read_input(
    engine: &Engine,
    path: &Path,
    line: &CommandLine,
) -> std::result::Result<ParsedInput, Rc<RunError>> {
    let read = async |ctx: Ctx<'_>| match until_halted(&ctx, read_in(&ctx, path, line)).await {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => Err(Rc::new(run_error(diagnose_error(&ctx, error)))),
        Err(halt) => Err(match FileRun::from(halt) {
            FileRun::Failed(error) => error,
            _ => Rc::new(RunError::from(Diagnostic::new("the file ends the process while it is loaded"))),
        }),
    };
    engine.context().async_with(read).await
}

async fn read_in(
    ctx: &Ctx<'_>,
    path: &Path,
    line: &CommandLine,
) -> Result<std::result::Result<ParsedInput, Rc<RunError>>> {
    let namespace = detect_deadlock(ctx, "loading the file", import_file_once(ctx, path)).await?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    default_function(ctx, &namespace, &name)?;
    let input = detect_deadlock(ctx, "the check of the input", file_input(ctx, &namespace, &name, line)).await?;
    Ok(match input {
        FileInput::Help(text) => Ok(ParsedInput::Help(text)),
        FileInput::Nothing => Ok(ParsedInput::Nothing),
        FileInput::Value(_, input) => Ok(ParsedInput::Input(input)),
        FileInput::Wrong(problem) => Err(Rc::new(RunError::Usage(problem))),
        FileInput::Missing(problem, names) => Err(Rc::new(RunError::MissingInput { problem, names })),
    })
}
