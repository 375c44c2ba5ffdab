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
    bindings::{Exchanges, FileRun, HostServices, ModelChoice, ParsedInput},
    prompt::RunError,
};
use lmthing_base::{
    checkpoint::Checkpoints,
    diagnostic::Diagnostic,
    event::Events,
    input::CommandLine,
    permission::{Approver, Permissions},
};
use lmthing_node::{ScriptHost, TurnLimit};
use lmthing_providers::{Redactor, Servers};

use super::{
    doors::{Outside, doors},
    meter::Meter,
    program::{Program, ProgramOptions},
    waiting::stop_when_all_wait,
};

/// What a run of a file needs from the program around it.
pub struct FileRunOptions {
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
pub struct Surroundings {
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
pub async fn run_file(path: &Path, options: FileRunOptions) -> FileRun {
    let (line, model, meter) = (options.line.clone(), options.model.clone(), options.meter.clone());
    let (goes_on, turn) = (options.surroundings.goes_on, options.surroundings.turn);
    let doors = doors_of(&options);
    let (jobs, decisions) = (doors.jobs.clone(), doors.decisions.clone());
    let program = match load(path, options, doors).await {
        Ok(program) => program,
        Err(message) => return failed(message),
    };
    let turns = program.engine().context().with(|ctx| turn.map(|span| TurnLimit::new(&ctx, span)).transpose()).await;
    let turns = match turns {
        Ok(turns) => turns,
        Err(error) => return failed(format!("cannot install lmthing's bindings: {error}")),
    };
    let end = tokio::select! {
        end = in_turns(turns, program.run(&line, model.as_ref())) => end,
        () = meter.watch_clock() => unreachable!("watching the clock never ends by itself"),
        () = stop_when_all_wait((&jobs, &decisions), &meter) => unreachable!("waiting never ends by itself"),
    };
    // Closing servers must not change how the run has ended.
    meter.clock().finish();
    program.close_servers().await;
    if !goes_on {
        // The process ends next: freeing the engine value by value would only cost time.
        program.abandon();
    }
    end
}

/// Loads a prompt file that is run elsewhere, and reads its input.
///
/// # Errors
/// The file is wrong, or the input does not fit its schema.
pub async fn read_input(path: &Path, options: FileRunOptions) -> Result<ParsedInput, Rc<RunError>> {
    let line = options.line.clone();
    let doors = doors_of(&options);
    let program = load(path, options, doors).await;
    let program = program.map_err(|message| Rc::new(RunError::from(Diagnostic::new(message))))?;
    let read = program.read_input(&line).await;
    program.abandon();
    read
}

/// What the bindings of a run call.
fn doors_of(options: &FileRunOptions) -> HostServices {
    let surroundings = &options.surroundings;
    let rest = Outside {
        meter: options.meter.clone(),
        events: options.events.clone(),
        exchanges: options.exchanges.clone(),
        checkpoints: options.checkpoints.clone(),
        approver: options.approver.clone(),
        servers: surroundings.servers.clone(),
    };
    let doors = doors(&options.host, &options.variables, &options.redactor, rest, surroundings.keeps_pieces);
    HostServices { mcp_config: surroundings.mcp_config.clone(), ..doors }
}

async fn load(path: &Path, options: FileRunOptions, doors: HostServices) -> Result<Program, String> {
    let surroundings = options.surroundings;
    let options = ProgramOptions {
        argv: options.argv,
        env: options.variables,
        permissions: surroundings.permissions,
        max_stack_size: options.max_stack_size,
        max_memory: surroundings.max_memory,
        latest: surroundings.latest,
        keeps_pieces: surroundings.keeps_pieces,
        ..ProgramOptions::new(options.host, doors)
    };
    Program::load(path, options).await
}

/// Drives a run, and says when it has its turn.
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
