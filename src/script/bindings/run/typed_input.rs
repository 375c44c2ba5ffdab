//! What was typed for a file that is run elsewhere, held against its schema. Must not know where it runs.

use std::{path::Path, rc::Rc};

use rquickjs::{Ctx, Result};
use serde_json::{Map, Value as Json};

use super::{
    file::{FileRun, default_function},
    file_input::{FileInput, file_input},
    stuck::unless_stuck,
};
use crate::{
    diagnostic::Diagnostic,
    input::CommandLine,
    prompt::RunError,
    script::{Engine, bindings::results::throw::run_error, diagnose_error, import_file_once, until_halted},
};

/// What a command line gives to a file.
#[derive(Debug)]
pub(crate) enum TypedInput {
    /// This text was asked for.
    Help(String),
    /// The file takes nothing.
    Nothing,
    /// What fits its schema, before that adds defaults of its own and changes it.
    Input(Map<String, Json>),
}

/// Loads a prompt file and reads the words behind it, as if it were to run.
///
/// # Errors
/// The file is wrong, or what was typed does not fit.
pub(crate) async fn read_input(
    engine: &Engine,
    path: &Path,
    line: &CommandLine,
) -> std::result::Result<TypedInput, Rc<RunError>> {
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
) -> Result<std::result::Result<TypedInput, Rc<RunError>>> {
    let namespace = unless_stuck(ctx, "loading the file", import_file_once(ctx, path)).await?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    default_function(ctx, &namespace, &name)?;
    let input = unless_stuck(ctx, "the check of the input", file_input(ctx, &namespace, &name, line)).await?;
    Ok(match input {
        FileInput::Help(text) => Ok(TypedInput::Help(text)),
        FileInput::Nothing => Ok(TypedInput::Nothing),
        FileInput::Value(_, input) => Ok(TypedInput::Input(input)),
        FileInput::Wrong(problem) => Err(Rc::new(RunError::Usage(problem))),
        FileInput::Missing(problem, names) => Err(Rc::new(RunError::MissingInput { problem, names })),
    })
}
