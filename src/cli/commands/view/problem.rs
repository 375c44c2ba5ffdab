//! The words of what goes wrong.

use std::io;

use crate::{cli::failure::words, diagnostic::Diagnostic};

/// What is told, and ends the command.
pub(super) type Problem = Box<Diagnostic>;

/// The system refused.
pub(super) fn cannot(what: &str, name: &str, error: &io::Error) -> Problem {
    Box::new(Diagnostic::new(format!("cannot {what} {name}: {}", words(error))))
}

/// A message with a hint.
pub(super) fn problem(message: &str, hint: &str) -> Problem {
    Box::new(Diagnostic::new(message).with_hint(hint))
}
