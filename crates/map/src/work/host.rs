//! Script host of a row: sends printed text and warnings to the pool.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    path::{Path, PathBuf},
    rc::Rc,
    sync::mpsc::Sender,
};

use super::message::Message;
use lmthing_node::{LineBuffer, ScriptHost};

#[derive(Clone)]
pub(crate) struct RowHost(Rc<Inner>);

struct Inner {
    row: Option<u64>,
    sender: Sender<Message>,
    lines: RefCell<LineBuffer>,
    files: RefCell<BTreeSet<PathBuf>>,
    redact: Box<dyn Fn(&str) -> String>,
}

impl RowHost {
    pub(crate) fn of_file(sender: Sender<Message>) -> Self {
        RowHost::new(None, sender, Box::new(str::to_owned))
    }

    pub(super) fn of_row(row: u64, sender: Sender<Message>, redact: Box<dyn Fn(&str) -> String>) -> Self {
        RowHost::new(Some(row), sender, redact)
    }

    fn new(row: Option<u64>, sender: Sender<Message>, redact: Box<dyn Fn(&str) -> String>) -> Self {
        let (lines, files) = (RefCell::default(), RefCell::default());
        RowHost(Rc::new(Inner { row, sender, lines, files, redact }))
    }

    pub(crate) fn files(&self) -> BTreeSet<PathBuf> {
        self.0.files.borrow().clone()
    }

    pub(crate) fn end(&self) {
        let rest = self.0.lines.borrow_mut().take();
        if !rest.is_empty() {
            self.print(&format!("{rest}\n"));
        }
    }

    fn print(&self, text: &str) {
        let text = (self.0.redact)(text);
        let _ = self.0.sender.send(Message::Printed { row: self.0.row, text });
    }

    /// Only whole lines are printed, because the output of several rows is interleaved.
    fn take(&self, text: &str) {
        let lines = self.0.lines.borrow_mut().push(text.as_bytes());
        lines.iter().for_each(|lines| self.print(lines));
    }
}

impl ScriptHost for RowHost {
    fn write_stdout(&self, text: &str) {
        self.take(text);
    }

    fn write_stderr(&self, text: &str) {
        self.take(text);
    }

    fn warn(&self, message: &str) {
        let message = (self.0.redact)(message);
        let _ = self.0.sender.send(Message::Warned { row: self.0.row, message });
    }

    fn diverts_stdout(&self) -> bool {
        true
    }

    fn has_stdin(&self) -> bool {
        false
    }

    fn note_read(&self, file: &Path) {
        if self.0.row.is_none() {
            self.0.files.borrow_mut().insert(file.to_owned());
        }
    }
}
