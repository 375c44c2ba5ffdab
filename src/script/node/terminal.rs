//! The terminal: raw mode, size, and whether the input is one.

use rquickjs::{Ctx, Function, Object, Result};

use crate::script::host::host;

/// Adds `stdinIsTerminal()`, `setRawMode(on)` and `windowSize()`.
pub(super) fn exports<'js>(exports: &Object<'js>) -> Result<()> {
    let ctx: &Ctx<'js> = exports.ctx();
    exports.set("stdinIsTerminal", Function::new(ctx.clone(), stdin_is_terminal)?)?;
    let raw_mode = |ctx: Ctx<'js>, raw: bool| has_stdin(&ctx) && set_raw_mode(raw);
    exports.set("setRawMode", Function::new(ctx.clone(), raw_mode)?)?;
    // windowSize(): [columns, rows], or nothing without a terminal.
    exports.set("windowSize", Function::new(ctx.clone(), window_size)?)
}

fn stdin_is_terminal(ctx: Ctx<'_>) -> bool {
    has_stdin(&ctx) && std::io::IsTerminal::is_terminal(&std::io::stdin())
}

/// Whether the input is the script's.
fn has_stdin(ctx: &Ctx<'_>) -> bool {
    host(ctx).is_ok_and(|host| host.has_stdin())
}

fn window_size() -> Option<Vec<u16>> {
    let (rows, columns) = console::Term::stdout().size_checked()?;
    Some(vec![columns, rows])
}

#[cfg(unix)]
pub(crate) use unix::restore as restore_terminal;
#[cfg(unix)]
use unix::set_raw_mode;

#[cfg(unix)]
mod unix {
    use std::sync::{Mutex, PoisonError};

    use rustix::termios::{LocalModes, OptionalActions, OutputModes, Termios, tcgetattr, tcsetattr};

    /// How the terminal was before a script took its input raw. Of the process: however that ends, it has to be put back.
    static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

    /// Has keys arrive as they are pressed, Ctrl-C included, and not shown; or as lines again. Says whether it could.
    pub(super) fn set_raw_mode(raw: bool) -> bool {
        if !raw {
            restore();
            return true;
        }
        let stdin = std::io::stdin();
        let Ok(now) = tcgetattr(&stdin) else { return false };
        let mut changed = now.clone();
        BEFORE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(now);
        changed.make_raw();
        // What programs print still begins at the left edge.
        changed.output_modes.insert(OutputModes::OPOST | OutputModes::ONLCR);
        changed.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Drain, &changed).is_ok()
    }

    /// Puts the terminal back as it was. Call it last.
    pub(crate) fn restore() {
        let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(before) = before {
            // Without a terminal there is nothing to put back.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &before);
        }
    }
}

#[cfg(not(unix))]
fn set_raw_mode(_raw: bool) -> bool {
    false
}

/// Elsewhere raw mode is not offered.
#[cfg(not(unix))]
pub(crate) fn restore_terminal() {}
