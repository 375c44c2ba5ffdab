//! Ctrl-C, and being asked to end or losing the terminal (docs/reference.md, "The command line"). Must not know what
//! runs.

#[cfg(unix)]
use std::io::{self, IsTerminal, Write};

use super::ExitCode;
use crate::script;

/// Has `end_process` called with the exit code of the signal as soon as the user interrupts. What was streamed is on
/// stdout already; only a progress line has to be taken off the screen.
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
pub fn on_interrupt(_end_process: impl Fn(ExitCode) + Send + 'static) {
    let _ = super::screen::leave;
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
