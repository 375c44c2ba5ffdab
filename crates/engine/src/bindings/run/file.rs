//! Running a prompt file, until nothing is left to do (docs/reference/prompt-files.md).

use std::{
    cell::{Cell, RefCell},
    path::Path,
    rc::Rc,
};

use rquickjs::{Ctx, Error, Function, Object, Result, Value};
use serde_json::{Map, Value as Json};

use super::{
    answer,
    config_overrides::ConfigOverrides,
    deadlock::detect_deadlock,
    file_input::{FileInput, file_input},
    limits::{self, within_limits},
    model_choice::ModelChoice,
    start::{Started, prepare, start},
};
use crate::{
    bindings::{models::mock::mock_model, prompt::config_keys, results::throw::run_error, services, values::kind_of},
    prompt::{RunError, RunOutcome},
};
use lmthing_base::{
    chat::FinishReason,
    cost::RequestId,
    diagnostic::Diagnostic,
    event::{EventKind, OutputEvent},
    input::CommandLine,
};
use lmthing_node::{
    Engine, Halt, Origin, ScriptError, diagnose, diagnose_error, drain_jobs, emit_before_exit, emit_exit,
    emit_uncaught, exit_code, idle, import_file_once, is_exception_unhandled, is_idle, until_halted,
};
use lmthing_providers::{EXAMPLE_MODEL, MockOptions};

#[derive(Debug)]
pub enum FileRun {
    Done {
        exit_code: Option<i32>,
    },
    Failed(Rc<RunError>),
    /// Failed, and a listener of `exit` chose the exit code.
    FailedAs(Rc<RunError>, i32),
    Help(String),
    Exited(i32),
    /// Everything that is left of the run waits for batches. These requests are reserved in the limits that it shares.
    Suspended {
        reserved: Vec<RequestId>,
    },
}

/// Loads a prompt file and runs it, then waits for timers and background runs, as Node does. `choice` replaces the
/// file's own model, `overrides` other settings.
pub async fn run_file(
    engine: &Engine,
    path: &Path,
    line: &CommandLine,
    choice: Option<&ModelChoice>,
    overrides: &ConfigOverrides,
) -> FileRun {
    let run = async |ctx: Ctx<'_>| {
        let model = choice.and_then(ModelChoice::model);
        let last_answer_failed = Cell::new(false);
        let unhandled = RefCell::default();
        let whole = async {
            let run = run_in(&ctx, path, line, (choice, overrides), &last_answer_failed).await;
            let end = run.unwrap_or_else(|error| handle_uncaught(&ctx, error, model, &unhandled));
            match end {
                FileRun::Done { .. } => finish(&ctx).await,
                end => Ok(end),
            }
        };
        // Wraps everything, as `process.exit` and uncaught errors can end the program at any point.
        let ended = until_halted(&ctx, within_limits(&ctx, whole)).await;
        // A reached limit takes precedence over the way in which the script handled it.
        let at_limit = limits::reached(&ctx).map(FileRun::Failed);
        let end = match ended {
            Err(halt) => {
                return at_limit.unwrap_or_else(|| halted(unhandled.take().map(FileRun::Failed), &halt, model));
            }
            Ok(Ok(end)) => at_limit.or(end).unwrap_or(FileRun::Done { exit_code: None }),
            Ok(Err(error)) => {
                at_limit.unwrap_or_else(|| FileRun::Failed(Rc::new(run_error(diagnose_error(&ctx, error)))))
            }
        };
        let before = end.failure(last_answer_failed.get());
        match until_halted(&ctx, async { notify_exit(&ctx, end, last_answer_failed.get(), model) }).await {
            Err(halt) => halted(before, &halt, model),
            Ok(end) => end,
        }
    };
    engine.context().async_with(run).await
}

/// Reports an exception of the file to the script's listeners. If one handles it, the program continues with
/// remaining work. `unhandled` stores the failure if there are only listeners of `exit`, which may end the process.
fn handle_uncaught(
    ctx: &Ctx<'_>,
    error: Error,
    model: Option<&str>,
    unhandled: &RefCell<Option<Rc<RunError>>>,
) -> FileRun {
    let failed = |thrown| Rc::new(run_error(thrown));
    let Error::Exception = error else { return FileRun::Failed(failed(diagnose_error(ctx, error))) };
    let thrown = ctx.catch();
    let failure = failed(diagnose(ctx, thrown.clone()));
    match emit_uncaught(ctx, ctx.throw(thrown), Origin::Promise, failure.exit_code(model)) {
        Some(error) => FileRun::Failed(failed(diagnose_error(ctx, error))),
        None => {
            unhandled.replace(is_exception_unhandled(ctx).then_some(failure));
            FileRun::Done { exit_code: None }
        }
    }
}

/// Includes the work that listeners of `beforeExit` start.
async fn finish(ctx: &Ctx<'_>) -> Result<FileRun> {
    loop {
        let rest = async { idle(ctx).await };
        if let Some(halt) = detect_deadlock(ctx, "a run in the background", rest).await? {
            return Ok(FileRun::from(halt));
        }
        let end = background_failure(ctx)?;
        if !matches!(end, FileRun::Done { .. }) {
            return Ok(end);
        }
        emit_before_exit(ctx)?;
        drain_jobs(ctx);
        if is_idle(ctx)? {
            return Ok(FileRun::Done { exit_code: exit_code(ctx)? });
        }
    }
}

/// Calls listeners of `exit`, which may change the exit code. A listener that throws is a failure.
fn notify_exit(ctx: &Ctx<'_>, end: FileRun, last_answer_failed: bool, model: Option<&str>) -> FileRun {
    let code = match &end {
        FileRun::Done { exit_code: None | Some(0) } if last_answer_failed => RunError::MODEL_EXIT_CODE,
        FileRun::Done { exit_code } => exit_code.unwrap_or(0),
        FileRun::Failed(error) => error.exit_code(model),
        FileRun::FailedAs(..) | FileRun::Help(_) | FileRun::Exited(_) | FileRun::Suspended { .. } => return end,
    };
    limits::extend_deadline_for_exit(ctx);
    match (emit_exit(ctx, code), end) {
        (Ok(left), FileRun::Done { .. }) if left != code => FileRun::Done { exit_code: Some(left) },
        (Ok(_), end) => end,
        // The listener was cut off after its time; the limit remains the failure.
        (Err(_), end @ FileRun::Failed(_)) if limits::reached(ctx).is_some() => {
            ctx.catch();
            end
        }
        (Err(error), _) => FileRun::Failed(Rc::new(run_error(diagnose_error(ctx, error)))),
    }
}

impl FileRun {
    fn failure(&self, last_answer_failed: bool) -> Option<Self> {
        match self {
            FileRun::Failed(error) => Some(FileRun::Failed(error.clone())),
            FileRun::Done { exit_code: exit_code @ (None | Some(0)) } if last_answer_failed => {
                Some(FileRun::Done { exit_code: *exit_code })
            }
            _ => None,
        }
    }
}

/// The end when a listener of `exit` ends the process itself. It may choose the code, as in Node, if the file's own
/// code failed; a limit or a failure of the model must not look like success.
fn halted(failure: Option<FileRun>, halt: &Halt, model: Option<&str>) -> FileRun {
    match (failure, halt) {
        (Some(FileRun::Failed(error)), Halt::Exit(code)) if error.exit_code(model) == RunError::SCRIPT_EXIT_CODE => {
            FileRun::FailedAs(error, *code)
        }
        (Some(FileRun::Done { .. }), Halt::Exit(code)) if *code != 0 => FileRun::Exited(*code),
        (Some(failure), Halt::Exit(_)) => failure,
        (_, halt) => FileRun::from(halt.clone()),
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

async fn run_in(
    ctx: &Ctx<'_>,
    path: &Path,
    line: &CommandLine,
    (choice, overrides): (Option<&ModelChoice>, &ConfigOverrides),
    last_answer_failed: &Cell<bool>,
) -> Result<FileRun> {
    let namespace = detect_deadlock(ctx, "loading the file", import_file_once(ctx, path)).await?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let function = default_function(ctx, &namespace, &name)?;
    let input = file_input(ctx, &namespace, &name, line);
    let input = match detect_deadlock(ctx, "the check of the input", input).await? {
        FileInput::Help(text) => return Ok(FileRun::Help(text)),
        FileInput::Wrong(problem) => return Ok(FileRun::Failed(Rc::new(RunError::Usage(problem)))),
        FileInput::Missing(problem, names) => {
            return Ok(FileRun::Failed(Rc::new(RunError::MissingInput { problem, names })));
        }
        FileInput::Value(value, input) => Some(store_input(ctx, input, value)?),
        FileInput::Nothing => None,
    };
    let config = overrides.apply(ctx, config(ctx, &namespace, &name, choice)?)?;
    config_keys::warn_unknown(ctx, &config)?;
    if let Err(error) = limits::configure(ctx, &config)? {
        return Ok(FileRun::Failed(Rc::new(error)));
    }
    let checkpoints = services::checkpoints(ctx)?;
    if let Err(error) = checkpoints.configure(config_keys::journal(ctx, &config)?).await {
        return Ok(FileRun::Failed(Rc::new(error.into())));
    }
    if let Some(problem) = stop_problem(ctx)? {
        return Ok(FileRun::Failed(Rc::new(RunError::Usage(problem))));
    }
    set_mock(ctx, &namespace, &config, &name, choice)?;
    services::stop_counting_mocks(ctx)?;
    let prompt = prepare(ctx, &function, &config)?;
    prompt.borrow().core.agent.replace(Some(services::events(ctx)?.root()));
    prompt.borrow().core.turns.replace(services::turns(ctx)?);
    if let Some(input) = input {
        prompt.borrow().bag.set_input(input);
    }
    answer::expect_output(ctx, &prompt, &namespace.get("output")?, &format!("the export output of {name}"))?;
    let scope = services::scope(ctx, &prompt.borrow().core)?;
    if let Some(shape) = prompt.borrow().core.answer.borrow().clone() {
        scope.emit(&EventKind::Output(OutputEvent::Expected(shape)));
    }
    let started = detect_deadlock(ctx, "the prompt function", start(ctx, prompt)).await?;
    end_of(ctx, &started, last_answer_failed).await
}

/// The end of the file's own prompt.
async fn end_of<'js>(ctx: &Ctx<'js>, started: &Started<'js>, last_answer_failed: &Cell<bool>) -> Result<FileRun> {
    let record = started.run.borrow().record.clone();
    record.observe();
    let outcome = async { Ok(record.finished().await) };
    Ok(match detect_deadlock(ctx, "the prompt function, or an effect of it,", outcome).await? {
        RunOutcome::Done => {
            let last = record.steps().last().map(|step| step.output.finish_reason);
            last_answer_failed.set(last == Some(FinishReason::Error));
            let is_conversation = started.prompt.borrow().core.turns.borrow().is_some();
            // The answers of a conversation were emitted one by one.
            if let Some(value) = started.run.borrow().output().filter(|_| !is_conversation) {
                record.scope().emit(&EventKind::Output(OutputEvent::Value(answer::output_json(ctx, &value)?)));
            }
            FileRun::Done { exit_code: exit_code(ctx)? }
        }
        RunOutcome::Failed(error) => FileRun::Failed(error),
    })
}

fn store_input<'js>(ctx: &Ctx<'js>, input: Map<String, Json>, value: Value<'js>) -> Result<Value<'js>> {
    services::checkpoints(ctx)?.store_input(input);
    Ok(value)
}

/// The problem if the run may have to stop for an approval but could not be resumed.
fn stop_problem(ctx: &Ctx<'_>) -> Result<Option<Box<Diagnostic>>> {
    if !services::approver(ctx)?.may_stop() {
        return Ok(None);
    }
    let checkpoints = services::checkpoints(ctx)?;
    if !checkpoints.is_on() {
        let problem = Diagnostic::new("--on-approval stop: the run is not written down, so nobody could go on with it");
        return Ok(Some(Box::new(problem.with_hint("add --journal, or write journal: true into config"))));
    }
    let why = checkpoints.why_not_resumable();
    Ok(why.map(|why| Box::new(Diagnostic::new(format!("--on-approval stop: nobody could go on with the run: {why}")))))
}

fn background_failure(ctx: &Ctx<'_>) -> Result<FileRun> {
    Ok(match services::unobserved_failure(ctx)? {
        Some(error) => FileRun::Failed(error),
        None => FileRun::Done { exit_code: exit_code(ctx)? },
    })
}

pub(crate) fn uses_mock(config: &Object<'_>) -> Result<bool> {
    let model: Value = config.get("model")?;
    Ok(model.as_string().is_some_and(|model| model.to_string().is_ok_and(|model| model == "mock")))
}

pub(crate) fn missing_mock_error(ctx: &Ctx<'_>, name: &str) -> Error {
    let hint = "export const mock = [{ type: 'text', text: 'Hello' }];";
    file_error(ctx, format!("the model is 'mock', but {name} does not export mock"), hint)
}

fn file_error(ctx: &Ctx<'_>, message: String, hint: &str) -> Error {
    ScriptError::error(message).hint(hint).throw(ctx)
}

fn config_error(ctx: &Ctx<'_>, message: String) -> Error {
    file_error(ctx, message, &format!("export const config = {{ model: '{EXAMPLE_MODEL}' }};"))
}

pub(crate) fn default_function<'js>(ctx: &Ctx<'js>, namespace: &Object<'js>, name: &str) -> Result<Function<'js>> {
    let hint = "export default async ({ def, $ }) => { $`your message`; };";
    if !namespace.contains_key("default")? {
        return Err(file_error(ctx, format!("{name} has no default export; it must be the prompt function"), hint));
    }
    let value: Value = namespace.get("default")?;
    match value.as_function() {
        Some(function) => Ok(function.clone()),
        None => {
            let message = format!("the default export of {name} must be a function, got {}", kind_of(&value));
            Err(file_error(ctx, message, hint))
        }
    }
}

pub(crate) fn config<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    name: &str,
    choice: Option<&ModelChoice>,
) -> Result<Object<'js>> {
    if let Some(choice) = choice {
        let has_config = namespace.contains_key("config")?;
        return choice.config(ctx, has_config.then(|| config_object(ctx, namespace, name)).transpose()?);
    }
    let config = config_object(ctx, namespace, name)?;
    let model: Value = config.get("model")?;
    if model.is_undefined() || model.is_null() {
        return Err(config_error(ctx, format!("the export config of {name} has no model")));
    }
    Ok(config)
}

pub(crate) fn config_object<'js>(ctx: &Ctx<'js>, namespace: &Object<'js>, name: &str) -> Result<Object<'js>> {
    if !namespace.contains_key("config")? {
        return Err(config_error(ctx, format!("{name} does not export config")));
    }
    let value: Value = namespace.get("config")?;
    let Some(config) = value.as_object().filter(|_| !value.is_array() && !value.is_function()) else {
        let message = format!("the export config of {name} must be an object, got {}", kind_of(&value));
        return Err(config_error(ctx, message));
    };
    Ok(config.clone())
}

pub(crate) fn set_mock<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    config: &Object<'js>,
    name: &str,
    choice: Option<&ModelChoice>,
) -> Result<()> {
    if choice.map_or(Ok(false), |choice| choice.set_mock(ctx))? {
        return Ok(());
    }
    if !namespace.contains_key("mock")? {
        return if uses_mock(config)? { Err(missing_mock_error(ctx, name)) } else { Ok(()) };
    }
    let model = mock_model(ctx, &namespace.get("mock")?, "the export mock", MockOptions::default())?;
    services::set_mock(ctx, model)
}
