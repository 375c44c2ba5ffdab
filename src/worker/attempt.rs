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
    beneath::Decision,
    crew::{Crew, Engine},
    engine::{Job, Place},
    log::Log,
    outbox::{Ended, pair},
    tally::Turn,
};
use crate::session::WatchedRun;

/// How long an attempt waits for the previous one. Broken connections are noticed within 40 s.
const PATIENCE: Duration = Duration::from_secs(45);

/// How long an engine has to end. It gives its tools less time.
const END_PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Subject {
    pub(super) file: std::path::PathBuf,
    pub(super) run: String,
    pub(super) invocation: String,
    pub(super) input: Option<Map<String, Value>>,
    pub(super) log: Log,
    pub(super) trace_parent: Option<String>,
    /// Shown by `/health`-like reports: waiting for a slot or running.
    pub(super) turn: Turn,
}

pub(super) struct Attempt<'a> {
    crew: &'a Arc<Crew>,
    subject: &'a Subject,
    engine: Option<Engine>,
    /// A slot that no engine uses yet.
    place: Option<Place>,
    begun: Arc<AtomicBool>,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(crew: &'a Arc<Crew>, subject: &'a Subject) -> Self {
        Attempt { crew, subject, engine: None, place: None, begun: Arc::default() }
    }

    pub(super) fn begun(&self) -> Arc<AtomicBool> {
        self.begun.clone()
    }

    /// Returns the next entries to store. `stored` are those that Restate has; `decisions` those on calls that wait for
    /// approval.
    pub(super) async fn next(&mut self, stored: &[Entry], decisions: &[Decision]) -> Result<Batch, Ended> {
        if self.engine.is_none() {
            self.engine = Some(self.start(stored, decisions).await?);
        }
        match &mut self.engine {
            Some(engine) => engine.inbox.next().await,
            None => unreachable!("it was started"),
        }
    }

    /// Waits for a slot, or for an engine that an earlier attempt has left, which has one.
    pub(super) async fn take_place(&mut self) {
        let crew = self.crew;
        let mut place = pin!(crew.place());
        while self.place.is_none() {
            // Created before the check, so that no notification is missed.
            let left = crew.one_is_left();
            if crew.has_left(&self.subject.run) {
                return;
            }
            tokio::select! {
                place = &mut place => self.place = Some(place),
                () = left => {}
            }
        }
    }

    async fn start(&mut self, stored: &[Entry], decisions: &[Decision]) -> Result<Engine, Ended> {
        let Subject { file, run, invocation, input, log, trace_parent, turn } = self.subject;
        if let Some(engine) = self.earlier(stored).await? {
            // The engine has a slot of its own.
            self.place = None;
            self.begun.store(true, Ordering::Relaxed);
            return Ok(engine);
        }
        let place = match self.place.take() {
            Some(place) => place,
            None => self.crew.place().await,
        };
        self.begun.store(true, Ordering::Relaxed);
        let (outbox, inbox) = pair(stored.len());
        let over = self.crew.run(Job {
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
            place,
        });
        Ok(Engine { inbox, over, at_work: turn.begins() })
    }

    /// Takes over the engine of an earlier attempt. If that is impossible, waits until it has ended: two engines would
    /// do the same work twice.
    async fn earlier(&self, stored: &[Entry]) -> Result<Option<Engine>, Ended> {
        let run = &self.subject.run;
        // The earlier attempt may wait on a broken connection.
        for patience in [PATIENCE, END_PATIENCE] {
            let waits = async {
                loop {
                    if let Some(engine) = self.crew.taken_over(run, stored) {
                        return Some(engine);
                    }
                    self.crew.earlier_changes(run)?.await;
                }
            };
            if let Ok(found) = timeout(patience, waits).await {
                return Ok(found);
            }
            self.crew.stop(run);
        }
        Err(Ended::TryAgain("an earlier attempt of the run has not ended yet".to_owned()))
    }

    /// Stops the engine and waits until it has ended.
    pub(super) async fn end(&mut self) {
        let Some(Engine { inbox, mut over, .. }) = self.engine.take() else { return };
        drop(inbox);
        self.begun.store(false, Ordering::Relaxed);
        // Resolves when the other end is dropped; never if a script blocks its thread.
        let _ = timeout(END_PATIENCE, over.changed()).await;
    }
}

impl Drop for Attempt<'_> {
    /// If the connection to Restate breaks, the engine is left to the next attempt.
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            self.crew.leave(&self.subject.run, engine);
        }
    }
}
