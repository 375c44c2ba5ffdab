//! The progress line: step, running tools and seconds, or how long until a failed request is sent again, on stderr,
//! while nothing else is happening. The seconds count from the start of what the line names.
//!
//! It is drawn only on a terminal and only after a while without output. When stdout is the same terminal and the
//! model's text stands in the middle of a line, the progress line is drawn below, and the cursor goes back before text
//! goes on.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Printer, screen};
use crate::{chat::StreamPart, diagnostic::strip_controls_line, event::EventKind, provider::HumanDuration};

/// How long nothing must have happened before the line appears.
const PATIENCE: Duration = Duration::from_millis(400);

/// How often the line is redrawn.
const INTERVAL: Duration = Duration::from_millis(100);

/// The progress line of one run. Clones are the same line.
#[derive(Clone)]
pub(super) struct Progress(Option<Rc<State>>);

struct State {
    printer: Rc<Printer>,
    step: Cell<usize>,
    /// The calls that are running.
    tools: RefCell<Vec<RunningTool>>,
    /// Who is waited for when no tool runs.
    turn: Cell<Turn>,
    /// Since when.
    since: Cell<Instant>,
    /// When something was written last.
    written: Cell<Instant>,
    /// When failed requests are sent again; several, where agents run at the same time.
    due: RefCell<Vec<Instant>>,
    shown: RefCell<Option<Shown>>,
}

/// A tool call that is running.
struct RunningTool {
    id: String,
    name: String,
    /// How far it has come, if it says so.
    progress: String,
    since: Instant,
}

impl RunningTool {
    fn shown(&self) -> String {
        if self.progress.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.progress) }
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The prompt function's and its effects'.
    Script,
    /// The model's.
    Model,
}

/// The line on the screen.
struct Shown {
    bar: ProgressBar,
    /// Where text has to go on, when the line was drawn below an unfinished line.
    resume_at: Option<usize>,
}

impl Progress {
    /// A line on stderr; nothing at all when stderr is no terminal.
    pub(super) fn new(printer: Rc<Printer>) -> Self {
        if !printer.stderr_is_terminal() {
            return Progress(None);
        }
        let state = Rc::new(State {
            printer: printer.clone(),
            step: Cell::new(0),
            tools: RefCell::default(),
            turn: Cell::new(Turn::Script),
            since: Cell::new(Instant::now()),
            written: Cell::new(Instant::now()),
            due: RefCell::default(),
            shown: RefCell::default(),
        });
        // Weak, since the line has the printer in turn.
        let weak = Rc::downgrade(&state);
        printer.before_write(Rc::new(move || {
            if let Some(state) = weak.upgrade() {
                state.hide();
                state.written.set(Instant::now());
            }
        }));
        Progress(Some(state))
    }

    /// No line at all.
    pub(super) fn none() -> Self {
        Progress(None)
    }

    /// Takes note of what happened to the file's own prompt.
    pub(super) fn event(&self, part: &EventKind) {
        let Some(state) = &self.0 else { return };
        match part {
            EventKind::StepStart { step, .. } => {
                state.step.set(*step);
                // All calls of the step before are over, and whatever they waited for.
                state.tools.borrow_mut().clear();
                state.due.borrow_mut().clear();
                state.begin(Turn::Model);
            }
            EventKind::Stream(part) => {
                // What is waited for now is the next piece.
                state.since.set(Instant::now());
                if let StreamPart::ToolCall { tool_call_id, tool_name, .. } = &**part {
                    let (id, name) = (tool_call_id.clone(), tool_name.clone());
                    let progress = String::new();
                    state.tools.borrow_mut().push(RunningTool { id, name, progress, since: Instant::now() });
                }
            }
            EventKind::ToolProgress { tool_call_id, text } => {
                let mut tools = state.tools.borrow_mut();
                if let Some(tool) = tools.iter_mut().find(|tool| tool.id == *tool_call_id) {
                    tool.progress.clone_from(text);
                }
            }
            EventKind::ToolResult { result, .. } => {
                state.tools.borrow_mut().retain(|tool| tool.id != result.tool_call_id);
                state.since.set(Instant::now());
            }
            EventKind::StepFinish { .. } | EventKind::PromptEnd => {
                state.tools.borrow_mut().clear();
                state.begin(Turn::Script);
            }
            _ => {}
        }
    }

    /// Takes note of a request that is sent again in `wait`.
    pub(super) fn wait(&self, wait: Duration) {
        let Some(state) = &self.0 else { return };
        if let Some(due) = Instant::now().checked_add(wait) {
            state.due.borrow_mut().push(due);
        }
    }

    /// Draws the line again and again; never resolves.
    pub(super) async fn tick(&self) {
        let Some(state) = &self.0 else { return std::future::pending().await };
        let mut interval = tokio::time::interval(INTERVAL);
        loop {
            interval.tick().await;
            state.draw();
        }
    }

    /// Draws the line while the script computes and nobody else has a turn.
    pub(super) fn tick_busy(&self) {
        if let Some(state) = &self.0 {
            state.draw();
        }
    }

    /// Takes the line off the screen for good.
    pub(super) fn clear(&self) {
        if let Some(state) = &self.0 {
            state.hide();
        }
    }
}

impl State {
    fn begin(&self, turn: Turn) {
        self.turn.set(turn);
        self.since.set(Instant::now());
    }

    fn draw(&self) {
        self.forget_past_waits();
        if self.printer.is_held() {
            // The seconds count from the answer on.
            self.written.set(Instant::now());
            return;
        }
        if self.written.get().max(self.since.get()).elapsed() < PATIENCE {
            return;
        }
        screen::draw(|| self.draw_line());
    }

    /// Whether there is a place for the line.
    fn draw_line(&self) -> bool {
        let mut shown = self.shown.borrow_mut();
        if shown.is_none() {
            let Some(resume_at) = self.resume_at() else { return false };
            if resume_at.is_some() {
                self.control("\n");
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg:.dim}") {
                bar.set_style(style);
            }
            *shown = Some(Shown { bar, resume_at });
        }
        if let Some(shown) = &*shown {
            shown.bar.set_message(strip_controls_line(&self.printer.stderr_part(&self.message())));
            shown.bar.tick();
        }
        true
    }

    fn forget_past_waits(&self) {
        let now = Instant::now();
        self.due.borrow_mut().retain(|due| {
            let is_ahead = *due > now;
            // The model is waited for from here on.
            if !is_ahead {
                self.since.set(self.since.get().max(*due));
            }
            is_ahead
        });
    }

    /// `None`: the line cannot be drawn now. `Some(None)`: at the start of a line. `Some(Some(column))`: below one.
    fn resume_at(&self) -> Option<Option<usize>> {
        if !self.printer.stdout_is_terminal() {
            return Some(None);
        }
        let column = self.printer.cursor_column()?;
        Some((column > 0).then_some(column))
    }

    fn message(&self) -> String {
        let tools = self.tools.borrow();
        let names: Vec<String> = tools.iter().map(RunningTool::shown).collect();
        let names = names.join(", ");
        let since = tools.iter().map(|tool| tool.since).min().unwrap_or(self.since.get());
        let seconds = since.elapsed().as_secs();
        let doing = match (self.due.borrow().iter().min(), names.is_empty(), self.turn.get()) {
            (Some(due), true, _) => trying_again(*due),
            (Some(due), false, _) => format!("{names} · {}", trying_again(*due)),
            (None, false, _) => format!("{names} · {seconds} s"),
            (None, true, Turn::Model) => format!("waiting for the model, {seconds} s"),
            (None, true, Turn::Script) => format!("the script is running, {seconds} s"),
        };
        format!("step {} · {doing}", self.step.get())
    }

    fn hide(&self) {
        let Some(Shown { bar, resume_at }) = self.shown.take() else { return };
        screen::clear(|| {
            bar.finish_and_clear();
            if let Some(column) = resume_at {
                self.control(&format!("\x1b[1A\x1b[{}G", column + 1));
            }
        });
    }

    fn control(&self, sequence: &str) {
        self.printer.control(sequence);
    }
}

/// Whole seconds, upwards: nought is when it happens.
fn trying_again(due: Instant) -> String {
    let left = due.saturating_duration_since(Instant::now());
    format!("trying again in {}", HumanDuration(Duration::from_secs(left.as_millis().div_ceil(1000) as u64)))
}
