//! Raw mode and size of the terminal.

use rquickjs::{Ctx, Function, Object, Result};

use crate::host::host;

/// Adds `stdinIsTerminal()`, `setRawMode(on)` and `windowSize()`.
pub(super) fn exports<'js>(exports: &Object<'js>) -> Result<()> {
    let ctx: &Ctx<'js> = exports.ctx();
    exports.set("stdinIsTerminal", Function::new(ctx.clone(), stdin_is_terminal)?)?;
    let raw_mode = |ctx: Ctx<'js>, raw: bool| has_stdin(&ctx) && set_raw_mode(raw);
    exports.set("setRawMode", Function::new(ctx.clone(), raw_mode)?)?;
    // windowSize(): [columns, rows], or undefined without a terminal.
    exports.set("windowSize", Function::new(ctx.clone(), window_size)?)
}

fn stdin_is_terminal(ctx: Ctx<'_>) -> bool {
    has_stdin(&ctx) && std::io::IsTerminal::is_terminal(&std::io::stdin())
}

fn has_stdin(ctx: &Ctx<'_>) -> bool {
    host(ctx).is_ok_and(|host| host.has_stdin())
}

fn window_size() -> Option<Vec<u16>> {
    let (rows, columns) = console::Term::stdout().size_checked()?;
    Some(vec![columns, rows])
}

#[cfg(unix)]
use unix::set_raw_mode;
#[cfg(unix)]
pub use unix::{keep_typed_keys, restore as restore_terminal};

#[cfg(unix)]
mod unix {
    use std::sync::{Mutex, PoisonError};

    use rustix::termios::{
        InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
    };

    /// The settings before raw mode, global because they must be restored however the process ends.
    static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

    /// Delivers keys unechoed as they are pressed, Ctrl-C included, or restores line input. Returns whether it
    /// succeeded.
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
        // Keeps output processing on, so that a newline still returns the cursor to the left edge.
        changed.output_modes.insert(OutputModes::OPOST | OutputModes::ONLCR);
        changed.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Drain, &changed).is_ok()
    }

    /// From now on keys stay unread and unechoed until something reads them; Ctrl-C still sends its signal, and leaves
    /// them. For programs that read a line now and then.
    pub fn keep_typed_keys() {
        let stdin = std::io::stdin();
        let Ok(now) = tcgetattr(&stdin) else { return };
        let mut changed = now.clone();
        BEFORE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(now);
        changed.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        changed.local_modes.insert(LocalModes::ISIG | LocalModes::NOFLSH);
        // Enter is read as such, and not as a line feed.
        changed.input_modes.remove(InputModes::ICRNL);
        changed.special_codes[SpecialCodeIndex::VMIN] = 1;
        changed.special_codes[SpecialCodeIndex::VTIME] = 0;
        let _ = tcsetattr(&stdin, OptionalActions::Drain, &changed);
    }

    /// Restores the terminal's settings. Call it last.
    pub fn restore() {
        let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(before) = before {
            // Fails if the terminal is gone.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &before);
        }
    }
}

#[cfg(not(unix))]
fn set_raw_mode(_raw: bool) -> bool {
    false
}

#[cfg(not(unix))]
pub fn keep_typed_keys() {}

#[cfg(not(unix))]
pub fn restore_terminal() {}
