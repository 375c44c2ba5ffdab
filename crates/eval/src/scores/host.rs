//! The script host of an eval file, which sends what it prints.

use std::{cell::RefCell, rc::Rc};

use super::ScoreMessage;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::{
    bindings::eval::{ScoreHost, Verdict},
    session::without_secrets,
};
use lmthing_node::ScriptHost;
use lmthing_providers::Redactor;

pub(super) struct EvalHost {
    pub(super) send: Rc<dyn Fn(ScoreMessage)>,
    pub(super) redactor: Redactor,
    /// Text after the last line break.
    pub(super) line: RefCell<String>,
}

impl EvalHost {
    /// Sends whole lines.
    fn print(&self, text: &str) {
        let mut line = self.line.borrow_mut();
        line.push_str(text);
        let Some(end) = line.rfind('\n') else { return };
        let rest = line.split_off(end + 1);
        let whole = std::mem::replace(&mut *line, rest);
        drop(line);
        (self.send)(ScoreMessage::Printed(self.redactor.apply(&whole)));
    }

    /// Sends what was printed without a line break at the end.
    pub(super) fn end_line(&self) {
        if !self.line.borrow().is_empty() {
            self.print("\n");
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
    fn judged(&self, key: &str, verdict: &Verdict) {
        let verdict = Verdict { reason: self.redactor.apply(&verdict.reason), ..verdict.clone() };
        (self.send)(ScoreMessage::Verdict { key: key.to_owned(), verdict });
    }

    fn stray_failure(&self, diagnostic: Diagnostic) {
        let text = super::text::one_line(&without_secrets(diagnostic, &self.redactor));
        (self.send)(ScoreMessage::Warned(format!("something failed that no score waits for: {text}")));
    }
}
