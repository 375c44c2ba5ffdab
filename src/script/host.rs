//! What a running script may ask of the program around it.

use std::{path::Path, rc::Rc};

use rquickjs::{Ctx, JsLifetime, Result};

use super::user_data;
use crate::diagnostic::Location;

/// The door through which everything a script prints leaves the engine. The command line hands in the printer; tests hand
/// in a buffer.
pub trait ScriptHost {
    /// What `console` prints on standard output, with its newline.
    fn write_stdout(&self, text: &str);

    /// What the script writes to standard output itself (`process.stdout.write`), exactly as given. It may be no text, or only
    /// part of a character.
    fn write_stdout_bytes(&self, bytes: &[u8]) {
        self.write_stdout(&String::from_utf8_lossy(bytes));
    }

    /// The same for standard error.
    fn write_stderr_bytes(&self, bytes: &[u8]) {
        self.write_stderr(&String::from_utf8_lossy(bytes));
    }

    /// What `console` prints on standard error, with its newline.
    fn write_stderr(&self, text: &str);

    /// Text for standard error that is not the script's own: what model-written code printed.
    fn write_foreign(&self, text: &str) {
        self.write_stderr(text);
    }

    /// A warning about the prompt file, which runs nevertheless: one line.
    fn warn(&self, message: &str) {
        self.write_stderr(&format!("Warning: {message}\n"));
    }

    /// The same for who wants to know where; `place` looks for it, which is not for nothing.
    fn warn_at(&self, message: &str, _place: &dyn Fn() -> Option<Location>) {
        self.warn(message);
    }

    /// The script is running and has not given the engine back for a while; called again and again from within it, so it
    /// must not touch the engine.
    fn busy(&self) {}

    /// Whether standard output is not the script's: what it prints there, and what its child processes print, goes to
    /// standard error.
    fn diverts_stdout(&self) -> bool {
        false
    }

    /// Whether standard input is the script's to read; otherwise it finds the end of it at once.
    fn has_stdin(&self) -> bool {
        true
    }

    /// A script has set a variable of its environment, which may be a secret.
    fn set_variable(&self, _name: &str, _value: &str) {}

    /// A file was looked for because the script imports it, whether or not it is there.
    fn looked_for(&self, _file: &Path) {}

    /// Whether somebody waits for changes, and is to hear of more than modules: what decides which these are.
    fn is_watched(&self) -> bool {
        false
    }

    /// Writes what waits to be written: somebody else, a child process, is going to write to the same place.
    fn flush(&self) {}

    /// Whether standard output is a terminal (`process.stdout.isTTY`).
    fn stdout_is_terminal(&self) -> bool {
        false
    }

    /// Whether standard error is a terminal (`process.stderr.isTTY`).
    fn stderr_is_terminal(&self) -> bool {
        false
    }

    /// Whether `console.log` colours what it inspects.
    fn stdout_has_colors(&self) -> bool {
        self.stdout_is_terminal()
    }

    /// Whether `console.error` colours what it inspects.
    fn stderr_has_colors(&self) -> bool {
        self.stderr_is_terminal()
    }

    /// Width of the terminal in columns, when there is one (`process.stdout.columns`).
    fn columns(&self) -> Option<u16> {
        None
    }
}

#[derive(JsLifetime)]
struct Kept(Rc<dyn ScriptHost>);

/// Part of making an engine.
pub(super) fn set_up(ctx: &Ctx<'_>, host: Rc<dyn ScriptHost>) -> Result<()> {
    user_data::store(ctx, Kept(host))
}

/// The host of the engine that `ctx` belongs to.
pub(super) fn host(ctx: &Ctx<'_>) -> Result<Rc<dyn ScriptHost>> {
    Ok(user_data::read::<Kept>(ctx)?.0.clone())
}

/// A host for unit tests that look at something else than what is printed.
#[cfg(test)]
pub(super) struct Silent;

#[cfg(test)]
impl ScriptHost for Silent {
    fn write_stdout(&self, _: &str) {}

    fn write_stderr(&self, _: &str) {}
}
