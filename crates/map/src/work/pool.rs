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

use lmthing_base::event::Events;

use super::{
    counter::TotalsCounter,
    message::{Job, Message},
    remote_rows::RemoteRows,
    row::{RowContext, late_outcome, stuck_outcome},
    row_threads::{no_thread, start_threads},
    running_row::{RunningRow, used},
};
use crate::{
    checked_rows::InvalidRowFault,
    convert::{EndOfRows, Inputs},
    options::{MapListener, MapOptions},
    progress::{EarlyEnd, RowEnd, Totals},
    results::{RemoteAttempt, RowError, RowOutcome, Writer, to_line},
    row_set::RowSet,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{
    prompt::RunError,
    session::{CombinedLimits, LateRun, WatchedRun},
};
use lmthing_system::threads::ThreadPool;

const INVALID_ROW: &str = "the row does not fit what the file takes";

const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// How long a script may block its thread before other rows get another one. Scripts that can be interrupted are
/// interrupted earlier.
const BLOCKED_TIMEOUT: Duration = Duration::from_secs(15);

/// The same for a row that has passed a time limit.
const LATE_BLOCKED_TIMEOUT: Duration = Duration::from_millis(100);

/// How long running rows may take to end after an interrupt.
const END_TIMEOUT: Duration = Duration::from_millis(800);

/// How often a row is tried again that failed only because of rate limits.
const MAX_REFUSALS: u32 = 20;

const FIRST_RETRY_DELAY: Duration = Duration::from_millis(500);

pub(crate) struct RemainingRows {
    pub total: u64,
    pub reused: u64,
    pub todo: RowSet,
    pub invalid: BTreeMap<u64, InvalidRowFault>,
    pub invalid_rows: RowSet,
    /// Salt of idempotency keys, and hashes of the invocations that are already used.
    pub keys: (String, HashSet<u64>),
}

pub(crate) fn run(
    options: &Arc<MapOptions>,
    (inputs, mut remaining): (Inputs, RemainingRows),
    writer: Writer,
    (sender, receiver): (Sender<Message>, Receiver<Message>),
    listener: &mut dyn MapListener,
) -> Result<Totals, Box<Diagnostic>> {
    let (salt, taken) = std::mem::take(&mut remaining.keys);
    let context = Arc::new(RowContext {
        options: options.clone(),
        overall: CombinedLimits::new(options.limits),
        servers: Arc::default(),
        cache_scope: Events::new_name(),
        remote_rows: options.server.clone().map(|server| RemoteRows::new(server, salt, taken)),
        taken: inputs.converter.taken.clone(),
    });
    let counter = TotalsCounter::new(remaining.total, remaining.reused, remaining.todo.count());
    let threads = start_threads(&context, &sender)?;
    let mut pool = Pool {
        context,
        inputs,
        remaining,
        writer,
        _sender: sender,
        receiver,
        threads,
        running: HashMap::new(),
        retries: Vec::new(),
        row: 0,
        counter,
        early: None,
        end_requested_at: None,
        last_job: 0,
        stuck_since: None,
    };
    let ran = pool.run(listener).and_then(|()| pool.writer.finish(&mut |line| listener.result(line)));
    ran?;
    Ok(Totals { early: pool.early, ..pool.counter.totals })
}

struct Pool {
    context: Arc<RowContext>,
    inputs: Inputs,
    remaining: RemainingRows,
    writer: Writer,
    _sender: Sender<Message>,
    receiver: Receiver<Message>,
    threads: ThreadPool<Job>,
    running: HashMap<u64, RunningRow>,
    retries: Vec<(Instant, RunningRow)>,
    row: u64,
    counter: TotalsCounter,
    early: Option<EarlyEnd>,
    end_requested_at: Option<Instant>,
    last_job: u64,
    /// Since when all running rows are on blocked threads.
    stuck_since: Option<Instant>,
}

impl Pool {
    fn run(&mut self, listener: &mut dyn MapListener) -> Result<(), Box<Diagnostic>> {
        loop {
            let is_all_begun = self.begin_rows(listener)?;
            let is_waiting = !self.retries.is_empty() && self.early.is_none();
            if self.running.is_empty() && !is_waiting && (is_all_begun || self.early.is_some()) {
                return Ok(());
            }
            match self.receiver.recv_timeout(CHECK_INTERVAL) {
                Ok(message) => self.handle_message(message, listener)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("the pool has a sender itself"),
            }
            while let Ok(message) = self.receiver.try_recv() {
                self.handle_message(message, listener)?;
            }
            self.end_blocked_rows(listener)?;
            self.check_for_end(listener);
            listener.progress(self.counter.progress(self.running.len()));
            if self.end_requested_at.is_some_and(|asked| asked.elapsed() >= END_TIMEOUT) {
                return Ok(());
            }
        }
    }

    /// Starts rows until all threads are busy; returns whether there are no more rows.
    fn begin_rows(&mut self, listener: &mut dyn MapListener) -> Result<bool, Box<Diagnostic>> {
        while self.running.len() < self.context.options.jobs.get() {
            if self.early.is_some() {
                return Ok(false);
            }
            if let Some(row) = self.take_due_retry() {
                if self.limits_are_used_up() {
                    return Ok(false);
                }
                self.start(row);
                continue;
            }
            let Some(input) = self.inputs.next() else { return Ok(true) };
            self.row += 1;
            if !self.remaining.todo.contains(self.row) {
                continue;
            }
            self.writer.begin(self.row);
            let wrong = self.remaining.invalid_rows.contains(self.row);
            match input {
                Ok(Ok(_)) if !wrong && self.limits_are_used_up() => return Ok(false),
                Ok(Ok(input)) if !wrong => self.start(RunningRow::new(self.row, input)),
                Ok(Ok(input)) => self.write_invalid(input, None, listener)?,
                Ok(Err(wrong)) => self.write_invalid(wrong.row, Some(wrong.message), listener)?,
                Err(EndOfRows(why)) => {
                    return Err(Box::new(Diagnostic::new(format!("cannot read the rows any further: {why}"))));
                }
            }
        }
        Ok(false)
    }

    /// Whether the limits allow no further remote row. Local rows check the limits at every request.
    fn limits_are_used_up(&mut self) -> bool {
        let reached = self.context.remote_rows.as_ref().and_then(|_| self.context.overall.blocking_limit());
        if let Some(words) = reached {
            self.early = Some(EarlyEnd::Limit(words));
        }
        self.early.is_some()
    }

    fn take_due_retry(&mut self) -> Option<RunningRow> {
        let now = Instant::now();
        let due = self.retries.iter().position(|(due, _)| *due <= now)?;
        Some(self.retries.swap_remove(due).1)
    }

    fn start(&mut self, mut row: RunningRow) {
        row.watched = WatchedRun::default();
        let (input, watched) = (row.input.clone(), row.watched.clone());
        let job = Job { row: row.row, input, attempt: row.attempt, remote_attempt: row.remote_attempt, watched };
        self.last_job += 1;
        row.job = self.last_job;
        self.threads.run(row.job, job);
        self.running.insert(row.row, row);
    }

    fn write_invalid(
        &mut self,
        input: Map<String, Value>,
        message: Option<String>,
        listener: &mut dyn MapListener,
    ) -> Result<(), Box<Diagnostic>> {
        let known = self.remaining.invalid.remove(&self.row);
        let found = || InvalidRowFault { message: message.unwrap_or_else(|| INVALID_ROW.to_owned()), line: None };
        let InvalidRowFault { message, line } = known.unwrap_or_else(found);
        let failure = RowError::new(RunError::USAGE_EXIT_CODE, "input", message).in_row_line(line);
        let outcome = RowOutcome { failure: Some(failure), cost: Some(0.0), ..RowOutcome::default() };
        self.finish_row(RunningRow::new(self.row, input), outcome, listener)
    }

    fn handle_message(&mut self, message: Message, listener: &mut dyn MapListener) -> Result<(), Box<Diagnostic>> {
        match message {
            Message::Printed { row, text } => listener.printed(row, &text),
            Message::Warned { row, message } => listener.warned(row, &message),
            Message::Lost { row, error } => {
                // Not the row's fault: the next command requests it again.
                if self.running.remove(&row).is_some() {
                    self.early.get_or_insert(EarlyEnd::Lost(error));
                    self.end_requested_at.get_or_insert_with(Instant::now);
                }
            }
            Message::Ended { row, attempt, outcome } => {
                // A thread that was replaced may still finish its row.
                let is_it = self.running.get(&row).is_some_and(|running| running.attempt == attempt);
                if let Some(running) = is_it.then(|| self.running.remove(&row)).flatten() {
                    self.counter.used(&outcome);
                    if self.context.remote_rows.is_some() {
                        self.context.overall.add(used(&outcome));
                    }
                    return self.attempt_ended(running, *outcome, listener);
                }
            }
        }
        Ok(())
    }

    fn attempt_ended(
        &mut self,
        mut running: RunningRow,
        outcome: RowOutcome,
        listener: &mut dyn MapListener,
    ) -> Result<(), Box<Diagnostic>> {
        let Some(failure) = &outcome.failure else { return self.finish_row(running, outcome, listener) };
        if self.context.remote_rows.is_none()
            && failure.kind == "limit"
            && let Some(words) = self.context.overall.reached()
        {
            // Not the row's fault: the next command runs it.
            self.early.get_or_insert(EarlyEnd::Limit(words));
            return Ok(());
        }
        if let Some(words) = &outcome.long_wait {
            // The same for every row; the next command runs this one.
            self.early.get_or_insert_with(|| EarlyEnd::Errors(words.clone()));
            return Ok(());
        }
        if self.early.is_some() && self.end_requested_at.is_some() {
            return self.finish_row(running, outcome, listener);
        }
        let may_retry = match (outcome.is_refused, failure.kind.as_str()) {
            (true, _) => running.refusals < MAX_REFUSALS,
            (false, "usage" | "input" | "configuration") => false,
            (false, _) if outcome.is_hopeless => false,
            _ => running.failures < self.context.options.retries,
        };
        if !may_retry {
            return self.finish_row(running, outcome, listener);
        }
        listener.ended(&RowEnd {
            row: running.row,
            took: outcome.took,
            usage: outcome.usage,
            cost: outcome.cost,
            failure: Some(failure),
            will_retry: true,
        });
        let count = if outcome.is_refused { &mut running.refusals } else { &mut running.failures };
        *count += 1;
        // Failures of scripts are retried at once, failures of models with backoff.
        let wait = if failure.code == RunError::MODEL_EXIT_CODE {
            FIRST_RETRY_DELAY * 2_u32.pow((*count - 1).min(6))
        } else {
            Duration::ZERO
        };
        running.attempt += 1;
        running.remote_attempt = outcome
            .remote_attempt
            .map(|remote_attempt| RemoteAttempt { failures: remote_attempt.failures + 1, ..remote_attempt });
        running.add(&outcome);
        self.retries.push((Instant::now() + wait, running));
        Ok(())
    }

    fn finish_row(
        &mut self,
        running: RunningRow,
        mut outcome: RowOutcome,
        listener: &mut dyn MapListener,
    ) -> Result<(), Box<Diagnostic>> {
        outcome.usage = running.usage.plus(outcome.usage);
        outcome.cost = running.cost.zip(outcome.cost).map(|(before, cost)| before + cost);
        outcome.took += running.took;
        self.counter.ended(running.row, &outcome);
        listener.ended(&RowEnd {
            row: running.row,
            took: outcome.took,
            usage: outcome.usage,
            cost: outcome.cost,
            failure: outcome.failure.as_ref(),
            will_retry: false,
        });
        let line = to_line(running.row, &running.input, &outcome);
        let written = self.writer.write(running.row, &line, &mut |line| listener.result(line));
        self.written(written)?;
        if self.early.is_none() {
            self.early = self.counter.early_end(&self.context.options);
        }
        Ok(())
    }

    fn written(&self, written: io::Result<()>) -> Result<(), Box<Diagnostic>> {
        written.map_err(|error| self.writer.failed(&error))
    }

    /// Ends rows past their own time limit, even if their thread is still blocked, and frees the rows that wait for a
    /// blocked thread without having begun. Rows that have begun are never begun again: their requests were paid.
    fn end_blocked_rows(&mut self, listener: &mut dyn MapListener) -> Result<(), Box<Diagnostic>> {
        let is_late = |row: &RunningRow| Some((row.job, (row.row, row.watched.late()?)));
        let late: HashMap<u64, (u64, LateRun)> = self.running.values().filter_map(is_late).collect();
        let patience = |job| if late.contains_key(&job) { LATE_BLOCKED_TIMEOUT } else { BLOCKED_TIMEOUT };
        let blocking = self.threads.relieve(patience).map_err(|error| no_thread(&error))?;
        for running in self.running.values().filter(|row| blocking.contains(&row.job) && !late.contains_key(&row.job)) {
            let seconds = BLOCKED_TIMEOUT.as_secs();
            let message = format!("the script has held its thread for {seconds} s; config.limits.time ends such a row");
            listener.warned(Some(running.row), &message);
        }
        for (row, late) in late.into_values() {
            if let Some(running) = self.running.remove(&row) {
                self.attempt_ended(running, late_outcome(late), listener)?;
            }
        }
        self.give_up_stuck_rows(listener)
    }

    /// Ends rows on blocked threads when nothing else has run for a while: they may never end.
    fn give_up_stuck_rows(&mut self, listener: &mut dyn MapListener) -> Result<(), Box<Diagnostic>> {
        let blocked: HashSet<u64> = self.threads.blocked_jobs(CHECK_INTERVAL).iter().map(|job| job.number).collect();
        if self.running.is_empty() || !self.running.values().all(|row| blocked.contains(&row.job)) {
            self.stuck_since = None;
            return Ok(());
        }
        if self.stuck_since.get_or_insert_with(Instant::now).elapsed() < BLOCKED_TIMEOUT {
            return Ok(());
        }
        for (_, running) in std::mem::take(&mut self.running) {
            // It must not go on when its thread is free again: the next command may run it.
            let outcome = stuck_outcome(running.watched.expire());
            self.attempt_ended(running, outcome, listener)?;
        }
        Ok(())
    }

    fn check_for_end(&mut self, listener: &mut dyn MapListener) {
        if let Some(signal) = listener.interrupted() {
            self.early = Some(EarlyEnd::Interrupted(signal));
            self.end_requested_at.get_or_insert_with(Instant::now);
        }
        if listener.is_unread() && self.early.is_none() {
            self.early = Some(EarlyEnd::Unread);
            self.end_requested_at = Some(Instant::now());
        }
        if self.early.is_none()
            && let Some(words) = self.context.overall.reached()
        {
            self.early = Some(EarlyEnd::Limit(words));
            // Remote rows continue on the server, so there is nothing to wait for.
            if self.context.remote_rows.is_some() {
                self.end_requested_at = Some(Instant::now());
            }
        }
    }
}
