//! Styled output, and the properties of the terminals.

use std::borrow::Cow;

use clap::builder::StyledStr;
use console::{Style, Term};
use textwrap::{Options, WordSplitter};

use super::Printer;
use crate::cli::stream::Stream;
use lmthing_base::diagnostic::Diagnostic;

impl Printer {
    /// Prints a dimmed line to stderr.
    pub fn stderr_dim(&self, line: &str) {
        let style = Style::new().dim().force_styling(self.0.stderr.has_colours);
        let line = self.0.stderr.message(line);
        self.stderr_with_colours(&format!("{}\n", style.apply_to(line)));
    }

    /// The same, broken between words at the width of a terminal. Not for commands, which are copied.
    pub(in crate::cli) fn stderr_dim_wrapped(&self, line: &str) {
        self.stderr_dim(&wrapped(line, self.stderr_columns()));
    }

    /// Prints lines to stderr, which are broken between words at the width of a terminal.
    pub(in crate::cli) fn stderr_wrapped(&self, text: &str) {
        self.stderr(&wrapped(text, self.stderr_columns()));
    }

    /// Prints lines to stdout, which are broken between words at the width of a terminal.
    pub(in crate::cli) fn text_wrapped(&self, text: &str) {
        self.text(&wrapped(text, self.columns()));
    }

    pub fn diagnostic(&self, diagnostic: &Diagnostic) {
        self.stderr_with_colours(&diagnostic.render(self.0.stderr.has_colours, self.stderr_columns()));
    }

    /// Prints help and usage to stdout.
    pub fn stdout_styled(&self, text: &StyledStr) {
        let text = with_styles(text, self.0.stdout);
        self.write_stdout(&self.0.stdout.styled(&text));
    }

    /// Filters a part of a message for stderr before it is cut to a width, so that removed text does not count.
    pub(in crate::cli) fn stderr_part(&self, text: &str) -> String {
        self.0.stderr.message(&self.without_secrets(text)).into_owned()
    }

    /// The same for stdout.
    pub(in crate::cli) fn stdout_part<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.stdout.message(text)
    }

    /// Column of stdout's cursor within its screen line, if known.
    pub(in crate::cli) fn cursor_column(&self) -> Option<usize> {
        let width = usize::from(self.columns()?);
        let column = self.0.column.get()?;
        // At the last column terminals disagree about the position of the cursor.
        (column == 0 || column % width != 0).then(|| column % width)
    }

    pub fn stdout_is_terminal(&self) -> bool {
        self.0.stdout.is_terminal
    }

    pub fn stderr_is_terminal(&self) -> bool {
        self.0.stderr.is_terminal
    }

    /// Whether stdout is a terminal with colours (`NO_COLOR` is not set).
    pub fn stdout_has_colours(&self) -> bool {
        self.0.stdout.has_colours
    }

    pub fn stderr_has_colours(&self) -> bool {
        self.0.stderr.has_colours
    }

    pub(in crate::cli) fn stderr_columns(&self) -> Option<u16> {
        Term::stderr().size_checked().map(|(_, columns)| columns)
    }

    pub fn columns(&self) -> Option<u16> {
        Term::stdout().size_checked().map(|(_, columns)| columns)
    }
}

/// Breaks lines between words at the width of a terminal. What continues a line is indented below it.
fn wrapped(text: &str, columns: Option<u16>) -> String {
    let Some(columns) = columns.map(usize::from) else { return text.to_owned() };
    let wrapped = text.split('\n').map(|line| {
        let indent = format!("{}  ", &line[..line.len() - line.trim_start().len()]);
        let options = Options::new(columns).subsequent_indent(&indent).break_words(false);
        // Names with hyphens are copied.
        textwrap::fill(line, options.word_splitter(WordSplitter::NoHyphenation))
    });
    wrapped.collect::<Vec<_>>().join("\n")
}

/// Renders clap's text, which quotes arguments. Escape sequences in an argument cannot be distinguished from clap's, so
/// all styles are dropped if there are any.
fn with_styles(text: &StyledStr, stream: Stream) -> String {
    let has_escapes = || std::env::args_os().any(|argument| argument.as_encoded_bytes().contains(&b'\x1b'));
    if stream.has_colours && !has_escapes() { text.ansi().to_string() } else { text.to_string() }
}
