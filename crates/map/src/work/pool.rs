//! The pool: assigns rows to threads and handles what they report.

use std::{
    collections::{BTreeMap, HashMap},
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
    open_batches::{BatchUse, RowBatches},
    remote_rows::RemoteRows,
    row::RowContext,
    row_threads::start_threads,
    running_row::{RunningRow, used},
    target::Targets,
};
use crate::{
    batches::{BatchState, Batches, RemoteOptions},
    checked_rows::InvalidRowFault,
    convert::{EndOfRows, ReadInput},
    options::{AnswerSource, BatchOptions, MapListener, PoolOptions},
    progress::{EarlyEnd, Totals},
    results::{RowError, RowOutcome, UnitSink},
    row_set::RowSet,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{prompt::RunError, session::WatchedRun};
use lmthing_providers::Servers;
use lmthing_system::threads::ThreadPool;

const INVALID_ROW: &str = "the row does not fit what the file takes";

pub(super) const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// No further row begins while the rows under way have larger files: each takes several times its size of memory.
const MAX_FILES: u64 = 64 << 20;

/// How long running rows may take to end after an interrupt.
const END_TIMEOUT: Duration = Duration::from_millis(800);

pub(crate) struct RemainingRows {
    pub total: u64,
    pub reused: u64,
    pub todo: RowSet,
    pub invalid: BTreeMap<u64, InvalidRowFault>,
    pub invalid_rows: RowSet,
    /// Whether these are all rows of the input, not a sample.
    pub is_whole: bool,
}

/// What a pool has to do.
pub(crate) struct Work {
    /// Of all units, in the order of their numbers.
    pub inputs: Box<dyn Iterator<Item = ReadInput>>,
    pub targets: Targets,
    pub remaining: RemainingRows,
    pub batches: RowBatches,
    pub remote_rows: Option<RemoteRows>,
    /// What answers requests in place of models.
    pub answers: Option<Arc<dyn AnswerSource>>,
    /// Rate limits of providers that others may know already.
    pub servers: Arc<Servers>,
}

pub(crate) fn run(
    options: &Arc<PoolOptions>,
    work: Work,
    sink: Box<dyn UnitSink>,
    (sender, receiver): (Sender<Message>, Receiver<Message>),
    listener: &mut dyn MapListener,
) -> Result<Totals, Box<Diagnostic>> {
    let Work { inputs, targets, remaining, batches, remote_rows, answers, servers } = work;
    let context = Arc::new(RowContext {
        options: options.clone(),
        targets,
        servers,
        cache_scope: Events::new_name(),
        remote_rows,
        answers,
    });
    let (total, reused, todo) = (remaining.total, remaining.reused, remaining.todo.count());
    let mut counter = TotalsCounter::new(total, reused, todo, &targets_with_rows(&context.targets, &remaining));
    let threads = start_threads(&context, &sender)?;
    let (batches, left_rows) = match batches.0 {
        BatchUse::None => (None, None),
        BatchUse::Left { state, batches } => {
            counter.totals.batches = batches;
            (None, Some(state))
        }
        BatchUse::Used { state, has_earlier, options } => {
            context.options.limits.expect_batches(usize::try_from(todo).unwrap_or(usize::MAX));
            (Some(start_batches((state, has_earlier), options, &context, &sender)?), None)
        }
    };
    let mut pool = Pool {
        context,
        inputs,
        remaining,
        sink,
        _sender: sender,
        receiver,
        threads,
        running: HashMap::new(),
        retries: Vec::new(),
        row: 0,
        counter,
        batches,
        left_rows,
        takes_no_rows: false,
        early: None,
        end_requested_at: None,
        last_job: 0,
        stuck_since: None,
    };
    let ran = pool.run(listener).and_then(|()| pool.sink.finish(&mut |line| listener.result(line)));
    ran?;
    pool.end_batches(listener)?;
    Ok(Totals { early: pool.early, ..pool.counter.totals })
}

/// Of each target, whether rows of it are run.
fn targets_with_rows(targets: &Targets, remaining: &RemainingRows) -> Vec<bool> {
    let mut have_rows = vec![false; targets.count()];
    for row in (1..=remaining.total).filter(|row| remaining.todo.contains(*row)) {
        have_rows[targets.index(row)] = true;
        if have_rows.iter().all(|has_rows| *has_rows) {
            break;
        }
    }
    have_rows
}

fn start_batches(
    state: (BatchState, bool),
    options: BatchOptions,
    context: &RowContext,
    sender: &Sender<Message>,
) -> Result<Batches, Box<Diagnostic>> {
    let remote = RemoteOptions {
        variables: context.options.variables.clone(),
        servers: context.servers.clone(),
        state: state.0.path().to_owned(),
        name: state.0.name().to_owned(),
        poll: options.poll,
    };
    let sender = sender.clone();
    let report = move |report| drop(sender.send(Message::Batch(Box::new(report))));
    let limits = context.options.limits.limits();
    let estimates_costs = limits.cost.is_some() || limits.tokens.is_some();
    Batches::start(state, &options, remote, estimates_costs, report)
}

pub(super) struct Pool {
    pub(super) context: Arc<RowContext>,
    inputs: Box<dyn Iterator<Item = ReadInput>>,
    pub(super) remaining: RemainingRows,
    pub(super) sink: Box<dyn UnitSink>,
    _sender: Sender<Message>,
    pub(super) receiver: Receiver<Message>,
    pub(super) threads: ThreadPool<Job>,
    pub(super) running: HashMap<u64, RunningRow>,
    pub(super) retries: Vec<(Instant, RunningRow)>,
    pub(super) row: u64,
    pub(super) counter: TotalsCounter,
    /// Rows that wait for batches, if they do.
    pub(super) batches: Option<Batches>,
    /// Rows that are left to a command with batches.
    pub(super) left_rows: Option<BatchState>,
    /// Whether a limit allows no further rows.
    pub(super) takes_no_rows: bool,
    pub(super) early: Option<EarlyEnd>,
    pub(super) end_requested_at: Option<Instant>,
    pub(super) last_job: u64,
    /// Since when all running rows are on blocked threads.
    pub(super) stuck_since: Option<Instant>,
}

impl Pool {
    fn run(&mut self, listener: &mut dyn MapListener) -> Result<(), Box<Diagnostic>> {
        loop {
            let is_all_begun = self.begin_rows(listener)?;
            let is_waiting = !self.retries.is_empty() && self.early.is_none();
            let is_last = is_all_begun && self.running.is_empty() && !is_waiting;
            self.advance_batches(is_last, listener)?;
            if self.running.is_empty()
                && !is_waiting
                && (is_all_begun || self.early.is_some())
                && !self.awaits_batches()
            {
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
        let has_room =
            |running: &HashMap<u64, RunningRow>| running.values().map(|row| row.files).sum::<u64>() < MAX_FILES;
        while self.running.len() < self.context.options.jobs.get() && has_room(&self.running) {
            if self.early.is_some() {
                return Ok(false);
            }
            if self.start_ready_row()? {
                continue;
            }
            // Then only rows whose answers are there are run.
            let is_ending = self.batches_have_failed();
            if let Some(row) = (!is_ending).then(|| self.take_due_retry()).flatten() {
                if self.limits_are_used_up() {
                    return Ok(false);
                }
                self.start(row)?;
                continue;
            }
            let Some(input) = self.inputs.next() else { return Ok(true) };
            self.row += 1;
            if !self.remaining.todo.contains(self.row) || self.is_left_to_batches(&input)? {
                continue;
            }
            let is_stored = self.is_stored(&input)?;
            let is_ending = is_ending || self.takes_no_rows;
            if is_stored || !is_ending {
                self.sink.begin(self.row);
            }
            if is_stored || is_ending {
                continue;
            }
            let wrong = self.remaining.invalid_rows.contains(self.row);
            match input {
                Ok(Ok(_)) if !wrong && self.limits_are_used_up() => return Ok(false),
                Ok(Ok(input)) if !wrong => self.start_new(RunningRow::new(self.row, input))?,
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
        let reached = self.context.remote_rows.as_ref().and_then(|_| self.context.options.limits.blocking_limit());
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

    pub(super) fn start(&mut self, mut row: RunningRow) -> Result<(), Box<Diagnostic>> {
        row.watched = WatchedRun::default();
        if self.context.remote_rows.is_none() {
            let target = self.context.targets.of(row.row);
            row.files = target.files.size(&target.taken.declaration, &row.input);
        }
        let (input, watched) = (row.input.clone(), row.watched.clone());
        let batch = self.batch_job(&row)?;
        let job = Job { row: row.row, input, attempt: row.attempt, remote_attempt: row.remote_attempt, batch, watched };
        self.last_job += 1;
        row.job = self.last_job;
        self.threads.run(row.job, job);
        self.running.insert(row.row, row);
        Ok(())
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
            Message::Batch(report) => return self.handle_batch(*report, listener),
            Message::Entry { row, attempt, entry } => return self.store_entry(row, attempt, entry),
            Message::Suspended { row, attempt, suspension } => return self.suspend(row, attempt, suspension),
            Message::Ended { row, attempt, outcome } => {
                // A thread that was replaced may still finish its row.
                let is_it = self.running.get(&row).is_some_and(|running| running.attempt == attempt);
                if let Some(running) = is_it.then(|| self.running.remove(&row)).flatten() {
                    if running.batched.is_none() {
                        self.counter.used(&outcome);
                    }
                    if self.context.remote_rows.is_some() {
                        self.context.options.limits.add(used(&outcome));
                    }
                    return self.attempt_ended(running, *outcome, listener);
                }
            }
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
            && let Some(reached) = self.context.options.limits.reached()
        {
            self.limit_reached(reached);
            // Remote rows continue on the server, so there is nothing to wait for.
            if self.context.remote_rows.is_some() {
                self.end_requested_at = Some(Instant::now());
            }
        }
    }
}
