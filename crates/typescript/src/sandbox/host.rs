//! The host's side of one run: frames of the worker, host calls, deadlines, the outcome.

use std::{future::pending, time::Instant};

use futures_util::{StreamExt, future::LocalBoxFuture, stream::FuturesUnordered};
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::{
    config::SandboxConfig,
    functions::HostFunctions,
    outcome::{LogLine, RunOutcome},
    protocol::{FromWorker, Reply, ToWorker, encode},
    spawn::{Received, Worker},
    state::{RunState, START_TIME, State},
};
use crate::code::CodeDiagnostic;
use lmthing_base::{chat::read_json, checkpoint::CallError};

pub(super) enum End {
    /// The worker can be reused.
    Done(RunOutcome),
    /// The worker is dead or has to be killed.
    Killed(RunOutcome),
    NeverStarted,
}

struct FinishedCall<'a> {
    id: u32,
    result: Result<Box<RawValue>, CallError>,
    permit: Option<SemaphorePermit<'a>>,
}

pub(super) struct Run<'a> {
    config: &'a SandboxConfig,
    functions: &'a [String],
    host: &'a dyn HostFunctions,
    calls: FuturesUnordered<LocalBoxFuture<'a, FinishedCall<'a>>>,
    permits: &'a Semaphore,
    /// Held while the worker is busy, not while it waits: the awaited function may run code too, and all permits
    /// could be held by runs that wait for one.
    permit: Option<SemaphorePermit<'a>>,
    state: RunState,
    call_count: u32,
    console_bytes: usize,
    logs: Vec<LogLine>,
    warnings: Vec<CodeDiagnostic>,
}

impl<'a> Run<'a> {
    /// `permit` is the permit of this run, `permits` the source of the next one.
    pub(super) fn new(
        config: &'a SandboxConfig,
        functions: &'a [String],
        host: &'a dyn HostFunctions,
        permits: &'a Semaphore,
        permit: Option<SemaphorePermit<'a>>,
        state: RunState,
    ) -> Self {
        Self {
            config,
            functions,
            host,
            calls: FuturesUnordered::new(),
            permits,
            permit,
            state,
            call_count: 0,
            console_bytes: 0,
            logs: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(super) async fn drive(mut self, worker: &mut Worker, request: Vec<u8>) -> End {
        worker.send(request);
        loop {
            let deadline = self.state.deadline(self.config);
            let calling = !self.calls.is_empty();
            let event = tokio::select! {
                // Frames first: a worker that stops at its own limit reports more than the deadline here.
                biased;
                received = worker.receive() => Event::Received(received),
                Some(finished) = self.calls.next(), if calling => Event::FinishedCall(finished),
                () = sleep_until(deadline) => Event::Deadline,
            };
            let end = match event {
                Event::Received(Received { at, frame: Ok(Some(frame)) }) => self.handle(frame, at).await,
                Event::Received(Received { frame: Ok(None), .. }) => Some(self.worker_died()),
                Event::Received(Received { frame: Err(_), .. }) => Some(self.protocol_error()),
                Event::FinishedCall(finished) => {
                    self.reply(worker, finished);
                    None
                }
                Event::Deadline => Some(self.timed_out()),
            };
            if let Some(end) = end {
                return end;
            }
        }
    }

    /// Handles a frame of the worker, which hostile code may have forged.
    async fn handle(&mut self, frame: FromWorker, at: Instant) -> Option<End> {
        if self.state.receive(&frame, at, self.calls.len()).is_err() {
            return Some(self.protocol_error());
        }
        match frame {
            FromWorker::Ready { confinement } => {
                confinement.iter().for_each(|missing| self.host.notice(missing));
                None
            }
            FromWorker::Checking => None,
            FromWorker::Started { warnings, notice } => {
                self.forward_notice(notice);
                self.host.checked(true, &warnings);
                self.warnings = warnings;
                None
            }
            FromWorker::Refused { errors, notice } => {
                self.forward_notice(notice);
                self.host.checked(false, &errors);
                Some(End::Done(RunOutcome::Refused { errors }))
            }
            FromWorker::Log(line) => self.log(line),
            FromWorker::Call { id, name, args } => self.call(id, &name, args),
            FromWorker::Idle => {
                if self.state.state() == State::Waiting {
                    self.permit = None;
                }
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

    fn forward_notice(&self, notice: Option<String>) {
        if let Some(notice) = notice {
            self.host.notice(&notice);
        }
    }

    fn log(&mut self, line: LogLine) -> Option<End> {
        self.console_bytes += line.bytes();
        // The worker truncates the output at the limit; twice as much means that it is compromised.
        if self.console_bytes > 2 * self.config.console_bytes + 4096 {
            return Some(self.protocol_error());
        }
        self.host.console(&line);
        self.logs.push(line);
        None
    }

    fn call(&mut self, id: u32, name: &str, args: Option<Box<RawValue>>) -> Option<End> {
        self.call_count += 1;
        if self.call_count > self.config.host_calls {
            return Some(self.protocol_error());
        }
        let Some(name) = self.functions.iter().find(|known| *known == name) else { return Some(self.protocol_error()) };
        if args.as_ref().is_some_and(|args| self.is_too_large(args)) {
            return Some(self.protocol_error());
        }
        let (called, permits) = (self.host.call(name, args), self.permits);
        self.calls
            .push(Box::pin(async move { FinishedCall { id, result: called.await, permit: permit(permits).await } }));
        None
    }

    /// The worker rejects larger values by itself; `null` is always allowed, as it represents `undefined`.
    fn is_too_large(&self, json: &RawValue) -> bool {
        json.get().len() > self.config.result_bytes.max("null".len())
    }

    fn reply(&mut self, worker: &Worker, finished: FinishedCall<'a>) {
        let FinishedCall { id, result, permit } = finished;
        let reply = result.map_or_else(|error| Reply::Error(error.0), Reply::Value);
        let frame = encode(&ToWorker::Reply { id, reply }).or_else(|error| {
            let reply = Reply::Error(format!("The result cannot be sent to the sandbox: {error}"));
            encode(&ToWorker::Reply { id, reply })
        });
        // Several calls may end before the worker waits again.
        if self.state.state() == State::Waiting {
            self.permit = permit;
        }
        // The text of the error fits.
        let Ok(frame) = frame else { return };
        self.state.replied(Instant::now());
        worker.send(frame);
    }

    async fn returned(&mut self, result: Option<&RawValue>) -> End {
        if result.is_some_and(|result| self.is_too_large(result)) {
            return self.protocol_error();
        }
        // The result is sent to a model as text, so that unpaired surrogates are replaced here. The worker limits the
        // depth.
        let Ok(result) = result.map(|result| read_json(result.get())).transpose() else { return self.protocol_error() };
        self.finish_calls().await;
        let (logs, warnings) = (std::mem::take(&mut self.logs), std::mem::take(&mut self.warnings));
        End::Done(RunOutcome::Success { result, logs, warnings })
    }

    /// Completes calls that the code did not await: cancelling them could leave their work half done.
    async fn finish_calls(&mut self) {
        self.permit = None;
        while self.calls.next().await.is_some() {}
    }

    fn killed(&mut self, error: String) -> End {
        End::Killed(RunOutcome::failed(error).with_logs(std::mem::take(&mut self.logs)))
    }

    fn protocol_error(&mut self) -> End {
        match self.state.state() {
            // The code has not begun, so this is not its fault.
            State::Starting => End::NeverStarted,
            _ => self.killed("The sandbox process broke its protocol and was stopped".to_owned()),
        }
    }

    fn worker_died(&mut self) -> End {
        match self.state.state() {
            State::Starting => End::NeverStarted,
            State::Checking => self.killed(
                "The code could not be checked: the parser or the type checker ran out of memory. Write simpler code, with \
                 less nesting and simpler types"
                    .to_owned(),
            ),
            State::Running | State::Waiting => {
                self.killed("The sandbox process died while the code ran: out of memory, or a fault of the engine".to_owned())
            }
        }
    }

    fn timed_out(&mut self) -> End {
        match self.state.state() {
            State::Starting => self.killed(format!("The sandbox did not start within {} s", START_TIME.as_secs())),
            State::Checking => self.killed(format!(
                "Checking the code took longer than {} ms. Write simpler code, with less nesting and simpler types",
                self.config.check_ms
            )),
            State::Running | State::Waiting => self.killed(self.config.limits().out_of_time()),
        }
    }
}

enum Event<'a> {
    Received(Received),
    FinishedCall(FinishedCall<'a>),
    Deadline,
}

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
