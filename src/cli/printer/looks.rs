//! What a printer knows of its terminals, and texts that are made for them: styles, colours, widths. Must not write anything.

use std::borrow::Cow;

use clap::builder::StyledStr;
use console::{Style, Term};

use super::Printer;
use crate::{cli::stream::Stream, diagnostic::Diagnostic};

impl Printer {
    /// A line for stderr that is not to stand out.
    pub fn stderr_dim(&self, line: &str) {
        let style = Style::new().dim().force_styling(self.0.stderr.has_colours);
        let line = self.0.stderr.message(line);
        self.stderr_with_colours(&format!("{}\n", style.apply_to(line)));
    }

    /// An error, with colour where it can be seen.
    pub fn diagnostic(&self, diagnostic: &Diagnostic) {
        self.stderr_with_colours(&diagnostic.render(self.0.stderr.has_colours));
    }

    /// Help and usage on stdout.
    pub fn stdout_styled(&self, text: &StyledStr) {
        let text = with_styles(text, self.0.stdout);
        self.write_stdout(&self.0.stdout.styled(&text));
    }

    /// Wrong usage on stderr.
    pub fn stderr_styled(&self, text: &StyledStr) {
        let text = with_styles(text, self.0.stderr);
        self.stderr_with_colours(&text);
    }

    /// A part of a message on stderr, before it is cut to a width: what is removed from messages must not count.
    pub(in crate::cli) fn stderr_part(&self, text: &str) -> String {
        self.0.stderr.message(&self.without_secrets(text)).into_owned()
    }

    /// The same for stdout.
    pub(in crate::cli) fn stdout_part<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.stdout.message(text)
    }

    /// The column of stdout's cursor on its screen line, if it is known; 0 at the start of a line.
    pub(in crate::cli) fn cursor_column(&self) -> Option<usize> {
        let width = usize::from(self.columns()?);
        let column = self.0.column.get()?;
        // Exactly at the edge terminals disagree about where the cursor is.
        (column == 0 || column % width != 0).then(|| column % width)
    }

    /// Whether stdout is a terminal.
    pub fn stdout_is_terminal(&self) -> bool {
        self.0.stdout.is_terminal
    }

    /// Whether stderr is a terminal.
    pub fn stderr_is_terminal(&self) -> bool {
        self.0.stderr.is_terminal
    }

    /// Whether stdout shows colours (a terminal, and `NO_COLOR` unset).
    pub fn stdout_has_colours(&self) -> bool {
        self.0.stdout.has_colours
    }

    /// Whether stderr shows colours.
    pub fn stderr_has_colours(&self) -> bool {
        self.0.stderr.has_colours
    }

    /// The width of the terminal behind stderr.
    pub(in crate::cli) fn stderr_columns(&self) -> Option<u16> {
        Term::stderr().size_checked().map(|(_, columns)| columns)
    }

    /// The terminal's width.
    pub fn columns(&self) -> Option<u16> {
        Term::stdout().size_checked().map(|(_, columns)| columns)
    }
}

/// The words of the argument parser. Arguments are repeated in them: where one of these has escape sequences, they cannot be
/// distinguished from our own colours.
fn with_styles(text: &StyledStr, stream: Stream) -> String {
    let has_escapes = || std::env::args_os().any(|argument| argument.as_encoded_bytes().contains(&b'\x1b'));
    if stream.has_colours && !has_escapes() { text.ansi().to_string() } else { text.to_string() }
}
