use std::io;

use crate::{cli::failure::words, diagnostic::Diagnostic};

pub(super) type Problem = Box<Diagnostic>;

pub(super) fn cannot(what: &str, name: &str, error: &io::Error) -> Problem {
    Box::new(Diagnostic::new(format!("cannot {what} {name}: {}", words(error))))
}

pub(super) fn problem(message: &str, hint: &str) -> Problem {
    Box::new(Diagnostic::new(message).with_hint(hint))
}
