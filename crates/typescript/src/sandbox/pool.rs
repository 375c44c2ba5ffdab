//! The pool of worker processes, with one started in advance.

use std::{cell::RefCell, io, path::PathBuf, time::Instant};

use tokio::sync::Semaphore;

use super::{
    config::SandboxConfig,
    functions::HostFunctions,
    host::{End, Run, permit},
    outcome::RunOutcome,
    protocol::{RunRequest, ToWorker, encode},
    spawn::{Worker, own_program},
    state::RunState,
};
use crate::code::Declarations;

/// The limit of runs that compute at the same time. Runs that wait for functions are not counted, since a function
/// may run code itself.
const MAX_CONCURRENT: usize = 4;
const MAX_IDLE: usize = 2;
/// A worker is replaced after this many runs, so that memory of the checker cannot accumulate.
const MAX_RUNS: u32 = 200;

/// Runs model-written code with one configuration, shared by the prompts and agents of a file that have the same one.
///
/// Idle workers end when it is dropped. A worker also ends when this process does, because its pipe is closed. Must
/// be used inside a tokio runtime with IO and time.
#[derive(Debug)]
pub struct Sandbox {
    config: SandboxConfig,
    program: PathBuf,
    idle: RefCell<Vec<Worker>>,
    permits: Semaphore,
}

impl Sandbox {
    /// The workers run this binary (its `main` must handle [`super::WORKER_SUBCOMMAND`]). Starts nothing yet.
    pub fn new(config: SandboxConfig) -> Self {
        Self::with_program(config, own_program())
    }

    /// The workers run another program with the subcommand; for tests.
    pub fn with_program(config: SandboxConfig, program: impl Into<PathBuf>) -> Self {
        Self { config, program: program.into(), idle: RefCell::default(), permits: Semaphore::new(MAX_CONCURRENT) }
    }

    pub fn config(&self) -> &SandboxConfig {
        &self.config
    }

    /// Starts a worker and lets it load the library and `declarations`, to shorten the first run. Returns
    /// immediately; does nothing if there is an idle worker. A failure to start is reported by [`Sandbox::run`].
    pub fn warm(&self, declarations: &Declarations) {
        if !self.idle.borrow().is_empty() {
            return;
        }
        let message = ToWorker::Warm { declarations: declarations.text().to_owned() };
        let (Ok(worker), Ok(frame)) = (self.spawn(), encode(&message)) else { return };
        worker.send(frame);
        self.idle.borrow_mut().push(worker);
    }

    /// Checks and runs code: the body of an async TypeScript function that may call the declared functions.
    ///
    /// Every failure is an outcome: rejected code, exceptions, exceeded limits, a dead worker. Runs may be
    /// concurrent. Dropping the future kills the run and drops its host calls.
    pub async fn run(&self, code: &str, declarations: &Declarations, host: &dyn HostFunctions) -> RunOutcome {
        let request = ToWorker::Run(Box::new(RunRequest {
            code: code.to_owned(),
            declarations: declarations.text().to_owned(),
            functions: declarations.functions().to_vec(),
            mode: self.config.check,
            limits: self.config.limits(),
        }));
        let frame = match encode(&request) {
            Ok(frame) => frame,
            Err(error) => return RunOutcome::failed(format!("The code could not be sent to the sandbox: {error}")),
        };
        let mut is_last_attempt = false;
        loop {
            let permit = permit(&self.permits).await;
            let mut worker = match self.take() {
                Ok(worker) => worker,
                Err(error) => return RunOutcome::failed(format!("The sandbox could not be started: {error}")),
            };
            // A worker that has run code has reported before that it is ready.
            let state = RunState::new(worker.runs > 0, Instant::now());
            let run = Run::new(&self.config, declarations.functions(), host, &self.permits, permit, state);
            match run.drive(&mut worker, frame.clone()).await {
                End::Done(outcome) => {
                    worker.runs += 1;
                    self.put_back(worker);
                    return outcome;
                }
                End::Killed(outcome) => {
                    // Awaited, so that its memory is free before the next worker allocates.
                    worker.kill().await;
                    self.warm(declarations);
                    return outcome;
                }
                // A worker that died between two runs is not the fault of this code.
                End::NeverStarted if !is_last_attempt => is_last_attempt = true,
                End::NeverStarted => {
                    return RunOutcome::failed("The sandbox could not be started: its process ended at once");
                }
            }
        }
    }

    /// The process ids of the idle workers, for tests and diagnosis.
    pub fn idle_workers(&self) -> Vec<u32> {
        self.idle.borrow().iter().filter_map(Worker::id).collect()
    }

    fn spawn(&self) -> io::Result<Worker> {
        Worker::spawn(&self.program, self.config.memory_bytes)
    }

    fn take(&self) -> io::Result<Worker> {
        let mut idle = self.idle.borrow_mut();
        while let Some(mut worker) = idle.pop() {
            if worker.is_alive() {
                return Ok(worker);
            }
        }
        self.spawn()
    }

    fn put_back(&self, worker: Worker) {
        let mut idle = self.idle.borrow_mut();
        // A worker that is not kept is dropped here, which kills it.
        if idle.len() < MAX_IDLE && worker.runs < MAX_RUNS {
            idle.push(worker);
        }
    }
}
