//! The pool: assigns rows to threads and handles what they report.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};

use serde_json::{Map, Value};

use super::{
    drivers::{no_thread, threads},
    elsewhere::There,
    message::{Job, Message},
    row::{Shared, broken, cut_off},
    running::{Running, used},
    tally::Tally,
};
use crate::{
    diagnostic::Diagnostic,
    map::{
        bits::Bits,
        convert::Inputs,
        options::{Listener, MapOptions},
        progress::{Early, Ended, Totals},
        results::{Outcome, Place, RowError, Writer, to_line},
    },
    prompt::RunError,
    session::{LateRun, Overall, WatchedRun},
    threads::Threads,
};

/// Interval of the checks for time limits and signals.
const TICK: Duration = Duration::from_millis(50);

/// How long a script may block its thread. Scripts that can be interrupted are interrupted earlier.
const STUCK: Duration = Duration::from_secs(15);

/// The same for a row that has passed a time limit.
const STUCK_LATE: Duration = Duration::from_millis(100);

/// How long running rows may take to end after an interrupt.
const GRACE: Duration = Duration::from_millis(800);

/// How often a row is tried again that failed only because of rate limits.
const MAX_REFUSALS: u32 = 20;

const FIRST_WAIT: Duration = Duration::from_millis(500);

/// The rows that the validation has left to run.
pub(in crate::map) struct Rest {
    pub(in crate::map) total: u64,
    pub(in crate::map) kept: u64,
    /// Rows to run or to report as invalid.
    pub(in crate::map) todo: Bits,
    pub(in crate::map) wrong: BTreeMap<u64, String>,
    pub(in crate::map) wrong_rows: Bits,
    /// Salt of idempotency keys, and hashes of the invocations that are already used.
    pub(in crate::map) keys: (String, HashSet<u64>),
}

pub(in crate::map) fn run(
    options: &Arc<MapOptions>,
    (inputs, mut rest): (Inputs, Rest),
    writer: Writer,
    (sender, receiver): (Sender<Message>, Receiver<Message>),
    listener: &mut dyn Listener,
) -> Result<Totals, Box<Diagnostic>> {
    let (salt, taken) = std::mem::take(&mut rest.keys);
    let shared = Arc::new(Shared {
        options: options.clone(),
        overall: Overall::new(options.limits),
        servers: Arc::default(),
        there: options.elsewhere.clone().map(|elsewhere| There::new(elsewhere, salt, taken)),
        taken: inputs.converter.taken.clone(),
    });
    let tally = Tally::new(rest.total, rest.kept, rest.todo.count());
    let threads = threads(&shared, &sender)?;
    let mut pool = Pool {
        shared,
        inputs,
        rest,
        writer,
        _sender: sender,
        receiver,
        threads,
        running: HashMap::new(),
        again: Vec::new(),
        row: 0,
        tally,
        early: None,
        asked_to_end: None,
    };
    let ran = pool.run(listener).and_then(|()| pool.writer.finish(&mut |line| listener.result(line)));
    ran?;
    Ok(Totals { early: pool.early, ..pool.tally.totals })
}

struct Pool {
    shared: Arc<Shared>,
    inputs: Inputs,
    rest: Rest,
    writer: Writer,
    _sender: Sender<Message>,
    receiver: Receiver<Message>,
    threads: Threads<Job>,
    running: HashMap<u64, Running>,
    /// Rows to try again, with the earliest time for each.
    again: Vec<(Instant, Running)>,
    row: u64,
    tally: Tally,
    early: Option<Early>,
    asked_to_end: Option<Instant>,
}

impl Pool {
    fn run(&mut self, listener: &mut dyn Listener) -> Result<(), Box<Diagnostic>> {
        loop {
            let is_all_begun = self.begin_rows(listener)?;
            let is_waiting = !self.again.is_empty() && self.early.is_none();
            if self.running.is_empty() && !is_waiting && (is_all_begun || self.early.is_some()) {
                return Ok(());
            }
            match self.receiver.recv_timeout(TICK) {
                Ok(message) => self.hear(message, listener)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("the pool has a sender itself"),
            }
            while let Ok(message) = self.receiver.try_recv() {
                self.hear(message, listener)?;
            }
            self.give_up_on_the_stuck(listener)?;
            self.look_for_the_end(listener);
            listener.progress(self.tally.progress(self.running.len()));
            if self.asked_to_end.is_some_and(|asked| asked.elapsed() >= GRACE) {
                return Ok(());
            }
        }
    }

    /// Starts rows until all threads are busy; returns whether there are no more rows.
    fn begin_rows(&mut self, listener: &mut dyn Listener) -> Result<bool, Box<Diagnostic>> {
        while self.running.len() < self.shared.options.jobs.get() {
            if self.early.is_some() {
                return Ok(false);
            }
            if let Some(again) = self.take_again() {
                if self.is_used_up() {
                    return Ok(false);
                }
                self.start(again);
                continue;
            }
            let Some(input) = self.inputs.next() else { return Ok(true) };
            self.row += 1;
            if !self.rest.todo.contains(self.row) {
                continue;
            }
            self.writer.begin(self.row);
            let wrong = self.rest.wrong_rows.contains(self.row);
            match input {
                Ok(Ok(_)) if !wrong && self.is_used_up() => return Ok(false),
                Ok(Ok(input)) if !wrong => self.start(Running::new(self.row, input)),
                Ok(Ok(input)) => self.is_wrong(input, None, listener)?,
                Ok(Err(wrong)) => self.is_wrong(wrong.row, Some(wrong.message), listener)?,
                Err(why) => {
                    return Err(Box::new(Diagnostic::new(format!("cannot read the rows any further: {why}"))));
                }
            }
        }
        Ok(false)
    }

    /// Whether the limits allow no further remote row. Local rows check the limits at every request.
    fn is_used_up(&mut self) -> bool {
        let reached = self.shared.there.as_ref().and_then(|_| self.shared.overall.used_up());
        if let Some(words) = reached {
            self.early = Some(Early::Limit(words));
        }
        self.early.is_some()
    }

    fn take_again(&mut self) -> Option<Running> {
        let now = Instant::now();
        let due = self.again.iter().position(|(due, _)| *due <= now)?;
        Some(self.again.swap_remove(due).1)
    }

    fn start(&mut self, mut row: Running) {
        row.watched = WatchedRun::default();
        let (input, watched) = (row.input.clone(), row.watched.clone());
        let job = Job { row: row.row, input, attempt: row.attempt, place: row.place, watched };
        row.thread = Some(self.threads.run(row.row, job));
        self.running.insert(row.row, row);
    }

    fn is_wrong(
        &mut self,
        input: Map<String, Value>,
        message: Option<String>,
        listener: &mut dyn Listener,
    ) -> Result<(), Box<Diagnostic>> {
        let known = self.rest.wrong.remove(&self.row);
        let message = known.or(message).unwrap_or_else(|| "the row does not fit what the file takes".to_owned());
        let failure = RowError::new(RunError::USAGE_EXIT_CODE, "input", message);
        let outcome = Outcome { failure: Some(failure), cost: Some(0.0), ..Outcome::default() };
        self.is_over(Running::new(self.row, input), outcome, listener)
    }

    fn hear(&mut self, message: Message, listener: &mut dyn Listener) -> Result<(), Box<Diagnostic>> {
        match message {
            Message::Printed { row, text } => listener.printed(row, &text),
            Message::Warned { row, message } => listener.warned(row, &message),
            Message::Lost { row, error } => {
                // Not the row's fault: the next command requests it again.
                if self.running.remove(&row).is_some() {
                    self.early.get_or_insert(Early::Lost(error));
                    self.asked_to_end.get_or_insert_with(Instant::now);
                }
            }
            Message::Ended { row, attempt, outcome } => {
                // A thread that was replaced may still finish its row.
                let is_it = self.running.get(&row).is_some_and(|running| running.attempt == attempt);
                if let Some(running) = is_it.then(|| self.running.remove(&row)).flatten() {
                    self.tally.used(&outcome);
                    if self.shared.there.is_some() {
                        self.shared.overall.add(used(&outcome));
                    }
                    return self.has_ended(running, *outcome, listener);
                }
            }
        }
        Ok(())
    }

    fn has_ended(
        &mut self,
        mut running: Running,
        outcome: Outcome,
        listener: &mut dyn Listener,
    ) -> Result<(), Box<Diagnostic>> {
        let Some(failure) = &outcome.failure else { return self.is_over(running, outcome, listener) };
        if self.shared.there.is_none()
            && failure.kind == "limit"
            && let Some(words) = self.shared.overall.reached()
        {
            // Not the row's fault: the next command runs it.
            self.early.get_or_insert(Early::Limit(words));
            return Ok(());
        }
        if self.early.is_some() && self.asked_to_end.is_some() {
            return self.is_over(running, outcome, listener);
        }
        let may_again = match (outcome.is_refused, failure.kind.as_str()) {
            (true, _) => running.refusals < MAX_REFUSALS,
            (false, "usage" | "input" | "configuration") => false,
            _ => running.failures < self.shared.options.retries,
        };
        if !may_again {
            return self.is_over(running, outcome, listener);
        }
        listener.ended(&Ended {
            row: running.row,
            took: outcome.took,
            usage: outcome.usage,
            cost: outcome.cost,
            failure: Some(failure),
            again: true,
        });
        let count = if outcome.is_refused { &mut running.refusals } else { &mut running.failures };
        *count += 1;
        // Failures of scripts are retried at once, failures of models with backoff.
        let wait = if failure.code == RunError::MODEL_EXIT_CODE {
            FIRST_WAIT * 2_u32.pow((*count - 1).min(6))
        } else {
            Duration::ZERO
        };
        running.attempt += 1;
        running.place = outcome.place.map(|place| Place { failures: place.failures + 1, ..place });
        running.add(&outcome);
        self.again.push((Instant::now() + wait, running));
        Ok(())
    }

    fn is_over(
        &mut self,
        running: Running,
        mut outcome: Outcome,
        listener: &mut dyn Listener,
    ) -> Result<(), Box<Diagnostic>> {
        outcome.usage = running.usage.plus(outcome.usage);
        outcome.cost = running.cost.zip(outcome.cost).map(|(before, cost)| before + cost);
        outcome.took += running.took;
        self.tally.ended(running.row, &outcome);
        listener.ended(&Ended {
            row: running.row,
            took: outcome.took,
            usage: outcome.usage,
            cost: outcome.cost,
            failure: outcome.failure.as_ref(),
            again: false,
        });
        let line = to_line(running.row, &running.input, &outcome);
        let written = self.writer.write(running.row, &line, &mut |line| listener.result(line));
        self.written(written)?;
        if self.early.is_none() {
            self.early = self.tally.too_much(&self.shared.options);
        }
        Ok(())
    }

    fn written(&self, written: io::Result<()>) -> Result<(), Box<Diagnostic>> {
        written.map_err(|error| self.writer.failed(&error))
    }

    /// Replaces threads that a script blocks; their other rows start again on another thread. A row past its own time
    /// limit ends even if its thread is still blocked.
    fn give_up_on_the_stuck(&mut self, listener: &mut dyn Listener) -> Result<(), Box<Diagnostic>> {
        let is_late = |row: &Running| Some((row.row, row.watched.late()?));
        let late: HashMap<u64, LateRun> = self.running.values().filter_map(is_late).collect();
        let patience = |row| if late.contains_key(&row) { STUCK_LATE } else { STUCK };
        let stuck = self.threads.replace_stuck(patience).map_err(|error| no_thread(&error))?;
        for (row, late) in late {
            if let Some(running) = self.running.remove(&row) {
                self.has_ended(running, cut_off(late), listener)?;
            }
        }
        for stuck in stuck {
            let is_there = |row: &&Running| row.thread == Some(stuck.thread);
            let rows: Vec<u64> = self.running.values().filter(is_there).map(|row| row.row).collect();
            for row in rows {
                let Some(mut running) = self.running.remove(&row) else { continue };
                running.attempt += 1;
                if row == stuck.job {
                    let outcome = broken("the script computed without a pause and could not be interrupted");
                    self.is_over(running, outcome, listener)?;
                } else {
                    self.start(running);
                }
            }
        }
        Ok(())
    }

    fn look_for_the_end(&mut self, listener: &mut dyn Listener) {
        if let Some(signal) = listener.interrupted() {
            self.early = Some(Early::Interrupted(signal));
            self.asked_to_end.get_or_insert_with(Instant::now);
        }
        if listener.is_unread() && self.early.is_none() {
            self.early = Some(Early::Unread);
            self.asked_to_end = Some(Instant::now());
        }
        if self.early.is_none()
            && let Some(words) = self.shared.overall.reached()
        {
            self.early = Some(Early::Limit(words));
            // Remote rows continue on the server, so there is nothing to wait for.
            if self.shared.there.is_some() {
                self.asked_to_end = Some(Instant::now());
            }
        }
    }
}
