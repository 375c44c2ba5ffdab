//! Runs one prompt file in its own engine.

use std::{
    future::poll_fn,
    path::Path,
    pin::pin,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    bindings::{self, ConfigOverrides, Exchanges, FileRun, HostServices, ModelChoice, ParsedInput, inspect::NoModels},
    prompt::{RunError, Turns},
};
use lmthing_base::{
    chat::cache_key_of_run,
    checkpoint::Checkpoints,
    diagnostic::Diagnostic,
    event::Events,
    input::{CommandLine, has_help_option},
    permission::{Approver, Permissions},
};
use lmthing_node::{ScriptHost, SilentHost, TurnLimit, gate::denied_accesses};
use lmthing_providers::{Redactor, Servers};

use super::{
    approval_stop::stop_when_all_wait_for_approval,
    batches::{BatchAnswers, all_wait_for_batches},
    host_services::{HostServiceOptions, host_services},
    meter::Meter,
    program::{LoadError, Program, ProgramOptions},
};

/// How long loading a file for its help may take.
const HELP_TIME: Duration = Duration::from_secs(5);

const UNKNOWN_OPTIONS: &str = "\nOptions of the file itself are not known: it asks models, writes, connects or waits while it is loaded, and help\n\
                               does none of that.\n";

/// How a prompt file is run.
#[derive(Clone)]
pub struct FileRunOptions {
    /// Where the script's output goes.
    pub host: Rc<dyn ScriptHost>,
    pub events: Rc<Events>,
    /// The arguments that become the input of the file.
    pub line: CommandLine,
    /// `process.argv`.
    pub argv: Vec<String>,
    /// `process.env`; API keys and model aliases are read from it as well.
    pub variables: Vec<(String, String)>,
    /// Whether models answer or a recording does.
    pub exchanges: Exchanges,
    /// The limits of the run and the prices of models.
    pub meter: Rc<Meter>,
    /// The journal that lets another process resume the run.
    pub checkpoints: Rc<dyn Checkpoints>,
    /// Decides on calls of tools that need approval.
    pub approver: Rc<dyn Approver>,
    /// Knows the secrets of the run.
    pub redactor: Redactor,
    /// Replaces the model of the file.
    pub model: Option<ModelChoice>,
    /// Bytes of stack for scripts.
    pub max_stack_size: usize,
    pub context: RunContext,
}

/// What the command or process that runs the file imposes on the run.
#[derive(Clone, Default)]
pub struct RunContext {
    pub permissions: Permissions,
    /// The MCP configuration file of `--mcp-config`.
    pub mcp_config: Option<Rc<Path>>,
    /// When scripts are interrupted, whatever limits the file has.
    pub deadline: Option<Instant>,
    /// Whether the process continues after the run. Otherwise the engine is not freed at the end, as the process ends.
    pub process_continues: bool,
    /// Rate limits and other knowledge of servers, if several runs share it.
    pub servers: Option<Arc<Servers>>,
    /// What shares the key for caches of prompts; the run alone if unset.
    pub cache_scope: Option<String>,
    /// How long a script may compute without yielding to other runs of its thread.
    pub max_turn: Option<Duration>,
    /// What answers the requests of the run, if they go into batches. The run ends as [`FileRun::Suspended`] when
    /// nothing but such requests is left.
    pub batches: Option<Rc<dyn BatchAnswers>>,
    /// Whether `fullSteps` is read from outside of the script: steps then have the streamed parts of their answers and
    /// the schemas of their tools, also those of a mock.
    pub keeps_pieces: bool,
    /// The user, if the file is run as a conversation. The file may be loaded several times, so the clock of the run is not
    /// ended with it.
    pub turns: Option<Rc<dyn Turns>>,
    /// What replaces settings of the file.
    pub overrides: ConfigOverrides,
}

/// Runs a prompt file to its end.
pub async fn run_file(path: &Path, options: FileRunOptions) -> FileRun {
    if has_help_option(&options.line.words) {
        return help_of_file(path, options).await.map_or_else(FileRun::Failed, FileRun::Help);
    }
    let (line, model, meter) = (options.line.clone(), options.model.clone(), options.meter.clone());
    let (process_continues, max_turn) = (options.context.process_continues, options.context.max_turn);
    let (is_batched, overrides) = (options.context.batches.is_some(), options.context.overrides.clone());
    let services = services(&options);
    let is_conversation = options.context.turns.is_some();
    let (jobs, decisions) = (services.jobs.clone(), services.decisions.clone());
    let program = match load(path, options, services).await {
        Ok(program) => program,
        Err(error) => return failed(error.to_string()),
    };
    let turns = program.engine().context().with(|ctx| max_turn.map(|max| TurnLimit::new(&ctx, max)).transpose()).await;
    let turns = match turns {
        Ok(turns) => turns,
        Err(error) => return failed(format!("cannot install lmthing's bindings: {error}")),
    };
    let end = tokio::select! {
        end = in_turns(turns, program.run(&line, model.as_ref(), &overrides)) => end,
        () = meter.watch_clock() => unreachable!("watching the clock never ends by itself"),
        () = stop_when_all_wait_for_approval((&jobs, &decisions), &meter), if !is_batched => {
            unreachable!("waiting never ends by itself")
        }
        () = all_wait_for_batches(&jobs, program.engine()), if is_batched => {
            FileRun::Suspended { reserved: meter.suspend() }
        }
    };
    // Closing servers must not change how the run has ended.
    if !is_conversation {
        meter.clock().finish();
    }
    program.close_servers().await;
    if !process_continues {
        // Freeing the engine value by value would only cost time.
        program.abandon();
    }
    end
}

/// Loads a prompt file that is run elsewhere, and reads its input.
///
/// # Errors
/// The file is invalid, or the input does not match its schema.
pub async fn read_input(path: &Path, options: FileRunOptions) -> Result<ParsedInput, Rc<RunError>> {
    if has_help_option(&options.line.words) {
        return help_of_file(path, options).await.map(ParsedInput::Help);
    }
    let line = options.line.clone();
    let services = services(&options);
    let program = load(path, options, services).await;
    let program = program.map_err(|error| Rc::new(RunError::from(Diagnostic::new(error.to_string()))))?;
    let read = program.read_input(&line).await;
    program.abandon();
    read
}

/// The text of `--help` behind a file. Loading the file asks no model, changes nothing and prints nothing. If it cannot
/// be loaded like that, its description and its options are left out.
async fn help_of_file(path: &Path, options: FileRunOptions) -> Result<String, Rc<RunError>> {
    let line = options.line.clone();
    let no_models = Rc::new(NoModels::default());
    let services = HostServices { step_loop: no_models.clone(), ..services(&options) };
    let deadline = Some(Instant::now() + HELP_TIME);
    let context =
        RunContext { permissions: Permissions::reading_only("help loads files"), deadline, ..options.context };
    let options = FileRunOptions { host: Rc::new(SilentHost), context, ..options };
    let program = load(path, options, services).await;
    let program = program.map_err(|error| Rc::new(RunError::from(Diagnostic::new(error.to_string()))))?;
    let read = tokio::time::timeout(HELP_TIME, program.read_input(&line)).await;
    let is_denied = program.engine().context().with(|ctx| !denied_accesses(&ctx).is_empty()).await;
    program.abandon();
    match read {
        Ok(Ok(ParsedInput::Help(text))) => Ok(text),
        Ok(Err(error)) if !is_denied && !no_models.was_called() => Err(error),
        _ => Ok(bindings::help_without_input(None, &line) + UNKNOWN_OPTIONS),
    }
}

fn services(options: &FileRunOptions) -> HostServices {
    let context = &options.context;
    let service_options = HostServiceOptions {
        meter: options.meter.clone(),
        events: options.events.clone(),
        exchanges: options.exchanges.clone(),
        checkpoints: options.checkpoints.clone(),
        approver: options.approver.clone(),
        servers: context.servers.clone(),
        batches: context.batches.clone(),
        keeps_tool_schemas: context.keeps_pieces,
    };
    let services = host_services(&options.host, &options.variables, &options.redactor, service_options);
    HostServices { mcp_config: context.mcp_config.clone(), turns: context.turns.clone(), ..services }
}

async fn load(path: &Path, options: FileRunOptions, mut services: HostServices) -> Result<Program, LoadError> {
    let context = options.context;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let scope = context.cache_scope.as_deref().unwrap_or(options.events.run());
    services.providers = services.providers.with_cache_key(&cache_key_of_run(&file, scope));
    let options = ProgramOptions {
        argv: options.argv,
        env: options.variables,
        permissions: context.permissions,
        max_stack_size: options.max_stack_size,
        deadline: context.deadline,
        keeps_pieces: context.keeps_pieces,
        ..ProgramOptions::new(options.host, services)
    };
    Program::load(path, options).await
}

/// Drives a run and measures its turns.
async fn in_turns(turns: Option<TurnLimit>, run: impl Future<Output = FileRun>) -> FileRun {
    let Some(turns) = turns else { return run.await };
    let mut run = pin!(run);
    poll_fn(|cx| {
        turns.begin();
        let polled = run.as_mut().poll(cx);
        turns.end();
        polled
    })
    .await
}

fn failed(message: String) -> FileRun {
    FileRun::Failed(Rc::new(RunError::from(Diagnostic::new(message))))
}
