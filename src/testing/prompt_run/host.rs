//! What a prompt file prints and warns of while a test runs it: it goes where the test's own output goes. Must not know where
//! that is.

use std::{path::Path, rc::Rc};

use crate::{
    diagnostic::Location,
    event::{Event, EventKind, Reader},
    provider::Redactor,
    script::ScriptHost,
};

/// The host of a run.
pub(super) struct RunHost {
    pub(super) test: Rc<dyn ScriptHost>,
    pub(super) redactor: Redactor,
}

impl ScriptHost for RunHost {
    fn write_stdout(&self, text: &str) {
        // It knows the variables of this run, and the test's own does not.
        self.test.write_stdout(&self.redactor.apply(text));
    }

    fn write_stdout_bytes(&self, bytes: &[u8]) {
        self.test.write_stdout_bytes(bytes);
    }

    fn write_stderr(&self, text: &str) {
        self.test.write_stderr(&self.redactor.apply(text));
    }

    fn write_stderr_bytes(&self, bytes: &[u8]) {
        self.test.write_stderr_bytes(bytes);
    }

    fn warn(&self, message: &str) {
        // What a tool threw may hold a key.
        self.test.warn(&self.redactor.apply(message));
    }

    fn warn_at(&self, message: &str, place: &dyn Fn() -> Option<Location>) {
        self.test.warn_at(&self.redactor.apply(message), place);
    }

    fn busy(&self) {
        self.test.busy();
    }

    fn diverts_stdout(&self) -> bool {
        self.test.diverts_stdout()
    }

    fn has_stdin(&self) -> bool {
        false
    }

    fn looked_for(&self, file: &Path) {
        self.test.looked_for(file);
    }

    fn is_watched(&self) -> bool {
        self.test.is_watched()
    }

    fn flush(&self) {
        self.test.flush();
    }

    fn stdout_is_terminal(&self) -> bool {
        self.test.stdout_is_terminal()
    }

    fn stderr_is_terminal(&self) -> bool {
        self.test.stderr_is_terminal()
    }

    fn stdout_has_colors(&self) -> bool {
        self.test.stdout_has_colors()
    }

    fn stderr_has_colors(&self) -> bool {
        self.test.stderr_has_colors()
    }

    fn columns(&self) -> Option<u16> {
        self.test.columns()
    }
}

/// Hands on what a person should know of a run.
pub(super) fn warnings(host: Rc<dyn ScriptHost>) -> Reader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::Warning { message } => host.warn(message),
        EventKind::Retry(retry) => host.warn(&retry.message),
        _ => {}
    })
}
