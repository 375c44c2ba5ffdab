//! The only writer to stdout and stderr.
//!
//! The model's text and the script's output go to stdout, everything else to stderr. On a terminal, where both share a
//! screen, output that starts a line first ends the line that is there.
//!
//! Each method stands for an origin of text. The origin determines what reaches a terminal ([`Stream`]), and whether
//! secrets are redacted: in messages, but neither in the model's text nor in the script's output.

mod style;

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    io::{self, Write},
    rc::Rc,
    sync::Arc,
};

use console::measure_text_width;
use tokio::sync::Notify;

use super::{pending::Pending, screen, stream::Stream};
use lmthing_base::diagnostic::{Diagnostic, TextFilter};
use lmthing_providers::Redactor;

const BUFFER_SIZE: usize = 8 << 10;

/// Writes styled text to stderr from a thread that may block, for servers.
pub(super) fn write_stderr(stream: Stream, text: &str) {
    let text = stream.styled(text);
    let mut stderr = io::stderr().lock();
    // Nothing can be done if stderr is closed.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Clones share their state.
#[derive(Clone)]
pub struct Printer(Rc<State>);

struct State {
    stdout: Stream,
    stderr: Stream,
    pending: Arc<Pending>,
    /// Column of stdout's cursor, from 0; `None` if it is unknown.
    column: Cell<Option<usize>>,
    /// Whether the script has begun the current line of stdout.
    script_line: Cell<bool>,
    /// State of the filter for the model's text, as escape sequences may be split.
    model: RefCell<TextFilter>,
    redactor: RefCell<Redactor>,
    filled: Notify,
    broken: RefCell<Option<io::Error>>,
    closed: Notify,
    /// Removes the progress line before anything is written.
    before_write: RefCell<Option<Rc<dyn Fn()>>>,
    deferred: RefCell<Option<Vec<Deferred>>>,
    /// Whether the line editor has the terminal.
    is_editing: Cell<bool>,
    /// Held by what reads the terminal: a question or the line editor.
    terminal: tokio::sync::Mutex<()>,
}

/// Output that is deferred while a question is on the screen.
enum Deferred {
    Text(String),
    Script(String),
    ScriptBytes(Vec<u8>),
    Stderr(String),
    StderrBytes(Vec<u8>),
    EndOfLine,
}

impl Default for Printer {
    fn default() -> Self {
        Printer::new()
    }
}

impl Printer {
    pub fn new() -> Self {
        let state = State {
            stdout: Stream::stdout(),
            stderr: Stream::stderr(),
            pending: Arc::new(Pending::new()),
            column: Cell::new(Some(0)),
            script_line: Cell::new(false),
            model: RefCell::new(TextFilter::of_prose()),
            redactor: RefCell::default(),
            filled: Notify::new(),
            broken: RefCell::default(),
            closed: Notify::new(),
            before_write: RefCell::default(),
            deferred: RefCell::default(),
            is_editing: Cell::default(),
            terminal: tokio::sync::Mutex::default(),
        };
        Printer(Rc::new(state))
    }

    /// Replaces these secrets in messages from now on.
    pub(super) fn keep_secret(&self, redactor: &Redactor) {
        self.0.redactor.replace(redactor.clone());
    }

    /// Resets the filter: an unfinished escape sequence must not affect the next text.
    pub(super) fn begin_model_text(&self) {
        self.0.model.replace(TextFilter::of_prose());
    }

    /// Prints a part of the model's text.
    pub fn model_text(&self, text: &str) {
        let text = self.0.stdout.filtered(&mut self.0.model.borrow_mut(), text);
        self.add(&text);
    }

    /// Prints the result of a command to stdout.
    pub fn text(&self, text: &str) {
        self.add(&self.0.stdout.message(text));
    }

    /// The same with colours. Foreign escape sequences must have been removed.
    pub(super) fn styled(&self, text: &str) {
        self.add(&self.0.stdout.styled(text));
    }

    /// Buffers text for stdout. It is written when no more is available or before other output, so that a fast stream
    /// does not cost a write for every token.
    fn add(&self, text: &str) {
        if self.0.pending.push(text) >= BUFFER_SIZE { self.flush() } else { self.0.filled.notify_one() }
    }

    pub fn flush(&self) {
        if self.has_open_question() && self.0.stdout.is_terminal {
            return;
        }
        let text = self.0.pending.take();
        if !text.is_empty() {
            self.0.script_line.set(false);
        }
        self.write_stdout_now(&text);
    }

    /// Writes the buffered text and removes the progress line, because a child process is going to write.
    pub fn give_way(&self) {
        self.flush();
        self.clear_progress();
    }

    /// Writes buffered text whenever the run waits; never resolves. Must be polled after the run.
    pub async fn flush_when_idle(&self) {
        loop {
            self.0.filled.notified().await;
            self.flush();
        }
    }

    /// Prints output of `console`. On a terminal it starts a line of its own.
    pub fn script_stdout(&self, text: &str) {
        self.print(&self.0.stdout.console(text));
    }

    fn print(&self, text: &str) {
        if self.0.stdout.is_terminal && self.defer(|| Deferred::Script(text.to_owned())) {
            return;
        }
        // Text of `process.stdout.write` without a line break continues the line.
        if self.0.stdout.is_terminal && text.ends_with('\n') && !self.0.script_line.get() {
            self.finish_line();
        }
        self.write_stdout(text);
        self.0.script_line.set(!text.ends_with('\n'));
    }

    pub fn script_stdout_bytes(&self, bytes: &[u8]) {
        if let Ok(text) = str::from_utf8(bytes) {
            return self.print(text);
        }
        if self.0.stdout.is_terminal && self.defer(|| Deferred::ScriptBytes(bytes.to_vec())) {
            return;
        }
        self.give_way();
        let _ = self.write_bytes(bytes);
        self.0.pending.set_at_line_start(bytes.ends_with(b"\n"));
        self.0.column.set(None);
    }

    /// Prints output of `console` to stderr.
    pub fn script_stderr(&self, text: &str) {
        self.write_stderr(&self.0.stderr.console(text));
    }

    pub fn script_stderr_bytes(&self, bytes: &[u8]) {
        if let Ok(text) = str::from_utf8(bytes) {
            return self.write_stderr(text);
        }
        if self.defer(|| Deferred::StderrBytes(bytes.to_vec())) {
            return;
        }
        self.give_way();
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(bytes).and_then(|()| stderr.flush());
    }

    pub fn stderr(&self, text: &str) {
        let text = self.without_secrets(text);
        self.write_stderr(&self.0.stderr.message(&text));
    }

    /// The same with colours. Foreign escape sequences must have been removed.
    fn stderr_with_colours(&self, text: &str) {
        let text = self.without_secrets(text);
        self.write_stderr(&self.0.stderr.styled(&text));
    }

    fn without_secrets<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.redactor.borrow().redacted(text)
    }

    fn write_stderr(&self, text: &str) {
        if self.defer(|| Deferred::Stderr(text.to_owned())) {
            return;
        }
        // Only on a shared screen could they tear each other's lines.
        if self.0.stdout.is_terminal && self.0.stderr.is_terminal {
            self.finish_line();
        }
        self.flush();
        self.clear_progress();
        let mut stderr = io::stderr().lock();
        // Nothing can be done if stderr is closed.
        let _ = stderr.write_all(text.as_bytes());
        let _ = stderr.flush();
    }

    pub fn finish_line(&self) {
        if self.0.stdout.is_terminal && self.defer(|| Deferred::EndOfLine) {
            return;
        }
        self.flush();
        if !self.0.pending.is_at_line_start() {
            self.write_stdout("\n");
        }
    }

    /// Prints a question and defers all other output until it is answered.
    pub(super) fn ask(&self, question: &str) {
        self.end_question();
        self.stderr_with_colours(question);
        screen::set_text(true);
        self.0.deferred.replace(Some(Vec::new()));
    }

    pub(super) fn continue_question(&self, text: &str) {
        let deferred = self.0.deferred.take();
        self.control(text);
        self.0.deferred.replace(deferred);
    }

    /// Waits until nothing else reads the terminal. Others wait until the result is dropped.
    pub(super) async fn terminal_turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.terminal.lock().await
    }

    /// Defers all output while the line editor has the terminal.
    pub(super) fn begin_editing(&self) {
        self.finish_line();
        self.clear_progress();
        self.0.is_editing.set(true);
        screen::set_text(true);
        self.0.deferred.replace(Some(Vec::new()));
    }

    /// A line was typed. Writes the deferred output.
    pub(super) fn end_editing(&self) {
        self.0.is_editing.set(false);
        self.end_question();
    }

    /// Ends the question and writes the deferred output.
    pub(super) fn end_question(&self) {
        if self.0.is_editing.take() {
            // The run ends while a line is being typed.
            self.control("\n");
        }
        let Some(deferred) = self.0.deferred.take() else { return };
        screen::set_text(false);
        for deferred in deferred {
            match deferred {
                Deferred::Text(text) => self.add(&text),
                Deferred::Script(text) => self.print(&text),
                Deferred::ScriptBytes(bytes) => self.script_stdout_bytes(&bytes),
                Deferred::Stderr(text) => self.write_stderr(&text),
                Deferred::StderrBytes(bytes) => self.script_stderr_bytes(&bytes),
                Deferred::EndOfLine => self.finish_line(),
            }
        }
        self.flush();
    }

    pub(super) fn has_open_question(&self) -> bool {
        self.0.deferred.borrow().is_some()
    }

    /// Defers output while a question is open. Returns whether there is one.
    fn defer(&self, what: impl FnOnce() -> Deferred) -> bool {
        let mut deferred = self.0.deferred.borrow_mut();
        let Some(deferred) = &mut *deferred else { return false };
        // Buffered text comes first.
        if self.0.stdout.is_terminal {
            let text = self.0.pending.take();
            deferred.extend((!text.is_empty()).then_some(Deferred::Text(text)));
        }
        deferred.push(what());
        true
    }

    /// Resolves when stdout is closed.
    pub async fn closed(&self) {
        while !self.is_broken() {
            self.0.closed.notified().await;
        }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.0.broken.borrow().is_some()
    }

    /// The error of writing to stdout. A closed pipe is none, as in `lmthing run … | head`.
    pub fn stdout_problem(&self) -> Option<Diagnostic> {
        let broken = self.0.broken.borrow();
        let error = broken.as_ref().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)?;
        Some(Diagnostic::new(format!("cannot write to standard output: {error}")))
    }

    fn write_stdout(&self, text: &str) {
        self.flush();
        self.write_stdout_now(text);
    }

    fn write_stdout_now(&self, text: &str) {
        if text.is_empty() || self.is_broken() {
            return;
        }
        self.clear_progress();
        if let Err(error) = self.write_bytes(text.as_bytes()) {
            self.0.broken.replace(Some(error));
            self.0.closed.notify_one();
            return;
        }
        self.0.pending.set_at_line_start(text.ends_with('\n'));
        if self.0.stdout.is_terminal {
            self.track_column(text);
            screen::set_text(!text.ends_with('\n'));
        }
    }

    /// Writes to stdout, unless another thread has reported the end of the run.
    fn write_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        if self.0.pending.is_closed() {
            return Ok(());
        }
        stdout.write_all(bytes)?;
        stdout.flush()
    }

    fn track_column(&self, text: &str) {
        let (start, tail) = match text.rfind('\n') {
            Some(end) => (Some(0), &text[end + 1..]),
            None => (self.0.column.get(), text),
        };
        // Tabs and escape sequences move the cursor by an unknown number of columns.
        let is_plain = !tail.chars().any(char::is_control);
        self.0.column.set(start.filter(|_| is_plain).map(|start| start + measure_text_width(tail)));
    }

    fn clear_progress(&self) {
        let clear = self.0.before_write.borrow().clone();
        if let Some(clear) = clear {
            clear();
        }
    }

    /// Writes a control sequence to stderr, without filters.
    pub(super) fn control(&self, sequence: &str) {
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(sequence.as_bytes());
        let _ = stderr.flush();
    }

    /// Sets the callback that is called before anything is written.
    pub(super) fn before_write(&self, clear: Rc<dyn Fn()>) {
        *self.0.before_write.borrow_mut() = Some(clear);
    }

    /// The buffered text, for another thread that may have to write it.
    pub(super) fn pending(&self) -> Arc<Pending> {
        self.0.pending.clone()
    }
}
