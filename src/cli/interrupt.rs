//! Ends the process from other threads than the run's: on Ctrl-C, SIGTERM and SIGHUP
//! (docs/reference/command-line.md), and when a run has passed its time limit while native work blocks its thread.
//!
//! A thread receives signals. A run is asked to end, and gets some time to print its result, to store its end in the
//! journal and to send its spans; a command that does not listen ends with the process at once. Another thread watches
//! the clock of a run with a time limit.

use std::{
    sync::{
        Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicI32, Ordering},
        mpsc,
    },
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

#[cfg(unix)]
use std::io::{self, IsTerminal, Write};

use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, UnboundedSender, channel, unbounded_channel};

use super::{ExitCode, end_report::EndReport, failure::Ending};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::session::{LATENESS, RunClock};
use lmthing_node as script;

/// How long a run may take to notice the request. Short, as the user waits for the process to end.
#[cfg(unix)]
const NOTICE_TIME: Duration = Duration::from_millis(400);

/// How long it may take to end after that.
#[cfg(unix)]
const END_TIME: Duration = Duration::from_secs(2);

/// How long writing a report may take, as standard output may be a full pipe.
const REPORT_TIME: Duration = Duration::from_millis(150);

/// How long a finished run may take to report its end. It closes its servers first.
const CLOSE_TIME: Duration = Duration::from_secs(3);

/// Shortest time for the report of a finished run that has used up its time limit.
const READ_TIME: Duration = Duration::from_secs(1);

#[cfg(unix)]
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Within this time a second signal is the same one, sent by the terminal and by a parent process.
#[cfg(unix)]
const SAME_SIGNAL: Duration = Duration::from_millis(150);

/// The signal after which the run was requested to end; 0 if there is none.
static REQUESTED_SIGNAL: AtomicI32 = AtomicI32::new(0);

static END: Mutex<End> = Mutex::new(End {
    listener: None,
    is_noticed: false,
    reported: None,
    is_written: false,
    is_over: false,
    may_take_long: false,
});

/// Where Ctrl-C goes while the user of a conversation may stop an answer with it.
static DIVERTED: Mutex<Option<Sender<()>>> = Mutex::new(None);

static CHANGED: Condvar = Condvar::new();

struct End {
    listener: Option<UnboundedSender<i32>>,
    is_noticed: bool,
    /// The exit code of the thread that reports the end of the run.
    reported: Option<ExitCode>,
    is_written: bool,
    is_over: bool,
    may_take_long: bool,
}

static END_PROCESS: OnceLock<Box<dyn Fn(ExitCode) + Send + Sync>> = OnceLock::new();

fn end() -> MutexGuard<'static, End> {
    END.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) struct Interrupts(UnboundedReceiver<i32>);

impl Interrupts {
    /// From now on a signal waits for the end of the run.
    pub(super) fn listen() -> Self {
        let (sender, receiver) = unbounded_channel();
        end().listener = Some(sender);
        Interrupts(receiver)
    }

    /// Allows the end to take any time, until the next signal.
    pub(super) fn allow_slow_end(&self) {
        end().may_take_long = true;
    }

    /// Called when the run reports its end: later signals do not interrupt it.
    pub(super) fn ignore(&self) {
        end().is_noticed = true;
    }

    /// Does not wait.
    pub(super) fn try_next(&mut self) -> Option<i32> {
        let signal = self.0.try_recv().ok()?;
        notice();
        Some(signal)
    }

    /// Blocks the thread until there is a signal.
    pub(super) fn wait(mut self) {
        let _ = self.0.blocking_recv();
        notice();
    }

    pub(super) async fn next(&mut self) -> i32 {
        match self.0.recv().await {
            Some(signal) => {
                notice();
                signal
            }
            None => std::future::pending().await,
        }
    }
}

/// Receives Ctrl-C in place of the end of the process, until it is dropped. While one is not received yet, another one
/// ends the process.
pub(super) struct CtrlC(Receiver<()>);

impl CtrlC {
    pub(super) fn divert() -> Self {
        let (sender, receiver) = channel(1);
        *diverted() = Some(sender);
        CtrlC(receiver)
    }

    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match self.0.poll_recv(context) {
            Poll::Ready(Some(())) => Poll::Ready(()),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }

    /// Forgets one that was for something that is over.
    pub(super) fn discard(&mut self) {
        while self.0.try_recv().is_ok() {}
    }
}

impl Drop for CtrlC {
    fn drop(&mut self) {
        diverted().take();
    }
}

fn diverted() -> MutexGuard<'static, Option<Sender<()>>> {
    DIVERTED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
fn divert(signal: i32) -> bool {
    signal == signal_hook::consts::SIGINT && diverted().as_ref().is_some_and(|sender| sender.try_send(()).is_ok())
}

fn notice() {
    end().is_noticed = true;
    CHANGED.notify_all();
}

/// For code that has no [`Interrupts`].
pub(super) fn requested_signal() -> Option<i32> {
    Some(REQUESTED_SIGNAL.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
}

/// Called by the run's thread before it reports the end. Does not return if another thread reports it.
pub(super) fn claim_report_or_wait(code: ExitCode) {
    if claim_report(code).is_err() {
        wait_for_end();
    }
}

/// Makes this thread the one that reports the end of the run. Fails with the exit code of the thread that does it
/// already.
fn claim_report(code: ExitCode) -> Result<(), ExitCode> {
    let mut end = end();
    if let Some(other) = end.reported {
        return Err(other);
    }
    end.reported = Some(code);
    CHANGED.notify_all();
    Ok(())
}

/// Called when the report is on standard output: a time limit does not end the process any more.
pub(super) fn report_written() {
    end().is_written = true;
    CHANGED.notify_all();
}

/// Ends the process when the run is late by its clock and its own thread does not end it.
pub(super) fn end_when_late(clock: &RunClock, report: EndReport) {
    let watched = clock.clone();
    clock.when_limited(move || {
        // Without a thread the run still ends wherever it can be interrupted.
        let _ = thread::Builder::new().name("clock".into()).stack_size(1 << 20).spawn(move || watch(&watched, report));
    });
}

fn watch(clock: &RunClock, report: EndReport) {
    let reached = clock.wait_until_late(LATENESS);
    let is_over = reached.is_none();
    if is_over && !wait_for_report(clock) {
        return;
    }
    let code = match claim_report(ExitCode::Limit) {
        Ok(()) => {
            let reached = reached.unwrap_or_else(|| clock.time_limit_reached());
            in_report_time(move || report.write(&Ending::of_limit(reached), leave_screen));
            ExitCode::Limit
        }
        Err(code) if is_over => {
            let error =
                "the time limit was reached while the end of the run was reported: the output may be incomplete";
            in_report_time(move || report.write_error(&Diagnostic::new(error)));
            code
        }
        // A signal ends the run.
        Err(_) => return,
    };
    end_now(code);
}

/// Waits until a finished run has reported its end. Returns whether its time is up; `false` without a time limit.
fn wait_for_report(clock: &RunClock) -> bool {
    let Some(deadline) = clock.deadline() else { return false };
    drop(CHANGED.wait_timeout_while(end(), CLOSE_TIME, |end| end.reported.is_none()));
    let left = deadline.saturating_duration_since(Instant::now()).max(READ_TIME);
    let waited = CHANGED.wait_timeout_while(end(), left, |end| !end.is_written);
    !waited.unwrap_or_else(PoisonError::into_inner).0.is_written
}

/// Writes a report. Does not wait longer than `REPORT_TIME` for a full pipe.
fn in_report_time(report: impl FnOnce() + Send + 'static) {
    let (sender, done) = mpsc::channel::<()>();
    let work = move || {
        // Dropped when the report is written.
        let _sender = sender;
        report();
    };
    let _ = thread::Builder::new().name("report".into()).stack_size(1 << 20).spawn(work);
    let _ = done.recv_timeout(REPORT_TIME);
}

fn end_now(code: ExitCode) {
    script::restore_terminal();
    script::end_children();
    if let Some(end_process) = END_PROCESS.get() {
        end_process(code);
    }
}

/// Does not return.
pub(super) fn wait_for_end() -> ! {
    end().is_over = true;
    CHANGED.notify_all();
    loop {
        thread::park();
    }
}

/// Installs the signal handlers. After a signal, `end_process` is called with its exit code as soon as the run has
/// ended or its time is up. Streamed text is on stdout already, so only the progress line is removed.
#[cfg(unix)]
pub fn on_interrupt(end_process: impl Fn(ExitCode) + Send + Sync + 'static) {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
        low_level,
    };
    const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
    let _ = END_PROCESS.set(Box::new(end_process));
    let Ok(mut signals) = Signals::new(ENDING) else { return };
    let handle = signals.handle();
    script::receive_signals(move |signal| handle.add_signal(signal));
    let wait = move || {
        let ends = |signal: &i32| {
            // A signal that a script no longer listens to gets its default action.
            ENDING.contains(signal) || low_level::emulate_default_handler(*signal).is_err()
        };
        let is_unhandled = |signal: &i32| !script::take_signal(*signal) && !divert(*signal);
        let found = signals.forever().filter(is_unhandled).find(ends);
        if let Some(signal) = found {
            ask_to_end(signal, &mut || signals.pending().any(|signal| ENDING.contains(&signal)));
            leave_screen();
            end_now(ExitCode::Interrupted(signal));
        }
    };
    // On its own thread, as a script in an endless loop blocks the event loop.
    let thread = std::thread::Builder::new().name("signals".into()).stack_size(128 << 10);
    let _ = thread.spawn(wait);
}

/// On other systems Ctrl-C is handled by the system.
#[cfg(not(unix))]
pub fn on_interrupt(end_process: impl Fn(ExitCode) + Send + Sync + 'static) {
    let _ = END_PROCESS.set(Box::new(end_process));
}

/// Waits until the run ends by itself, its time is up or `is_asked_again` returns true. A run that ends by itself ends
/// the process.
#[cfg(unix)]
fn ask_to_end(signal: i32, is_asked_again: &mut dyn FnMut() -> bool) {
    let Some(listener) = end().listener.clone() else { return };
    REQUESTED_SIGNAL.store(signal, Ordering::Relaxed);
    let is_sent = listener.send(signal).is_ok();
    let asked = Instant::now();
    let mut wait_while = |time: Duration, goes_on: fn(&End) -> bool| {
        let begun = Instant::now();
        loop {
            let waited = CHANGED.wait_timeout_while(end(), POLL_INTERVAL, |end| is_sent && goes_on(end));
            let (end, result) = waited.unwrap_or_else(PoisonError::into_inner);
            // Those of the first moment are taken out as well, so that they do not count later.
            let is_again = is_asked_again() && asked.elapsed() > SAME_SIGNAL;
            if !result.timed_out() || is_again || begun.elapsed() >= time {
                return end.is_noticed && !is_again;
            }
        }
    };
    // A child process that the run waits for blocks its thread.
    let is_noticed = wait_while(NOTICE_TIME, |end| !end.is_noticed && !end.is_over) || {
        script::end_children();
        wait_while(NOTICE_TIME, |end| !end.is_noticed && !end.is_over)
    };
    if is_noticed {
        let end_time = if end().may_take_long { Duration::MAX } else { END_TIME };
        wait_while(end_time, |end| !end.is_over);
    }
}

#[cfg(not(unix))]
fn leave_screen() {
    let _ = super::screen::leave();
}

#[cfg(unix)]
fn leave_screen() {
    let sequence = super::screen::leave();
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        let _ = stderr.write_all(sequence.as_bytes());
        let _ = stderr.flush();
    }
    super::screen::end_pastes();
}
