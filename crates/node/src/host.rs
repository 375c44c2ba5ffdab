//! What a running script needs from the program that embeds it.

use std::{path::Path, rc::Rc};

use rquickjs::{Ctx, JsLifetime, Result};

use super::user_data;
use lmthing_base::diagnostic::Location;

/// Output and environment of a script. The command line writes to the terminal, tests to a buffer.
pub trait ScriptHost {
    /// Text from `console`, with its newline.
    fn write_stdout(&self, text: &str);

    /// Bytes from `process.stdout.write`, which need not be valid UTF-8.
    fn write_stdout_bytes(&self, bytes: &[u8]) {
        self.write_stdout(&String::from_utf8_lossy(bytes));
    }

    fn write_stderr_bytes(&self, bytes: &[u8]) {
        self.write_stderr(&String::from_utf8_lossy(bytes));
    }

    /// Text from `console` for standard error, with its newline.
    fn write_stderr(&self, text: &str);

    /// Text for standard error that the prompt file did not print: output of model-written code.
    fn write_foreign(&self, text: &str) {
        self.write_stderr(text);
    }

    /// A warning about the prompt file: one line.
    fn warn(&self, message: &str) {
        self.write_stderr(&format!("Warning: {message}\n"));
    }

    /// Like [`warn`](Self::warn), with the location. Computing `place` is expensive.
    fn warn_at(&self, message: &str, _place: &dyn Fn() -> Option<Location>) {
        self.warn(message);
    }

    /// Called repeatedly while a script runs without yielding. Must not use the engine.
    fn busy(&self) {}

    /// Whether the script's standard output, and that of its child processes, goes to standard error instead.
    fn diverts_stdout(&self) -> bool {
        false
    }

    /// Whether the script may read standard input; otherwise it is empty.
    fn has_stdin(&self) -> bool {
        true
    }

    /// A script has set an environment variable, whose value may be a secret.
    fn set_variable(&self, _name: &str, _value: &str) {}

    /// The loader has looked for an imported file, whether or not it exists.
    fn looked_for(&self, _file: &Path) {}

    /// Whether the run restarts on changes, and needs all files that module resolution depends on.
    fn is_watched(&self) -> bool {
        false
    }

    /// Writes buffered output, before a child process writes to the same stream.
    fn flush(&self) {}

    fn stdout_is_terminal(&self) -> bool {
        false
    }

    fn stderr_is_terminal(&self) -> bool {
        false
    }

    fn stdout_has_colors(&self) -> bool {
        self.stdout_is_terminal()
    }

    fn stderr_has_colors(&self) -> bool {
        self.stderr_is_terminal()
    }

    /// Width of the terminal in columns (`process.stdout.columns`).
    fn columns(&self) -> Option<u16> {
        None
    }
}

#[derive(JsLifetime)]
struct Kept(Rc<dyn ScriptHost>);

pub fn set_up(ctx: &Ctx<'_>, host: Rc<dyn ScriptHost>) -> Result<()> {
    user_data::store(ctx, Kept(host))
}

pub fn host(ctx: &Ctx<'_>) -> Result<Rc<dyn ScriptHost>> {
    Ok(user_data::read::<Kept>(ctx)?.0.clone())
}

/// A host for unit tests that do not check output.
pub struct Silent;

impl ScriptHost for Silent {
    fn write_stdout(&self, _: &str) {}

    fn write_stderr(&self, _: &str) {}
}
