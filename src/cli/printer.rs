//! The only writer to stdout and stderr.
//!
//! stdout gets the model's text and what the script prints; everything else goes to stderr. On a terminal, where both
//! are one screen, a line is never torn: whatever starts a line of its own first ends the line that is there.
//!
//! Every text says by the method it comes through whose it is. That decides what of it reaches a terminal ([`Stream`]), and
//! whether secrets are looked for in it: in messages, but neither in what the model says nor in what the script prints.

mod looks;

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    io::{self, Write},
    rc::Rc,
    sync::Arc,
};

use console::measure_text_width;
use tokio::sync::Notify;

use super::{held::Held, pending::Pending, screen, stream::Stream};
use crate::{
    diagnostic::{Diagnostic, TextFilter},
    provider::Redactor,
};

/// How much text waits at most.
const BUFFER_SIZE: usize = 8 << 10;

/// Writes a text with colours of our own or none, from a thread that may block: for a server, whose printer must not wait there.
pub(super) fn write_stderr(stream: Stream, text: &str) {
    let text = stream.styled(text);
    let mut stderr = io::stderr().lock();
    // There is nobody left to tell when stderr is gone.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Writes to stdout and stderr. Clones share what they know of the cursor.
#[derive(Clone)]
pub struct Printer(Rc<State>);

struct State {
    stdout: Stream,
    stderr: Stream,
    /// Text that is on its way to stdout.
    pending: Arc<Pending>,
    /// The column stdout's cursor is in, from 0; `None` when the text held something whose width is unknown.
    column: Cell<Option<usize>>,
    /// The script itself has begun the line stdout's cursor is in.
    script_line: Cell<bool>,
    /// Where the model's text is: an escape sequence may come in pieces.
    model: RefCell<TextFilter>,
    /// Knows what no message may show.
    redactor: RefCell<Redactor>,
    /// There is text to be written.
    filled: Notify,
    /// Why stdout cannot be written any more.
    broken: RefCell<Option<io::Error>>,
    closed: Notify,
    /// Takes the progress line off the screen before anything is written.
    before_write: RefCell<Option<Rc<dyn Fn()>>>,
    /// What waits for the answer to a question that stands on the screen.
    held: RefCell<Option<Vec<Held>>>,
}

impl Default for Printer {
    fn default() -> Self {
        Printer::new()
    }
}

impl Printer {
    /// A printer to the process's own streams.
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
            held: RefCell::default(),
        };
        Printer(Rc::new(state))
    }

    /// Replaces these secrets in messages from now on.
    pub(super) fn keep_secret(&self, redactor: &Redactor) {
        self.0.redactor.replace(redactor.clone());
    }

    /// The model begins a text: what it left unfinished in the one before says nothing of this one.
    pub(super) fn begin_model_text(&self) {
        self.0.model.replace(TextFilter::of_prose());
    }

    /// The model's text, as it arrives.
    pub fn model_text(&self, text: &str) {
        let text = self.0.stdout.through(&mut self.0.model.borrow_mut(), text);
        self.add(&text);
    }

    /// Text for stdout: what a command is asked for.
    pub fn text(&self, text: &str) {
        self.add(&self.0.stdout.message(text));
    }

    /// The same with colours, from where others' have been removed.
    pub(super) fn styled(&self, text: &str) {
        self.add(&self.0.stdout.styled(text));
    }

    /// Text for stdout, written by [`Printer::flush`], which comes when nothing more is at hand, or before anything else is
    /// written. A fast stream thus costs a write for what came at once, not one for every word.
    fn add(&self, text: &str) {
        if self.0.pending.push(text) >= BUFFER_SIZE { self.flush() } else { self.0.filled.notify_one() }
    }

    /// Writes the text that has arrived.
    pub fn flush(&self) {
        if self.is_held() && self.0.stdout.is_terminal {
            return;
        }
        let text = self.0.pending.take();
        if !text.is_empty() {
            self.0.script_line.set(false);
        }
        self.put_stdout(&text);
    }

    /// Writes what has arrived and takes the progress line away: a child process is going to write.
    pub fn give_way(&self) {
        self.flush();
        self.clear_progress();
    }

    /// Writes text whenever whoever made it has to wait for more; never resolves. Poll it after the run.
    pub async fn flush_when_idle(&self) {
        loop {
            self.0.filled.notified().await;
            self.flush();
        }
    }

    /// What the script prints with `console`: on a terminal it never continues a line of the model's text.
    pub fn script_stdout(&self, text: &str) {
        self.print(&self.0.stdout.console(text));
    }

    fn print(&self, text: &str) {
        if self.0.stdout.is_terminal && self.hold(|| Held::Script(text.to_owned())) {
            return;
        }
        // Text without an end of line, from `process.stdout.write`, is meant to stand where it is.
        if self.0.stdout.is_terminal && text.ends_with('\n') && !self.0.script_line.get() {
            self.finish_line();
        }
        self.write_stdout(text);
        self.0.script_line.set(!text.ends_with('\n'));
    }

    /// Bytes that a script writes itself: as they are, also when they are no text.
    pub fn script_stdout_bytes(&self, bytes: &[u8]) {
        if let Ok(text) = str::from_utf8(bytes) {
            return self.print(text);
        }
        if self.0.stdout.is_terminal && self.hold(|| Held::ScriptBytes(bytes.to_vec())) {
            return;
        }
        self.give_way();
        // That it cannot be written is noticed with the next text.
        let _ = self.write_bytes(bytes);
        self.0.pending.set_at_line_start(bytes.ends_with(b"\n"));
        self.0.column.set(None);
    }

    /// What the script prints with `console` on stderr.
    pub fn script_stderr(&self, text: &str) {
        self.write_stderr(&self.0.stderr.console(text));
    }

    /// Bytes that a script writes to stderr itself.
    pub fn script_stderr_bytes(&self, bytes: &[u8]) {
        if let Ok(text) = str::from_utf8(bytes) {
            return self.write_stderr(text);
        }
        if self.hold(|| Held::StderrBytes(bytes.to_vec())) {
            return;
        }
        self.give_way();
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(bytes).and_then(|()| stderr.flush());
    }

    /// A message on stderr.
    pub fn stderr(&self, text: &str) {
        let text = self.without_secrets(text);
        self.write_stderr(&self.0.stderr.message(&text));
    }

    /// The same with colours, from where others' have been removed.
    fn stderr_with_colours(&self, text: &str) {
        let text = self.without_secrets(text);
        self.write_stderr(&self.0.stderr.styled(&text));
    }

    fn without_secrets<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.redactor.borrow().redacted(text)
    }

    fn write_stderr(&self, text: &str) {
        if self.hold(|| Held::Stderr(text.to_owned())) {
            return;
        }
        // Two streams that are not one screen cannot tear each other's lines.
        if self.0.stdout.is_terminal && self.0.stderr.is_terminal {
            self.finish_line();
        }
        self.flush();
        self.clear_progress();
        let mut stderr = io::stderr().lock();
        // There is nobody left to tell when stderr is gone.
        let _ = stderr.write_all(text.as_bytes());
        let _ = stderr.flush();
    }

    /// Ends the line on stdout, if one was begun.
    pub fn finish_line(&self) {
        if self.0.stdout.is_terminal && self.hold(|| Held::EndOfLine) {
            return;
        }
        self.flush();
        if !self.0.pending.is_at_line_start() {
            self.write_stdout("\n");
        }
    }

    /// Writes a question. From now on nothing else comes on the screen.
    pub(super) fn ask(&self, question: &str) {
        self.let_go();
        self.stderr_with_colours(question);
        screen::set_text(true);
        self.0.held.replace(Some(Vec::new()));
    }

    /// Writes more of the question that stands.
    pub(super) fn ask_further(&self, text: &str) {
        let held = self.0.held.take();
        self.control(text);
        self.0.held.replace(held);
    }

    /// The question is answered, and its line has ended: what has come since is written.
    pub(super) fn let_go(&self) {
        let Some(held) = self.0.held.take() else { return };
        screen::set_text(false);
        for held in held {
            match held {
                Held::Text(text) => self.add(&text),
                Held::Script(text) => self.print(&text),
                Held::ScriptBytes(bytes) => self.script_stdout_bytes(&bytes),
                Held::Stderr(text) => self.write_stderr(&text),
                Held::StderrBytes(bytes) => self.script_stderr_bytes(&bytes),
                Held::EndOfLine => self.finish_line(),
            }
        }
        self.flush();
    }

    /// Whether a question stands on the screen.
    pub(super) fn is_held(&self) -> bool {
        self.0.held.borrow().is_some()
    }

    /// Keeps something until the question is answered that stands on the screen, if there is one.
    fn hold(&self, what: impl FnOnce() -> Held) -> bool {
        let mut held = self.0.held.borrow_mut();
        let Some(held) = &mut *held else { return false };
        // Text came before it.
        if self.0.stdout.is_terminal {
            let text = self.0.pending.take();
            held.extend((!text.is_empty()).then_some(Held::Text(text)));
        }
        held.push(what());
        true
    }

    /// Resolves when stdout cannot be written any more.
    pub async fn closed(&self) {
        while !self.is_broken() {
            self.0.closed.notified().await;
        }
    }

    /// Whether nobody can read standard output any more.
    pub(super) fn is_broken(&self) -> bool {
        self.0.broken.borrow().is_some()
    }

    /// Why what was printed could not be written; `None` also when nobody wanted to read on, as in `lmthing run … | head`:
    /// to stop is what was asked for then, and no failure.
    pub fn stdout_problem(&self) -> Option<Diagnostic> {
        let broken = self.0.broken.borrow();
        let error = broken.as_ref().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)?;
        Some(Diagnostic::new(format!("cannot write to standard output: {error}")))
    }

    fn write_stdout(&self, text: &str) {
        self.flush();
        self.put_stdout(text);
    }

    fn put_stdout(&self, text: &str) {
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
        // A tab or an escape moves the cursor by what only the terminal knows.
        let is_plain = !tail.chars().any(char::is_control);
        self.0.column.set(start.filter(|_| is_plain).map(|start| start + measure_text_width(tail)));
    }

    fn clear_progress(&self) {
        let clear = self.0.before_write.borrow().clone();
        if let Some(clear) = clear {
            clear();
        }
    }

    /// Moves the cursor; bypasses everything else.
    pub(super) fn control(&self, sequence: &str) {
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(sequence.as_bytes());
        let _ = stderr.flush();
    }

    /// Has `clear` called before anything is written.
    pub(super) fn before_write(&self, clear: Rc<dyn Fn()>) {
        *self.0.before_write.borrow_mut() = Some(clear);
    }

    /// The text that another thread may have to write.
    pub(super) fn pending(&self) -> Arc<Pending> {
        self.0.pending.clone()
    }
}
