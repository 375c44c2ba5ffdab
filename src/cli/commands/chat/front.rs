//! The user of a conversation: a person at a terminal, or the program at the other end of a pipe.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::command::{self, Command};
use lmthing_base::{chat::Message, diagnostic::Diagnostic};
use lmthing_engine::prompt::RunError;

#[derive(Clone, Debug)]
pub(super) enum Line {
    /// A message for the model.
    Say(String),
    Command(Command),
    /// The input cannot be read: the conversation ends.
    Unreadable(RunError),
}

impl Line {
    /// What a person has typed.
    pub(super) fn of_typed(text: &str) -> Result<Self, Box<Diagnostic>> {
        let command = Command::parse(text)?;
        Ok(command.map_or_else(|| Line::Say(command::message(text).to_owned()), Line::Command))
    }
}

pub(super) trait Front {
    /// The next message or command; `None` at the end of the input.
    fn read(&self) -> LocalBoxFuture<'_, Option<Line>>;

    /// Shows the answer of a command.
    fn show(&self, text: &str);

    /// Shows why a turn has failed. Returns whether the conversation goes on; if not, the failure is that of the command.
    fn show_failure(&self, failure: &Diagnostic) -> bool;

    /// Shows what was said before the conversation was resumed.
    fn show_earlier(&self, _messages: &[Rc<Message>]) {}

    /// Shows an answer that the earlier process may not have shown, if it is not part of what was said.
    fn show_unseen(&self) {}

    /// The model is asked; its text follows.
    fn begin_answer(&self) {}

    /// The answer is complete and in the journal, or has failed.
    fn end_answer(&self) {}

    /// Resolves when the user stops the answer.
    fn interrupted(&self) -> LocalBoxFuture<'_, ()> {
        std::future::pending().boxed_local()
    }
}
