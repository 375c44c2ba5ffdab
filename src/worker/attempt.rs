//! An attempt of a run as the handler has it: the engine is started when something is to be done that is not stored, and stops when
//! the attempt is dropped. Must not know Restate, nor JavaScript.

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

/// How long an attempt waits for the one before it: broken connections are noticed within 40 s.
const PATIENCE: Duration = Duration::from_secs(45);

/// How long an engine has to end: it gives its tools less than that.
const END_PATIENCE: Duration = Duration::from_secs(10);

/// What an attempt is of.
pub(super) struct Subject {
    pub(super) file: std::path::PathBuf,
    pub(super) run: String,
    pub(super) invocation: String,
    pub(super) input: Option<Map<String, Value>>,
    pub(super) log: Log,
    pub(super) trace_parent: Option<String>,
    /// Whether it waits for its place or runs, for whoever looks.
    pub(super) turn: Turn,
}

/// One attempt.
pub(super) struct Attempt<'a> {
    crew: &'a Arc<Crew>,
    subject: &'a Subject,
    engine: Option<Engine>,
    /// Its place among those that run, before the engine has it.
    place: Option<Place>,
    begun: Arc<AtomicBool>,
}

impl<'a> Attempt<'a> {
    /// Nothing is begun.
    pub(super) fn new(crew: &'a Arc<Crew>, subject: &'a Subject) -> Self {
        Attempt { crew, subject, engine: None, place: None, begun: Arc::default() }
    }

    /// Whether an engine has been at work.
    pub(super) fn begun(&self) -> Arc<AtomicBool> {
        self.begun.clone()
    }

    /// What is done next, to be stored. `stored` is what is stored of the run, `decisions` what was decided on calls that wait.
    ///
    /// # Errors
    /// Nothing more is.
    pub(super) async fn next(&mut self, stored: &[Entry], decisions: &[Decision]) -> Result<Batch, Ended> {
        if self.engine.is_none() {
            self.engine = Some(self.start(stored, decisions).await?);
        }
        match &mut self.engine {
            Some(engine) => engine.inbox.next().await,
            None => unreachable!("it was started"),
        }
    }

    /// Takes its place among those that run, which may take as long as there are too many. An engine that an earlier attempt has
    /// left has one.
    pub(super) async fn take_place(&mut self) {
        let crew = self.crew;
        let mut place = pin!(crew.place());
        while self.place.is_none() {
            // Made before looking, so that nothing in between is missed.
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
            // It has a place of its own.
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

    /// The engine of an earlier attempt, if that can be taken over. Two at once would do the same: one that cannot has ended when
    /// this resolves.
    async fn earlier(&self, stored: &[Entry]) -> Result<Option<Engine>, Ended> {
        let run = &self.subject.run;
        // Its attempt may hang on a connection of which nobody knows yet that it is broken.
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

    /// Ends what is under way, and waits until it has ended.
    pub(super) async fn end(&mut self) {
        let Some(Engine { inbox, mut over, .. }) = self.engine.take() else { return };
        drop(inbox);
        self.begun.store(false, Ordering::Relaxed);
        // It resolves when the other end is dropped; never, when a script holds its thread.
        let _ = timeout(END_PATIENCE, over.changed()).await;
    }
}

impl Drop for Attempt<'_> {
    /// When the connection to Restate breaks, what is under way is left to the next attempt.
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            self.crew.leave(&self.subject.run, engine);
        }
    }
}
