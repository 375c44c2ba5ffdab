//! Ending the process from other threads than that of the run: at Ctrl-C, when it is asked to end or loses the terminal
//! (docs/reference.md, "The command line"), and when the run has passed its limit on time and is stuck in native work, which nothing
//! interrupts.
//!
//! Signals arrive on a thread of their own. A run with `-f json` or `-f events` is asked to end and gets some time to print its result;
//! any other ends with the process at once. The clock of a run with a limit is watched by another thread.

use std::{
    sync::{
        Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicI32, Ordering},
        mpsc::channel,
    },
    thread,
    time::{Duration, Instant},
};

#[cfg(unix)]
use std::io::{self, IsTerminal, Write};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{ExitCode, end_report::EndReport, failure::Ending};
use crate::{
    diagnostic::Diagnostic,
    script,
    session::{LATENESS, RunClock},
};

/// How long a run has to take notice: somebody waits for the process to be gone.
#[cfg(unix)]
const NOTICE: Duration = Duration::from_millis(400);

/// How long it has to end once it has noticed.
#[cfg(unix)]
const FAREWELL: Duration = Duration::from_secs(2);

/// How long reporting the end of a run may take: standard output may be a full pipe.
const REPORT_TIME: Duration = Duration::from_millis(150);

/// How long a run that is over may take until it reports its end: its servers are closed first.
const CLOSE_TIME: Duration = Duration::from_secs(3);

/// How long the report of a run that is over may take at least, when the run has used up its time.
const READ_TIME: Duration = Duration::from_secs(1);

/// How often is looked whether the user asks again.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(20);

/// How long a second signal may be the first one, come another way: from the terminal, and from whoever watches the run.
#[cfg(unix)]
const SAME_SIGNAL: Duration = Duration::from_millis(150);

/// The signal that a run was asked to end for; 0 while there is none.
static ASKED: AtomicI32 = AtomicI32::new(0);

/// What all these threads know of the end.
static END: Mutex<End> = Mutex::new(End {
    listener: None,
    is_noticed: false,
    reported: None,
    is_written: false,
    is_over: false,
    takes_its_time: false,
});

/// Notified when something in `END` has changed.
static CHANGED: Condvar = Condvar::new();

struct End {
    listener: Option<UnboundedSender<i32>>,
    is_noticed: bool,
    /// One thread reports the end of the run, with this exit code; no other does.
    reported: Option<ExitCode>,
    /// The report is on standard output.
    is_written: bool,
    is_over: bool,
    /// What is still to be written may be much.
    takes_its_time: bool,
}

/// What ends the process.
static END_PROCESS: OnceLock<Box<dyn Fn(ExitCode) + Send + Sync>> = OnceLock::new();

fn end() -> MutexGuard<'static, End> {
    END.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a run that has something to say at its end hears of signals through.
pub(super) struct Interrupts(UnboundedReceiver<i32>);

impl Interrupts {
    /// From now on a signal waits for the end of the run.
    pub(super) fn listen() -> Self {
        let (sender, receiver) = unbounded_channel();
        end().listener = Some(sender);
        Interrupts(receiver)
    }

    /// The end may take as long as it takes, unless somebody asks again.
    pub(super) fn take_time(&self) {
        end().takes_its_time = true;
    }

    /// The run is over and says so: a signal is too late to break it off.
    pub(super) fn disregard(&self) {
        end().is_noticed = true;
    }

    /// The signal that is to end the run, if it has come, for whoever looks now and then.
    pub(super) fn heard(&mut self) -> Option<i32> {
        let signal = self.0.try_recv().ok()?;
        end().is_noticed = true;
        CHANGED.notify_all();
        Some(signal)
    }

    /// The signal that is to end the run.
    pub(super) async fn next(&mut self) -> i32 {
        match self.0.recv().await {
            Some(signal) => {
                end().is_noticed = true;
                CHANGED.notify_all();
                signal
            }
            None => std::future::pending().await,
        }
    }
}

/// The signal that is to end the run, for whoever cannot wait for [`Interrupts::next`].
pub(super) fn asked_to_end() -> Option<i32> {
    Some(ASKED.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
}

/// Called by the run's thread before it reports the end. Does not return if another thread reports it.
pub(super) fn claim_report_or_wait(code: ExitCode) {
    if claim_report(code).is_err() {
        wait_for_end();
    }
}

/// Makes this thread the one that reports the end of the run.
///
/// # Errors
/// Another thread does, with this exit code.
fn claim_report(code: ExitCode) -> Result<(), ExitCode> {
    let mut end = end();
    if let Some(other) = end.reported {
        return Err(other);
    }
    end.reported = Some(code);
    CHANGED.notify_all();
    Ok(())
}

/// The run's thread has written its report to standard output: a time limit does not end the process any more.
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

/// Ends the process when the run, or reporting its end, takes too long.
fn watch(clock: &RunClock, report: EndReport) {
    let reached = clock.wait_until_late(LATENESS);
    let is_over = reached.is_none();
    if is_over && !wait_for_report(clock) {
        return;
    }
    let code = match claim_report(ExitCode::Limit) {
        Ok(()) => {
            let reached = reached.unwrap_or_else(|| clock.time_is_up());
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

/// Waits for as long as a run that is over may take to report its end. Whether it has taken longer; `false` without a limit on time.
fn wait_for_report(clock: &RunClock) -> bool {
    let Some(deadline) = clock.deadline() else { return false };
    drop(CHANGED.wait_timeout_while(end(), CLOSE_TIME, |end| end.reported.is_none()));
    let left = deadline.saturating_duration_since(Instant::now()).max(READ_TIME);
    let waited = CHANGED.wait_timeout_while(end(), left, |end| !end.is_written);
    !waited.unwrap_or_else(PoisonError::into_inner).0.is_written
}

/// Reports the end of the run. Does not wait longer than `REPORT_TIME` for a full pipe.
fn in_report_time(report: impl FnOnce() + Send + 'static) {
    let (sender, done) = channel::<()>();
    let work = move || {
        // Dropped when the report is written.
        let _sender = sender;
        report();
    };
    let _ = thread::Builder::new().name("report".into()).stack_size(1 << 20).spawn(work);
    let _ = done.recv_timeout(REPORT_TIME);
}

/// Ends the process.
fn end_now(code: ExitCode) {
    script::restore_terminal();
    script::end_children();
    if let Some(end_process) = END_PROCESS.get() {
        end_process(code);
    }
}

/// Everything is said: the thread of the signals ends the process.
pub(super) fn wait_for_end() -> ! {
    end().is_over = true;
    CHANGED.notify_all();
    loop {
        thread::park();
    }
}

/// Has `end_process` called with the exit code of the signal as soon as the user interrupts and the run has had its moment.
/// What was streamed is on stdout already; only a progress line has to be taken off the screen.
#[cfg(unix)]
pub fn on_interrupt(end_process: impl Fn(ExitCode) + Send + Sync + 'static) {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
        low_level,
    };
    // Without a handler the signals still end the process, only with a line left on the screen.
    const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
    // Only one is ever set.
    let _ = END_PROCESS.set(Box::new(end_process));
    let Ok(mut signals) = Signals::new(ENDING) else { return };
    let handle = signals.handle();
    script::receive_signals(move |signal| handle.add_signal(signal));
    let wait = move || {
        let ends = |signal: &i32| {
            // What a script has listened to once and does not any more does what it would have done without us.
            ENDING.contains(signal) || low_level::emulate_default_handler(*signal).is_err()
        };
        let unheard = |signal: &i32| !script::take_signal(*signal);
        let found = signals.forever().filter(unheard).find(ends);
        if let Some(signal) = found {
            ask_to_end(signal, &mut || signals.pending().any(|signal| ENDING.contains(&signal)));
            leave_screen();
            end_now(ExitCode::Interrupted(signal));
        }
    };
    // A thread of its own: a script that computes without end holds the event loop.
    let thread = std::thread::Builder::new().name("signals".into()).stack_size(128 << 10);
    let _ = thread.spawn(wait);
}

/// Elsewhere the system's own handling of Ctrl-C ends the process.
#[cfg(not(unix))]
pub fn on_interrupt(end_process: impl Fn(ExitCode) + Send + Sync + 'static) {
    // Only one is ever set.
    let _ = END_PROCESS.set(Box::new(end_process));
}

/// Lets the run end by itself, for as long as that may take, or until `is_asked_again` says that nobody wants to wait. A run that
/// does so ends the process.
#[cfg(unix)]
fn ask_to_end(signal: i32, is_asked_again: &mut dyn FnMut() -> bool) {
    let Some(listener) = end().listener.clone() else { return };
    ASKED.store(signal, Ordering::Relaxed);
    let is_heard = listener.send(signal).is_ok();
    let asked = Instant::now();
    let mut wait_while = |time: Duration, goes_on: fn(&End) -> bool| {
        let begun = Instant::now();
        loop {
            let waited = CHANGED.wait_timeout_while(end(), LOOK, |end| is_heard && goes_on(end));
            let (end, result) = waited.unwrap_or_else(PoisonError::into_inner);
            let is_again = asked.elapsed() > SAME_SIGNAL && is_asked_again();
            if !result.timed_out() || is_again || begun.elapsed() >= time {
                return end.is_noticed && !is_again;
            }
        }
    };
    // A child process that is waited for holds the thread of the run.
    let is_noticed = wait_while(NOTICE, |end| !end.is_noticed && !end.is_over) || {
        script::end_children();
        wait_while(NOTICE, |end| !end.is_noticed && !end.is_over)
    };
    if is_noticed {
        let farewell = if end().takes_its_time { Duration::MAX } else { FAREWELL };
        wait_while(farewell, |end| !end.is_over);
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
        // What cannot be written does not matter any more.
        let _ = stderr.write_all(sequence.as_bytes());
        let _ = stderr.flush();
    }
}
