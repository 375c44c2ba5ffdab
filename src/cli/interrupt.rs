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
    time::Duration,
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

/// The signal that a run was asked to end for; 0 while there is none.
static ASKED: AtomicI32 = AtomicI32::new(0);

/// What both threads know of the end.
static END: Mutex<End> = Mutex::new(End { listener: None, is_noticed: false, is_over: false });

/// Tells the thread of the signals that something in `END` is new.
static CHANGED: Condvar = Condvar::new();

struct End {
    listener: Option<UnboundedSender<i32>>,
    is_noticed: bool,
    is_over: bool,
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
        let mut unheard = signals.forever().filter(|signal| !script::take_signal(*signal));
        let ends = |signal: &i32| {
            // What a script has listened to once and does not any more does what it would have done without us.
            ENDING.contains(signal) || low_level::emulate_default_handler(*signal).is_err()
        };
        if let Some(signal) = unheard.find(ends) {
            ask_to_end(signal);
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

/// Lets the run end by itself, for as long as that may take. A run that does so ends the process.
#[cfg(unix)]
fn ask_to_end(signal: i32) {
    let Some(listener) = end().listener.clone() else { return };
    ASKED.store(signal, Ordering::Relaxed);
    let is_heard = listener.send(signal).is_ok();
    let wait = |time: Duration| {
        let waited = CHANGED.wait_timeout_while(end(), time, |end| is_heard && !end.is_noticed && !end.is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_noticed
    };
    // A child process that is waited for holds the thread of the run.
    let is_noticed = wait(NOTICE) || {
        script::end_children();
        wait(NOTICE)
    };
    if is_noticed {
        let waited = CHANGED.wait_timeout_while(end(), FAREWELL, |end| !end.is_over);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
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
