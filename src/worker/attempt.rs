//! An attempt of a run as the handler has it: the engine is started when something is to be done that is not stored, and stops when
//! the attempt is dropped. Must not know Restate, nor JavaScript.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::{Map, Value};

use super::{
    batch::{Batch, Entry},
    beneath::Decision,
    crew::{Crew, Engine},
    engine::Job,
    log::Log,
    outbox::{Ended, pair},
    tally::Turn,
};

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
    begun: Arc<AtomicBool>,
}

impl<'a> Attempt<'a> {
    /// Nothing is begun.
    pub(super) fn new(crew: &'a Arc<Crew>, subject: &'a Subject) -> Self {
        Attempt { crew, subject, engine: None, begun: Arc::default() }
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
        let engine = match &mut self.engine {
            Some(engine) => engine,
            None => {
                let engine = self.start(stored, decisions).await;
                self.engine.insert(engine)
            }
        };
        engine.inbox.next().await
    }

    async fn start(&self, stored: &[Entry], decisions: &[Decision]) -> Engine {
        let Subject { file, run, invocation, input, log, trace_parent, turn } = self.subject;
        if let Some(engine) = self.crew.taken_over(run, stored) {
            self.begun.store(true, Ordering::Relaxed);
            return engine;
        }
        // Two at once would write the same log.
        self.crew.earlier_is_over(run).await;
        let place = self.crew.place().await;
        self.begun.store(true, Ordering::Relaxed);
        let (outbox, inbox) = pair(stored.len());
        let over = self.crew.run(Job {
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
        Engine { inbox, over, at_work: turn.begins() }
    }

    /// Ends what is under way, and waits until it has ended.
    pub(super) async fn end(&mut self) {
        let Some(Engine { inbox, mut over, .. }) = self.engine.take() else { return };
        drop(inbox);
        self.begun.store(false, Ordering::Relaxed);
        // It resolves when the other end is dropped.
        let _ = over.changed().await;
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
