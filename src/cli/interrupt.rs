//! Ctrl-C, and being asked to end or losing the terminal (docs/reference.md, "The command line"). Must not know what
//! runs.

use std::io::{self, IsTerminal, Write};

use super::ExitCode;
use crate::script;

/// Has `end_process` called with exit code 130 as soon as the user interrupts. What was streamed is on stdout
/// already; only a progress line has to be taken off the screen.
#[cfg(unix)]
pub fn on_interrupt(end_process: impl Fn(ExitCode) + Send + 'static) {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
        low_level,
    };
    // Without a handler the signals still end the process, only with another code.
    const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
    let Ok(mut signals) = Signals::new(ENDING) else { return };
    let handle = signals.handle();
    script::receive_signals(move |signal| handle.add_signal(signal));
    let wait = move || {
        let mut unheard = signals.forever().filter(|signal| !script::take_signal(*signal));
        let ends = |signal: i32| {
            // What a script has listened to once and does not any more does what it would have done without us.
            ENDING.contains(&signal) || low_level::emulate_default_handler(signal).is_err()
        };
        if unheard.any(ends) {
            clear_line();
            script::restore_terminal();
            script::end_children();
            end_process(ExitCode::Interrupted);
        }
    };
    // A thread of its own: a script that computes without end holds the event loop.
    let thread = std::thread::Builder::new().name("signals".into()).stack_size(128 << 10);
    let _ = thread.spawn(wait);
}

/// Elsewhere the system's own handling of Ctrl-C ends the process.
#[cfg(not(unix))]
pub fn on_interrupt(_end_process: impl Fn(ExitCode) + Send + 'static) {
    let _ = clear_line;
}

fn clear_line() {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        // What cannot be written does not matter any more.
        let _ = stderr.write_all(b"\r\x1b[2K");
        let _ = stderr.flush();
    }
}
