//! The script host of an eval file, which sends what it prints.

use std::{cell::RefCell, rc::Rc};

use super::ScoreMessage;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{
    bindings::eval::{ScoreHost, Verdict},
    session::without_secrets,
};
use lmthing_node::{LineBuffer, ScriptHost};
use lmthing_providers::Redactor;

pub(super) struct EvalHost {
    pub(super) send: Rc<dyn Fn(ScoreMessage)>,
    pub(super) redactor: Redactor,
    pub(super) lines: RefCell<LineBuffer>,
}

impl EvalHost {
    fn print(&self, text: &str) {
        let lines = self.lines.borrow_mut().push(text.as_bytes());
        lines.iter().for_each(|lines| (self.send)(ScoreMessage::Printed(self.redactor.apply(lines))));
    }

    /// Sends what was printed without a line break at the end.
    pub(super) fn end_line(&self) {
        let rest = self.lines.borrow_mut().take();
        if !rest.is_empty() {
            self.print(&format!("{rest}\n"));
        }
    }
}

impl ScriptHost for EvalHost {
    fn write_stdout(&self, text: &str) {
        self.print(text);
    }

    fn write_stderr(&self, text: &str) {
        self.print(text);
    }

    fn warn(&self, message: &str) {
        (self.send)(ScoreMessage::Warned(self.redactor.apply(message)));
    }

    fn set_variable(&self, name: &str, value: &str) {
        self.redactor.learn_named(name, value);
    }

    fn diverts_stdout(&self) -> bool {
        true
    }

    fn has_stdin(&self) -> bool {
        false
    }
}

impl ScoreHost for EvalHost {
    fn judged(&self, key: Option<&str>, verdict: &Verdict) {
        let verdict = Verdict { reason: self.redactor.apply(&verdict.reason), ..verdict.clone() };
        (self.send)(ScoreMessage::Verdict { key: key.map(str::to_owned), verdict });
    }

    fn stray_failure(&self, diagnostic: Diagnostic) {
        let text = super::text::one_line(&without_secrets(diagnostic, &self.redactor));
        (self.send)(ScoreMessage::Warned(format!("something failed that no score waits for: {text}")));
    }
}
