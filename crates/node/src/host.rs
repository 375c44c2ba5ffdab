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

    /// Text for standard error that the script did not print, such as output of code in a sandbox.
    fn write_foreign(&self, text: &str) {
        self.write_stderr(text);
    }

    /// A warning about the script, in one line.
    fn warn(&self, message: &str) {
        self.write_stderr(&format!("Warning: {message}\n"));
    }

    /// Like [`warn`](Self::warn), with the location. Computing it is expensive.
    fn warn_at(&self, message: &str, _location: &dyn Fn() -> Option<Location>) {
        self.warn(message);
    }

    /// Called repeatedly while a script runs without yielding. Must not use the engine.
    fn busy(&self) {}

    /// Whether the script is to be interrupted, for example because its results are no longer of use. Must not use the
    /// engine.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Whether the script's standard output, and that of its child processes, goes to standard error instead.
    fn diverts_stdout(&self) -> bool {
        false
    }

    /// Whether the script may read standard input; otherwise it is empty.
    fn has_stdin(&self) -> bool {
        true
    }

    /// The script has set an environment variable, whose value may be a secret.
    fn set_variable(&self, _name: &str, _value: &str) {}

    /// The script depends on a file, which may not exist.
    fn note_read(&self, _file: &Path) {}

    /// Whether the run restarts on changes, so that all files matter on which module resolution depends.
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
struct StoredHost(Rc<dyn ScriptHost>);

pub fn set_up(ctx: &Ctx<'_>, host: Rc<dyn ScriptHost>) -> Result<()> {
    user_data::store(ctx, StoredHost(host))
}

pub fn host(ctx: &Ctx<'_>) -> Result<Rc<dyn ScriptHost>> {
    Ok(user_data::read::<StoredHost>(ctx)?.0.clone())
}

/// A host that drops all output.
pub struct SilentHost;

impl ScriptHost for SilentHost {
    fn write_stdout(&self, _: &str) {}

    fn write_stderr(&self, _: &str) {}
}
