//! Script host of a run: printed lines and warnings go to the log.

use std::cell::RefCell;

use super::log::Log;
use lmthing_node::{LineBuffer, ScriptHost};
use lmthing_providers::Redactor;

pub(super) struct RunHost {
    log: Log,
    redactor: Redactor,
    lines: RefCell<LineBuffer>,
}

impl RunHost {
    pub(super) fn new(log: Log, redactor: Redactor) -> Self {
        RunHost { log, redactor, lines: RefCell::default() }
    }

    pub(super) fn end(&self) {
        let rest = self.lines.borrow_mut().take();
        if !rest.is_empty() {
            self.printed(&self.redactor.apply(&rest));
        }
    }

    fn printed(&self, line: &str) {
        self.log.info("the file printed", &[("line", line.into())]);
    }

    /// Only whole lines are logged, as half a secret would not be redacted.
    fn take(&self, text: &str) {
        let lines = self.lines.borrow_mut().push(text.as_bytes());
        let lines = lines.iter().map(|lines| self.redactor.apply(lines));
        lines.for_each(|lines| lines.lines().for_each(|line| self.printed(line)));
    }
}

impl ScriptHost for RunHost {
    fn write_stdout(&self, text: &str) {
        self.take(text);
    }

    fn write_stderr(&self, text: &str) {
        self.take(text);
    }

    fn warn(&self, message: &str) {
        self.log.warn(&self.redactor.apply(message), &[]);
    }

    fn diverts_stdout(&self) -> bool {
        true
    }

    fn has_stdin(&self) -> bool {
        false
    }

    fn set_variable(&self, name: &str, value: &str) {
        self.redactor.learn_named(name, value);
    }
}
