//! Standard output and standard error: whether each is a terminal, and filters for text.

use std::borrow::Cow;

use console::Term;

use lmthing_base::diagnostic::TextFilter;

/// On a terminal, control sequences of foreign text are removed. Elsewhere text is unchanged.
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

    /// A message of lmthing, which may quote foreign text.
    pub(super) fn message(self, text: &str) -> Cow<'_, str> {
        self.filtered(&mut TextFilter::of_messages(), text)
    }

    /// Text with our own colours, if the stream shows them. Foreign escape sequences must have been removed.
    pub(super) fn styled(self, text: &str) -> Cow<'_, str> {
        if self.has_colours { self.console(text) } else { self.message(text) }
    }

    /// Output of `console`, whose colours are kept.
    pub(super) fn console(self, text: &str) -> Cow<'_, str> {
        self.filtered(&mut TextFilter::keeping_colours(), text)
    }

    pub(super) fn filtered<'a>(self, filter: &mut TextFilter, piece: &'a str) -> Cow<'a, str> {
        if self.is_terminal { filter.next(piece) } else { Cow::Borrowed(piece) }
    }
}
