//! Standard output and standard error: whether each is a terminal, and what of a text reaches it.

use std::borrow::Cow;

use console::Term;

use crate::diagnostic::TextFilter;

/// One of them. What others wrote reaches a terminal without what it would act on; where there is none, as it is.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub(super) is_terminal: bool,
    pub(super) has_colours: bool,
}

impl Stream {
    pub(super) fn stdout() -> Self {
        Stream { is_terminal: Term::stdout().is_term(), has_colours: console::colors_enabled() }
    }

    pub(super) fn stderr() -> Self {
        Stream { is_terminal: Term::stderr().is_term(), has_colours: console::colors_enabled_stderr() }
    }

    /// A message of lmthing, with whatever others wrote in it.
    pub(super) fn message(self, text: &str) -> Cow<'_, str> {
        self.through(&mut TextFilter::of_messages(), text)
    }

    /// A text with colours of our own, if they can be seen. The caller has removed foreign escape sequences.
    pub(super) fn styled(self, text: &str) -> Cow<'_, str> {
        if self.has_colours { self.console(text) } else { self.message(text) }
    }

    /// What a script prints with `console`: its colours are its own.
    pub(super) fn console(self, text: &str) -> Cow<'_, str> {
        self.through(&mut TextFilter::keeping_colours(), text)
    }

    /// A piece of a text that comes in pieces.
    pub(super) fn through<'a>(self, filter: &mut TextFilter, piece: &'a str) -> Cow<'a, str> {
        if self.is_terminal { filter.next(piece) } else { Cow::Borrowed(piece) }
    }
}
