//! One attempt of a run: the engine starts on the first entry that is not stored, and stops when the attempt is
//! dropped.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Map, Value};
use tokio::time::timeout;

use super::{
    batch::{Batch, Entry},
    counters::OpenInvocation,
    engine::{Job, RunSlot},
    engines::{EngineHandle, Engines},
    local_journal::Decision,
    log::Log,
    outbox::{AttemptEnd, channel},
};
use lmthing_engine::session::WatchedRun;

/// How long an attempt waits for the previous one. Broken connections are noticed within 40 s.
const EARLIER_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(45);

/// How long an engine has to end. It gives its tools less time.
const END_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) struct RunRequest {
    pub(super) file: std::path::PathBuf,
    pub(super) run: String,
    pub(super) invocation: String,
    pub(super) input: Option<Map<String, Value>>,
    pub(super) log: Log,
    pub(super) trace_parent: Option<String>,
    /// Counts the run as waiting or running at `/health`.
    pub(super) open_invocation: OpenInvocation,
}

pub(super) struct Attempt<'a> {
    engines: &'a Arc<Engines>,
    request: &'a RunRequest,
    engine: Option<EngineHandle>,
    /// A slot that no engine uses yet.
    slot: Option<RunSlot>,
    begun: Arc<AtomicBool>,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(engines: &'a Arc<Engines>, request: &'a RunRequest) -> Self {
        Attempt { engines, request, engine: None, slot: None, begun: Arc::default() }
    }

    pub(super) fn begun(&self) -> Arc<AtomicBool> {
        self.begun.clone()
    }

    /// Returns the next entries to store. `stored` are those that Restate has; `decisions` those on calls that wait for
    /// approval.
    pub(super) async fn next(&mut self, stored: &[Entry], decisions: &[Decision]) -> Result<Batch, AttemptEnd> {
        if self.engine.is_none() {
            self.engine = Some(self.start(stored, decisions).await?);
        }
        match &mut self.engine {
            Some(engine) => engine.inbox.next().await,
            None => unreachable!("it was started"),
        }
    }

    /// Waits for a slot, or for an engine that an earlier attempt has left, which has one.
    pub(super) async fn wait_for_slot(&mut self) {
        let engines = self.engines;
        let mut slot = pin!(engines.acquire_slot());
        while self.slot.is_none() {
            // Created before the check, so that no notification is missed.
            let detached = engines.next_detached();
            if engines.has_detached(&self.request.run) {
                return;
            }
            tokio::select! {
                slot = &mut slot => self.slot = Some(slot),
                () = detached => {}
            }
        }
    }

    async fn start(&mut self, stored: &[Entry], decisions: &[Decision]) -> Result<EngineHandle, AttemptEnd> {
        let RunRequest { file, run, invocation, input, log, trace_parent, open_invocation } = self.request;
        if let Some(engine) = self.earlier(stored).await? {
            // The engine has a slot of its own.
            self.slot = None;
            self.begun.store(true, Ordering::Relaxed);
            return Ok(engine);
        }
        let slot = match self.slot.take() {
            Some(slot) => slot,
            None => self.engines.acquire_slot().await,
        };
        self.begun.store(true, Ordering::Relaxed);
        let (outbox, inbox) = channel(stored.len());
        let over = self.engines.run(Job {
            watched: WatchedRun::default(),
            file: file.clone(),
            run: run.clone(),
            invocation: invocation.clone(),
            input: input.clone(),
            stored: stored.to_vec(),
            decisions: decisions.to_vec(),
            outbox,
            log: log.clone(),
            trace_parent: trace_parent.clone(),
            over: None,
            slot,
        });
        Ok(EngineHandle { inbox, over, running: open_invocation.start_running() })
    }

    /// Takes over the engine of an earlier attempt. If that is impossible, waits until it has ended: two engines would
    /// do the same work twice.
    async fn earlier(&self, stored: &[Entry]) -> Result<Option<EngineHandle>, AttemptEnd> {
        let run = &self.request.run;
        // The earlier attempt may wait on a broken connection.
        for patience in [EARLIER_ATTEMPT_TIMEOUT, END_TIMEOUT] {
            let waits = async {
                loop {
                    if let Some(engine) = self.engines.take_over(run, stored) {
                        return Some(engine);
                    }
                    self.engines.earlier_engine_changed(run)?.await;
                }
            };
            if let Ok(found) = timeout(patience, waits).await {
                return Ok(found);
            }
            self.engines.stop(run);
        }
        Err(AttemptEnd::Retry("an earlier attempt of the run has not ended yet".to_owned()))
    }

    pub(super) async fn end(&mut self) {
        let Some(EngineHandle { inbox, mut over, .. }) = self.engine.take() else { return };
        drop(inbox);
        self.begun.store(false, Ordering::Relaxed);
        // Resolves when the other end is dropped; never if a script blocks its thread.
        let _ = timeout(END_TIMEOUT, over.changed()).await;
    }
}

impl Drop for Attempt<'_> {
    /// If the connection to Restate breaks, the engine is left to the next attempt.
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            self.engines.detach(&self.request.run, engine);
        }
    }
}
