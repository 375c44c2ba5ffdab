//! The workers at hand: one is kept warm ahead of need, several run side by side when several pieces of code do.

use std::{cell::RefCell, io, path::PathBuf};

use tokio::{sync::Semaphore, task::JoinHandle};

use super::{
    config::SandboxConfig,
    functions::HostFunctions,
    host::{End, Run, permit},
    outcome::RunOutcome,
    protocol::{RunRequest, ToWorker, encode},
    spawn::{Worker, own_program},
};
use crate::code::Declarations;

/// Runs that compute at the same time; more wait their turn. A run that waits for functions is not counted, since what it
/// waits for may be a run itself.
const MAX_CONCURRENT: usize = 4;
/// Idle workers kept; the others end when their run is over.
const MAX_IDLE: usize = 2;
/// A worker is replaced after this many runs, so that what the checker keeps never adds up.
const MAX_RUNS: u32 = 200;

/// Where model-written code runs, with one set of settings: all prompts and agents of a file that have the same settings
/// share one. Idle workers end when it is dropped. No worker needs that to end, though: it sees its pipe close when this
/// process ends, however it ends.
///
/// Must be used inside a tokio runtime with IO and time.
#[derive(Debug)]
pub struct Sandbox {
    config: SandboxConfig,
    program: PathBuf,
    idle: RefCell<Vec<Slot>>,
    permits: Semaphore,
}

#[derive(Debug)]
enum Slot {
    Ready(Box<Worker>),
    /// The frame that warms it is on its way.
    Warming(JoinHandle<io::Result<Worker>>),
}

impl Sandbox {
    /// A sandbox whose workers are this binary (its `main` must know [`super::WORKER_SUBCOMMAND`]). Starts nothing yet.
    pub fn new(config: SandboxConfig) -> Self {
        Self::with_program(config, own_program())
    }

    /// A sandbox whose workers are another program that knows the subcommand; for tests.
    pub fn with_program(config: SandboxConfig, program: impl Into<PathBuf>) -> Self {
        Self { config, program: program.into(), idle: RefCell::default(), permits: Semaphore::new(MAX_CONCURRENT) }
    }

    /// The settings.
    pub fn config(&self) -> &SandboxConfig {
        &self.config
    }

    /// Starts a worker and lets it load the library and `declarations`, so that the first run does not wait for it.
    /// Returns at once; does nothing when a worker is at hand. A failure to start shows when code is run.
    pub fn warm(&self, declarations: &Declarations) {
        if !self.idle.borrow().is_empty() {
            return;
        }
        let Ok(mut worker) = Worker::spawn(&self.program, self.config.memory_bytes) else { return };
        let message = ToWorker::Warm { declarations: declarations.text().to_owned() };
        let warming = tokio::spawn(async move {
            worker.send(&message).await?;
            Ok(worker)
        });
        self.idle.borrow_mut().push(Slot::Warming(warming));
    }

    /// Checks and runs one piece of code: the body of an async TypeScript function that may call the declared functions.
    ///
    /// Every failure is an outcome: refused code, thrown errors, exceeded limits, a worker that died. Runs may be
    /// concurrent. Dropping the future kills the run; host calls under way are dropped with it.
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
        let mut last_try = false;
        loop {
            let permit = permit(&self.permits).await;
            let mut worker = match self.take().await {
                Ok(worker) => worker,
                Err(error) => return RunOutcome::failed(format!("The sandbox could not be started: {error}")),
            };
            let run = Run::new(&self.config, declarations.functions(), host, &self.permits, permit);
            match run.drive(&mut worker, &frame).await {
                End::Done(outcome) => {
                    worker.runs += 1;
                    self.put_back(worker);
                    return outcome;
                }
                End::Killed(outcome) => {
                    // Waited for, so that its memory is free before the next one takes as much.
                    worker.kill().await;
                    self.warm(declarations);
                    return outcome;
                }
                // A worker that dies between two runs is not the fault of this code.
                End::NeverStarted if !last_try => last_try = true,
                End::NeverStarted => {
                    return RunOutcome::failed("The sandbox could not be started: its process ended at once");
                }
            }
        }
    }

    /// The process ids of the idle workers, for tests and diagnosis.
    pub fn idle_workers(&self) -> Vec<u32> {
        let idle = self.idle.borrow();
        idle.iter().filter_map(|slot| if let Slot::Ready(worker) = slot { worker.id() } else { None }).collect()
    }

    async fn take(&self) -> io::Result<Worker> {
        loop {
            let slot = self.idle.borrow_mut().pop();
            let mut worker = match slot {
                None => return Worker::spawn(&self.program, self.config.memory_bytes),
                Some(Slot::Ready(worker)) => *worker,
                Some(Slot::Warming(warming)) => match warming.await {
                    Ok(Ok(worker)) => worker,
                    _ => continue,
                },
            };
            if worker.is_alive() {
                return Ok(worker);
            }
        }
    }

    fn put_back(&self, worker: Worker) {
        let mut idle = self.idle.borrow_mut();
        // One that is not kept is dropped here, and dies.
        if idle.len() < MAX_IDLE && worker.runs < MAX_RUNS {
            idle.push(Slot::Ready(Box::new(worker)));
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for slot in self.idle.borrow_mut().drain(..) {
            // A task keeps its worker alive unless it is told to stop; workers die when they are dropped.
            if let Slot::Warming(warming) = slot {
                warming.abort();
            }
        }
    }
}
