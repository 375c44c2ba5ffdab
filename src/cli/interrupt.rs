//! Ctrl-C, and being asked to end or losing the terminal (docs/reference.md, "The command line"). Must not know what
//! runs.
//!
//! Signals arrive on a thread of their own. A run whose last words somebody waits for is asked to end and has a moment for
//! that; any other ends with the process at once.

use std::{
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI32, Ordering},
    },
    thread,
};

#[cfg(unix)]
use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[cfg(unix)]
use super::ExitCode;
#[cfg(unix)]
use crate::script;

/// How long a run has to take notice: somebody waits for the process to be gone.
#[cfg(unix)]
const NOTICE: Duration = Duration::from_millis(400);

/// How long it has to end once it has noticed.
#[cfg(unix)]
const FAREWELL: Duration = Duration::from_secs(2);

/// How often is looked whether the user asks again.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(20);

/// How long a second signal may be the first one, come another way: from the terminal, and from whoever watches the run.
#[cfg(unix)]
const SAME_SIGNAL: Duration = Duration::from_millis(150);

/// The signal that a run was asked to end for; 0 while there is none.
static ASKED: AtomicI32 = AtomicI32::new(0);

/// What both threads know of the end.
static END: Mutex<End> = Mutex::new(End { listener: None, is_noticed: false, is_over: false, takes_its_time: false });

/// Tells the thread of the signals that something in `END` is new.
static CHANGED: Condvar = Condvar::new();

struct End {
    listener: Option<UnboundedSender<i32>>,
    is_noticed: bool,
    is_over: bool,
    /// What is still to be written may be much.
    takes_its_time: bool,
}

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
pub fn on_interrupt(end_process: impl Fn(ExitCode) + Send + 'static) {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
        low_level,
    };
    // Without a handler the signals still end the process, only with a line left on the screen.
    const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
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
            script::restore_terminal();
            script::end_children();
            end_process(ExitCode::Interrupted(signal));
        }
    };
    // A thread of its own: a script that computes without end holds the event loop.
    let thread = std::thread::Builder::new().name("signals".into()).stack_size(128 << 10);
    let _ = thread.spawn(wait);
}

/// Elsewhere the system's own handling of Ctrl-C ends the process.
#[cfg(not(unix))]
pub fn on_interrupt(_end_process: impl Fn(super::ExitCode) + Send + 'static) {
    let _ = super::screen::leave;
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
