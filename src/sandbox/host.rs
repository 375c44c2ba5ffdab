//! One run seen from the host: frames in, host calls, the clock, the outcome.

use std::{
    future::pending,
    time::{Duration, Instant},
};

use futures_util::{StreamExt, future::LocalBoxFuture, stream::FuturesUnordered};
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::{
    config::SandboxConfig,
    functions::HostFunctions,
    outcome::{LogLine, RunOutcome},
    protocol::{FromWorker, Reply, ToWorker},
    spawn::Worker,
};
use crate::{chat::read_json, code::CodeDiagnostic};

/// How a run ended, and what that means for its worker.
pub(super) enum End {
    /// The worker can be used again.
    Done(RunOutcome),
    /// The worker has to be killed, or is dead.
    Killed(RunOutcome),
    /// The worker died before it took up the request.
    NeverStarted,
}

/// What the worker is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Starting,
    Checking,
    Running,
    /// Waiting for host calls: the clock stands still.
    Waiting,
}

/// Starting a process takes milliseconds; only a machine in trouble needs this long.
const START_TIME: Duration = Duration::from_secs(30);
/// The worker stops code at the limit by itself; native code that never asks is killed this much later.
const GRACE: Duration = Duration::from_millis(500);

/// A host call that has come to its end, with the permit to compute that its run needs to go on.
struct Answered<'a> {
    id: u32,
    result: Result<Box<RawValue>, String>,
    permit: Option<SemaphorePermit<'a>>,
}

/// The state of one run.
pub(super) struct Run<'a> {
    config: &'a SandboxConfig,
    functions: &'a [String],
    host: &'a dyn HostFunctions,
    calls: FuturesUnordered<LocalBoxFuture<'a, Answered<'a>>>,
    permits: &'a Semaphore,
    /// Held while the worker is busy, not while it waits: the function it waits for may run code as well, and all permits
    /// could be with runs that wait for one.
    permit: Option<SemaphorePermit<'a>>,
    phase: Phase,
    /// When the current phase began.
    since: Instant,
    /// Time that code has run so far, without the current phase.
    used: Duration,
    call_count: u32,
    console_bytes: usize,
    logs: Vec<LogLine>,
    warnings: Vec<CodeDiagnostic>,
}

impl<'a> Run<'a> {
    /// A run that has its turn in `permit`; `permits` is where it gets the next.
    pub(super) fn new(
        config: &'a SandboxConfig,
        functions: &'a [String],
        host: &'a dyn HostFunctions,
        permits: &'a Semaphore,
        permit: Option<SemaphorePermit<'a>>,
    ) -> Self {
        Self {
            config,
            functions,
            host,
            calls: FuturesUnordered::new(),
            permits,
            permit,
            phase: Phase::Starting,
            since: Instant::now(),
            used: Duration::ZERO,
            call_count: 0,
            console_bytes: 0,
            logs: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Sends the request and serves the worker until the run is over.
    pub(super) async fn drive(mut self, worker: &mut Worker, request: &[u8]) -> End {
        if worker.send_frame(request).await.is_err() {
            return End::NeverStarted;
        }
        loop {
            let deadline = self.deadline();
            let calling = !self.calls.is_empty();
            let event = tokio::select! {
                // Frames first: a worker that stops at its own limit says more about it than the clock here can.
                biased;
                frame = worker.receive() => Event::Frame(frame),
                Some(answered) = self.calls.next(), if calling => Event::Answered(answered),
                () = sleep_until(deadline) => Event::Deadline,
            };
            let end = match event {
                Event::Frame(Ok(Some(frame))) => self.handle(frame).await,
                Event::Frame(Ok(None) | Err(_)) => Some(self.lost()),
                Event::Answered(answered) => self.reply(worker, answered).await,
                Event::Deadline => Some(self.too_long()),
            };
            if let Some(end) = end {
                return end;
            }
        }
    }

    /// When the current phase has taken too long; never while code waits for the host.
    fn deadline(&self) -> Option<Instant> {
        let allowed = match self.phase {
            Phase::Starting => START_TIME,
            Phase::Checking => self.config.check_time(),
            Phase::Running => self.config.limits().cpu_time().saturating_sub(self.used) + GRACE,
            Phase::Waiting => return None,
        };
        Some(self.since + allowed)
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase == Phase::Running {
            self.used += self.since.elapsed();
        }
        self.phase = phase;
        self.since = Instant::now();
    }

    /// A frame of the worker. Its sender may be under the control of hostile code, so nothing in it is trusted.
    async fn handle(&mut self, frame: FromWorker) -> Option<End> {
        match frame {
            FromWorker::Ready { confinement } => {
                confinement.iter().for_each(|missing| self.host.notice(missing));
                None
            }
            FromWorker::Checking => {
                self.enter(Phase::Checking);
                None
            }
            FromWorker::Started { warnings, notice } => {
                self.note(notice);
                self.host.checked(true, &warnings);
                self.warnings = warnings;
                self.enter(Phase::Running);
                None
            }
            FromWorker::Refused { errors, notice } => {
                self.note(notice);
                self.host.checked(false, &errors);
                Some(End::Done(RunOutcome::Refused { errors }))
            }
            FromWorker::Log(line) => self.log(line),
            FromWorker::Call { id, name, args } => self.call(id, &name, args),
            FromWorker::Idle => {
                self.permit = None;
                self.enter(Phase::Waiting);
                None
            }
            FromWorker::Returned { result } => Some(self.returned(result.as_deref()).await),
            FromWorker::Failed { error, message } => {
                self.finish_calls().await;
                let logs = std::mem::take(&mut self.logs);
                Some(End::Done(RunOutcome::Failed { error, message, logs }))
            }
        }
    }

    fn note(&self, notice: Option<String>) {
        if let Some(notice) = notice {
            self.host.notice(&notice);
        }
    }

    fn log(&mut self, line: LogLine) -> Option<End> {
        self.console_bytes += line.text.len();
        // The worker cuts the output at the limit; twice as much means that it no longer obeys.
        if self.console_bytes > 2 * self.config.console_bytes + 4096 {
            return Some(self.disobeyed());
        }
        self.host.console(&line);
        self.logs.push(line);
        None
    }

    fn call(&mut self, id: u32, name: &str, args: Box<RawValue>) -> Option<End> {
        self.call_count += 1;
        if self.call_count > self.config.host_calls {
            return Some(self.disobeyed());
        }
        let Some(name) = self.functions.iter().find(|known| *known == name) else { return Some(self.disobeyed()) };
        if self.is_too_large(&args) {
            return Some(self.disobeyed());
        }
        let (called, permits) = (self.host.call(name, args), self.permits);
        self.calls.push(Box::pin(async move { Answered { id, result: called.await, permit: permit(permits).await } }));
        None
    }

    /// The worker refuses what is larger by itself; `null` stands for nothing and is always allowed.
    fn is_too_large(&self, json: &RawValue) -> bool {
        json.get().len() > self.config.result_bytes.max("null".len())
    }

    async fn reply(&mut self, worker: &mut Worker, answered: Answered<'a>) -> Option<End> {
        let Answered { id, result, permit } = answered;
        let reply = result.map_or_else(Reply::Error, Reply::Value);
        // Several calls may be answered before the worker has said that it waits again.
        if self.phase == Phase::Waiting {
            self.permit = permit;
            self.enter(Phase::Running);
        }
        match worker.send(&ToWorker::Reply { id, reply }).await {
            Ok(()) => None,
            Err(_) => Some(self.lost()),
        }
    }

    async fn returned(&mut self, result: Option<&RawValue>) -> End {
        if result.is_some_and(|result| self.is_too_large(result)) {
            return self.disobeyed();
        }
        // The result goes to a model, as text: here half surrogate pairs end. An honest worker writes no great depth.
        let Ok(result) = result.map(|result| read_json(result.get())).transpose() else { return self.disobeyed() };
        self.finish_calls().await;
        let (logs, warnings) = (std::mem::take(&mut self.logs), std::mem::take(&mut self.warnings));
        End::Done(RunOutcome::Success { result, logs, warnings })
    }

    /// Calls that the code started and did not await still come to their end: a mail half sent is worse than a wait.
    async fn finish_calls(&mut self) {
        self.permit = None;
        while self.calls.next().await.is_some() {}
    }

    fn killed(&mut self, error: String) -> End {
        End::Killed(RunOutcome::failed(error).with_logs(std::mem::take(&mut self.logs)))
    }

    fn disobeyed(&mut self) -> End {
        self.killed("The sandbox process broke its protocol and was stopped".to_owned())
    }

    fn lost(&mut self) -> End {
        match self.phase {
            Phase::Starting => End::NeverStarted,
            Phase::Checking => self.killed(
                "The code could not be checked: the parser or the type checker ran out of memory. Write simpler code, with \
                 less nesting and simpler types"
                    .to_owned(),
            ),
            Phase::Running | Phase::Waiting => {
                self.killed("The sandbox process died while the code ran: out of memory, or a fault of the engine".to_owned())
            }
        }
    }

    fn too_long(&mut self) -> End {
        match self.phase {
            Phase::Starting => self.killed(format!("The sandbox did not start within {} s", START_TIME.as_secs())),
            Phase::Checking => self.killed(format!(
                "Checking the code took longer than {} ms. Write simpler code, with less nesting and simpler types",
                self.config.check_ms
            )),
            Phase::Running | Phase::Waiting => self.killed(self.config.limits().out_of_time()),
        }
    }
}

enum Event<'a> {
    Frame(std::io::Result<Option<FromWorker>>),
    Answered(Answered<'a>),
    Deadline,
}

/// Leave to compute, when it is this run's turn.
pub(super) async fn permit(permits: &Semaphore) -> Option<SemaphorePermit<'_>> {
    // The semaphore is never closed.
    permits.acquire().await.ok()
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => pending().await,
    }
}
