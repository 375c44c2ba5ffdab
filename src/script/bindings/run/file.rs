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
        diagnose_error, drain_jobs, exit_code, idle, import_file, is_idle, is_still, last_asked, still,
        tell_before_exit, tell_exit, tell_uncaught, until_halted,
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
            let end = match run_in(&ctx, path, listener).await {
                // A script that listens to uncaught exceptions goes on with what is left to do.
                Err(error) => match tell_uncaught(&ctx, error) {
                    Some(error) => FileRun::Failed(Rc::new(run_error(diagnose_error(&ctx, error)))),
                    None => FileRun::Done { exit_code: None },
                },
                Ok(end) => end,
            };
            match end {
                FileRun::Done { .. } => finish(&ctx).await,
                end => Ok(end),
            }
        };
        // Around everything: `process.exit` and an uncaught error end the program wherever it is.
        let end = match until_halted(&ctx, whole).await {
            Err(halt) => return FileRun::from(halt),
            Ok(end) => end.unwrap_or_else(|error| FileRun::Failed(Rc::new(run_error(diagnose_error(&ctx, error))))),
        };
        match until_halted(&ctx, async { tell_end(&ctx, end) }).await {
            Err(halt) => FileRun::from(halt),
            Ok(end) => end,
        }
    };
    engine.context().async_with(run).await
}

/// Waits for what is left to do, also for what listeners of `beforeExit` still find to do.
async fn finish(ctx: &Ctx<'_>) -> Result<FileRun> {
    loop {
        let rest = async { idle(ctx).await };
        if let Some(halt) = unless_stuck(ctx, "a run in the background", rest).await? {
            return Ok(FileRun::from(halt));
        }
        let end = background_failure(ctx)?;
        if !matches!(end, FileRun::Done { .. }) {
            return Ok(end);
        }
        tell_before_exit(ctx)?;
        drain_jobs(ctx);
        if is_idle(ctx)? {
            return Ok(FileRun::Done { exit_code: exit_code(ctx)? });
        }
    }
}

/// Tells listeners of `exit`, who may change the code of a run that went well. A listener that throws is the failure.
fn tell_end(ctx: &Ctx<'_>, end: FileRun) -> FileRun {
    let told = match &end {
        FileRun::Done { exit_code } => tell_exit(ctx, exit_code.unwrap_or(0)),
        FileRun::Failed(error) => tell_exit(ctx, failure_code(error)),
        FileRun::Exited(_) => return end,
    };
    match (told, end) {
        (Ok(code), FileRun::Done { exit_code }) if exit_code.is_some() || code != 0 => {
            FileRun::Done { exit_code: Some(code) }
        }
        (Ok(_), end) => end,
        (Err(error), _) => FileRun::Failed(Rc::new(run_error(diagnose_error(ctx, error)))),
    }
}

/// The exit code that listeners hear of (docs/reference.md, "Errors and exit codes").
fn failure_code(error: &RunError) -> i32 {
    match error.origin() {
        RunError::Script(_) | RunError::NoModel(_) | RunError::Aborted => 1,
        RunError::Provider(_) => 3,
        RunError::Limit { .. } => 4,
    }
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
