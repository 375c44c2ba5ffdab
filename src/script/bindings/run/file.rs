//! Running a prompt file: its exports, its run, and everything that is left to do afterwards (docs/reference.md,
//! "Prompt files"). Must not know how anything is shown.

use std::{cell::Cell, path::Path, rc::Rc, time::Duration};

use rquickjs::{Ctx, Error, Function, Object, Result, Value};

use super::start::{prepare, start};
use crate::{
    prompt::{Listener, RunError, RunOutcome},
    provider::MockOptions,
    script::{
        Engine, Halt, ScriptError,
        bindings::{models::mock::mock_model, results::throw::run_error, services, values::kind_of},
        diagnose_error, exit_code, idle, import_file, is_still, last_asked, still, until_halted,
    },
};

/// How long nothing must move before a script counts as stuck.
const STILLNESS: Duration = Duration::from_millis(500);

/// How often a script that does not move may be polled in that time all the same.
const STILL_POLLS: u64 = 20;

/// How the run of a file ended.
#[derive(Debug)]
pub(crate) enum FileRun {
    /// It is done.
    Done {
        /// What the script set `process.exitCode` to.
        exit_code: Option<i32>,
    },
    /// The file is wrong, its code threw, or its run broke off.
    Failed(Rc<RunError>),
    /// `process.exit(code)`.
    Exited(i32),
}

/// Loads a prompt file and runs it to its end, then waits for timers and runs that are still under way, as Node does.
///
/// `listener` gets every part of the file's own run as it happens.
pub(crate) async fn run_file(engine: &Engine, path: &Path, listener: Listener) -> FileRun {
    let run = async |ctx: Ctx<'_>| {
        let whole = async {
            let end = run_in(&ctx, path, listener).await?;
            if !matches!(end, FileRun::Done { .. }) {
                return Ok(end);
            }
            let rest = async { idle(&ctx).await };
            match unless_stuck(&ctx, "a run in the background", rest).await? {
                Some(halt) => Ok(FileRun::from(halt)),
                None => background_failure(&ctx),
            }
        };
        // Around everything: `process.exit` and an uncaught error end the program wherever it is.
        match until_halted(&ctx, whole).await {
            Err(halt) => FileRun::from(halt),
            Ok(end) => end.unwrap_or_else(|error| FileRun::Failed(Rc::new(run_error(diagnose_error(&ctx, error))))),
        }
    };
    engine.context().async_with(run).await
}

impl From<Halt> for FileRun {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Exit(code) => FileRun::Exited(code),
            Halt::Uncaught(thrown) | Halt::UnhandledRejection(thrown) => FileRun::Failed(Rc::new(run_error(thrown))),
        }
    }
}

async fn run_in(ctx: &Ctx<'_>, path: &Path, listener: Listener) -> Result<FileRun> {
    let namespace = unless_stuck(ctx, "loading the file", import_file(ctx, path)).await?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let function = default_function(ctx, &namespace, &name)?;
    let config = config(ctx, &namespace, &name)?;
    set_mock(ctx, &namespace, &config, &name)?;
    let prompt = prepare(ctx, &function, &config)?;
    let started = unless_stuck(ctx, "the prompt function", start(ctx, prompt, Some(listener))).await?;
    let record = started.run.borrow().record.clone();
    record.observe();
    let outcome = async { Ok(record.finished().await) };
    Ok(match unless_stuck(ctx, "the prompt function, or an effect of it,", outcome).await? {
        RunOutcome::Done => FileRun::Done { exit_code: exit_code(ctx)? },
        RunOutcome::Failed(error) => FileRun::Failed(error),
    })
}

/// Awaits a part of the script, unless it waits for something that can never happen: no timer, no request and no run is
/// left that could settle its promise. Node ends silently then; here it is an error.
async fn unless_stuck<T>(ctx: &Ctx<'_>, what: &str, part: impl Future<Output = Result<T>>) -> Result<T> {
    let mut part = std::pin::pin!(part);
    let polls = Cell::new(0_u64);
    let counted = std::future::poll_fn(|context| {
        polls.set(polls.get() + 1);
        part.as_mut().poll(context)
    });
    let nothing_left = async {
        loop {
            still(ctx).await?;
            // A chain of promises polls thousands of times meanwhile; what is left then is the progress line.
            let before = polls.get();
            tokio::time::sleep(STILLNESS).await;
            // Between two inner runs nothing keeps the program alive for a moment; the next one may have begun.
            if polls.get() - before < STILL_POLLS && is_still(ctx)? {
                return Result::Ok(());
            }
        }
    };
    tokio::select! {
        biased;
        outcome = counted => outcome,
        stuck = nothing_left => {
            stuck?;
            let asked = last_asked(ctx)?;
            let who = asked.as_ref().map_or(what, |asked| asked.who.as_str());
            let message = format!("{who} waits for a promise that nothing can settle any more");
            let error = ScriptError::error(message).hint("look for an await of a promise whose resolve function is never called");
            Err(error.or_at(asked.as_ref().and_then(|asked| asked.location.clone())).throw(ctx))
        }
    }
}

/// A run that the file started, that failed, and whose result nobody looked at.
fn background_failure(ctx: &Ctx<'_>) -> Result<FileRun> {
    Ok(match services::unobserved_failure(ctx)? {
        Some(error) => FileRun::Failed(error),
        None => FileRun::Done { exit_code: exit_code(ctx)? },
    })
}

fn wrong_file(ctx: &Ctx<'_>, message: String, hint: &str) -> Error {
    ScriptError::error(message).hint(hint).throw(ctx)
}

fn default_function<'js>(ctx: &Ctx<'js>, namespace: &Object<'js>, name: &str) -> Result<Function<'js>> {
    let hint = "export default async ({ def, $ }) => { $`your message`; };";
    if !namespace.contains_key("default")? {
        return Err(wrong_file(ctx, format!("{name} has no default export; it must be the prompt function"), hint));
    }
    let value: Value = namespace.get("default")?;
    match value.as_function() {
        Some(function) => Ok(function.clone()),
        None => {
            let message = format!("the default export of {name} must be a function, got {}", kind_of(&value));
            Err(wrong_file(ctx, message, hint))
        }
    }
}

fn config<'js>(ctx: &Ctx<'js>, namespace: &Object<'js>, name: &str) -> Result<Object<'js>> {
    let hint = "export const config = { model: 'openai:gpt-4o' };";
    if !namespace.contains_key("config")? {
        return Err(wrong_file(ctx, format!("{name} does not export config"), hint));
    }
    let value: Value = namespace.get("config")?;
    let Some(config) = value.as_object().filter(|_| !value.is_array() && !value.is_function()) else {
        let message = format!("the export config of {name} must be an object, got {}", kind_of(&value));
        return Err(wrong_file(ctx, message, hint));
    };
    let model: Value = config.get("model")?;
    if model.is_undefined() || model.is_null() {
        return Err(wrong_file(ctx, format!("the export config of {name} has no model"), hint));
    }
    Ok(config.clone())
}

/// Makes the model that `'mock'` stands for, when the file exports `mock`.
fn set_mock<'js>(ctx: &Ctx<'js>, namespace: &Object<'js>, config: &Object<'js>, name: &str) -> Result<()> {
    let model: Value = config.get("model")?;
    let is_mock = model.as_string().is_some_and(|model| model.to_string().is_ok_and(|model| model == "mock"));
    if !namespace.contains_key("mock")? {
        if !is_mock {
            return Ok(());
        }
        let hint = "export const mock = [{ type: 'text', text: 'Hello' }];";
        return Err(wrong_file(ctx, format!("the model is 'mock', but {name} does not export mock"), hint));
    }
    let model = mock_model(ctx, &namespace.get("mock")?, "the export mock", MockOptions::default())?;
    services::set_mock(ctx, model)
}
