//! One prompt file from engine to outcome: where the doors between `script` and the step loop are put in. Must not know
//! where output goes.

use std::{
    future::poll_fn,
    path::Path,
    pin::pin,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    checkpoint::Checkpoints,
    diagnostic::Diagnostic,
    event::Events,
    input::CommandLine,
    permission::{Approver, Permissions},
    prompt::{Decisions, Jobs, RunError},
    provider::{Redactor, Servers},
    script::{
        Engine, EngineOptions, ScriptHost, Turns,
        bindings::{self, Doors, Exchanges, FileRun, ModelChoice, TypedInput},
        keep_pieces, set_latest,
    },
};

use super::{
    doors::{Outside, doors},
    meter::Meter,
    waiting::stop_when_all_wait,
};

/// What a run of a file needs from the program around it.
pub(crate) struct FileRunOptions {
    /// Where the script's output goes.
    pub host: Rc<dyn ScriptHost>,
    /// Where everything that happens is told.
    pub events: Rc<Events>,
    /// What was typed for the file, which becomes its input.
    pub line: CommandLine,
    /// `process.argv`.
    pub argv: Vec<String>,
    /// `process.env`, and where keys and aliases are looked up.
    pub variables: Vec<(String, String)>,
    /// Whether models answer or a recording does.
    pub exchanges: Exchanges,
    /// What the run may use, and what models cost.
    pub meter: Rc<Meter>,
    /// Where what is done is kept, so that another process can go on.
    pub checkpoints: Rc<dyn Checkpoints>,
    /// Decides on calls of tools that need approval.
    pub approver: Rc<dyn Approver>,
    /// Knows the secrets of the run.
    pub redactor: Redactor,
    /// The model in place of the file's own.
    pub model: Option<ModelChoice>,
    /// Bytes of stack for scripts.
    pub max_stack_size: usize,
    /// What the program around the run has decided of it.
    pub surroundings: Surroundings,
}

/// What a run is part of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// What scripts may reach.
    pub permissions: Permissions,
    /// The file that names servers, which `--mcp-config` gave.
    pub mcp_config: Option<Rc<Path>>,
    /// Bytes that scripts may use; `None` leaves it to the system.
    pub max_memory: Option<usize>,
    /// When scripts are interrupted at the latest, whatever limits the file has.
    pub latest: Option<Instant>,
    /// Whether the process goes on after the run. Then the engine is freed at the end; else that is left to the system.
    pub goes_on: bool,
    /// What is known of servers, where several runs ask them at the same time.
    pub servers: Option<Arc<Servers>>,
    /// How long a script may compute without giving others a turn, where they share a thread.
    pub turn: Option<Duration>,
    /// Whether `fullSteps` is looked at from outside: steps have the pieces of their answers and the schemas of their tools
    /// then, also those of a mock.
    pub keeps_pieces: bool,
}

/// Runs a prompt file to its end.
pub(crate) async fn run_file(path: &Path, options: FileRunOptions) -> FileRun {
    let (line, model, meter) = (options.line.clone(), options.model.clone(), options.meter.clone());
    let goes_on = options.surroundings.goes_on;
    let Ready { engine, turns, jobs, decisions } = match engine(options).await {
        Ok(ready) => ready,
        Err(message) => return failed(message),
    };
    let end = tokio::select! {
        end = in_turns(turns, bindings::run_file(&engine, path, &line, model.as_ref())) => end,
        () = meter.watch_clock() => unreachable!("watching the clock never ends by itself"),
        () = stop_when_all_wait((&jobs, &decisions), &meter) => unreachable!("waiting never ends by itself"),
    };
    // Servers may take longer to end than the time that is left: that does not change how the run has ended.
    meter.clock().finish();
    bindings::close_servers(&engine).await;
    if !goes_on {
        // The process ends next: taking the engine apart value by value would only cost time.
        engine.abandon();
    }
    end
}

/// Loads a prompt file that is run elsewhere, and reads what was typed for it.
///
/// # Errors
/// The file is wrong, or what was typed does not fit.
pub(crate) async fn read_input(path: &Path, options: FileRunOptions) -> Result<TypedInput, Rc<RunError>> {
    let line = options.line.clone();
    let ready = engine(options).await.map_err(|message| Rc::new(RunError::from(Diagnostic::new(message))))?;
    let read = bindings::read_input(&ready.engine, path, &line).await;
    ready.engine.abandon();
    read
}

/// An engine for a prompt file.
struct Ready {
    engine: Engine,
    turns: Option<Turns>,
    jobs: Rc<Jobs>,
    decisions: Rc<Decisions>,
}

/// Makes an engine with everything that a run asks for.
async fn engine(options: FileRunOptions) -> Result<Ready, String> {
    let surroundings = options.surroundings;
    let rest = Outside {
        meter: options.meter,
        events: options.events,
        exchanges: options.exchanges,
        checkpoints: options.checkpoints,
        approver: options.approver,
        servers: surroundings.servers,
    };
    let doors = doors(&options.host, &options.variables, &options.redactor, rest, surroundings.keeps_pieces);
    let doors = Doors { mcp_config: surroundings.mcp_config, ..doors };
    let (jobs, decisions) = (doors.jobs.clone(), doors.decisions.clone());
    let engine = Engine::new(EngineOptions {
        native_modules: bindings::NATIVE_MODULES.to_vec(),
        argv: options.argv,
        env: options.variables,
        max_stack_size: options.max_stack_size,
        permissions: surroundings.permissions,
        max_memory: surroundings.max_memory,
        ..EngineOptions::new(options.host)
    });
    let engine = engine.await.map_err(|error| format!("cannot start the JavaScript engine: {error}"))?;
    let installed = engine.context().with(|ctx| {
        if let Some(latest) = surroundings.latest {
            set_latest(&ctx, latest)?;
        }
        if surroundings.keeps_pieces {
            keep_pieces(&ctx)?;
        }
        bindings::install(&ctx, doors)?;
        surroundings.turn.map(|span| Turns::new(&ctx, span)).transpose()
    });
    let turns = installed.await.map_err(|error| format!("cannot install lmthing's bindings: {error}"))?;
    Ok(Ready { engine, turns, jobs, decisions })
}

/// Drives a run, and says when it has its turn.
async fn in_turns(turns: Option<Turns>, run: impl Future<Output = FileRun>) -> FileRun {
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
