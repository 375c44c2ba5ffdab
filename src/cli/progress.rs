//! The progress line on stderr: step, running tools and seconds, or the time until a request is retried, then tokens and
//! cost. Seconds count from the start of what the line names.
//!
//! It appears only on a terminal and after some time without output. If stdout is the same terminal and the cursor is
//! within a line of text, the progress line is drawn below it, and the cursor moves back before text continues.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::{Duration, Instant},
};

use super::{
    Printer,
    readers::numbers::{cost, tokens},
    screen,
};
use lmthing_base::{
    chat::StreamPart,
    diagnostic::strip_controls_line,
    event::{EventKind, SharedSummary},
};
use lmthing_providers::HumanDuration;

const FIRST_DELAY: Duration = Duration::from_millis(400);

const INTERVAL: Duration = Duration::from_millis(100);

/// Clones share the line.
#[derive(Clone)]
pub(super) struct Progress(Option<Rc<State>>);

struct State {
    printer: Rc<Printer>,
    summary: SharedSummary,
    began: Instant,
    /// From 0, as in the results; `None` before the first.
    step: Cell<Option<usize>>,
    tools: RefCell<Vec<RunningTool>>,
    /// What the run waits for while no tool runs.
    activity: Cell<Activity>,
    /// Start of that wait.
    since: Cell<Instant>,
    written: Cell<Instant>,
    /// Times at which failed requests are retried; several if agents run concurrently.
    due: RefCell<Vec<Instant>>,
    /// Present while the line is on the screen: the column at which text continues, if the line is below unfinished text.
    shown: Cell<Option<Option<usize>>>,
}

struct RunningTool {
    id: String,
    name: String,
    progress: String,
    is_of_provider: bool,
    since: Instant,
}

impl RunningTool {
    fn shown(&self) -> String {
        if self.progress.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.progress) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Activity {
    Script,
    Model,
}

impl Progress {
    /// Draws nothing if stderr is no terminal. `summary` must receive each event first.
    pub(super) fn new(printer: Rc<Printer>, summary: SharedSummary) -> Self {
        if !printer.stderr_is_terminal() {
            return Progress(None);
        }
        let state = Rc::new(State {
            printer: printer.clone(),
            summary,
            began: Instant::now(),
            step: Cell::default(),
            tools: RefCell::default(),
            activity: Cell::new(Activity::Script),
            since: Cell::new(Instant::now()),
            written: Cell::new(Instant::now()),
            due: RefCell::default(),
            shown: Cell::default(),
        });
        // Weak: the printer is part of the state, too.
        let weak = Rc::downgrade(&state);
        printer.before_write(Rc::new(move || {
            if let Some(state) = weak.upgrade() {
                state.hide();
                state.written.set(Instant::now());
            }
        }));
        Progress(Some(state))
    }

    pub(super) fn none() -> Self {
        Progress(None)
    }

    pub(super) fn event(&self, part: &EventKind) {
        let Some(state) = &self.0 else { return };
        match part {
            EventKind::StepStart { step, .. } => {
                state.step.set(Some(*step));
                // The calls and waits of the previous step are over.
                state.tools.borrow_mut().clear();
                state.due.borrow_mut().clear();
                state.begin(Activity::Model);
            }
            EventKind::Stream(part) => {
                // The wait for the next part begins.
                state.since.set(Instant::now());
                let mut tools = state.tools.borrow_mut();
                match &**part {
                    StreamPart::ToolCall { tool_call_id, tool_name, provider_executed, .. } => {
                        let (id, name) = (tool_call_id.clone(), tool_name.clone());
                        let (progress, is_of_provider) = (String::new(), *provider_executed);
                        tools.push(RunningTool { id, name, progress, is_of_provider, since: Instant::now() });
                    }
                    // The model goes on, though some providers do not report the result of a call.
                    StreamPart::TextDelta { .. } => tools.retain(|tool| !tool.is_of_provider),
                    _ => {}
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
                state.begin(Activity::Script);
            }
            _ => {}
        }
    }

    pub(super) fn wait(&self, wait: Duration) {
        let Some(state) = &self.0 else { return };
        if let Some(due) = Instant::now().checked_add(wait) {
            state.due.borrow_mut().push(due);
        }
    }

    pub(super) async fn tick(&self) {
        let Some(state) = &self.0 else { return std::future::pending().await };
        let mut interval = tokio::time::interval(INTERVAL);
        loop {
            interval.tick().await;
            state.draw();
        }
    }

    /// Redraws the line while a script blocks the event loop.
    pub(super) fn tick_busy(&self) {
        if let Some(state) = &self.0 {
            state.draw();
        }
    }

    pub(super) fn clear(&self) {
        if let Some(state) = &self.0 {
            state.hide();
        }
    }
}

impl State {
    fn begin(&self, activity: Activity) {
        self.activity.set(activity);
        self.since.set(Instant::now());
    }

    fn draw(&self) {
        self.forget_past_waits();
        if self.printer.has_open_question() {
            // Seconds count from the answer.
            self.written.set(Instant::now());
            return;
        }
        // A line that is drawn is kept up to date, however short each step is.
        if self.shown.get().is_none() && self.written.get().elapsed() < FIRST_DELAY {
            return;
        }
        let mut before = "";
        if self.shown.get().is_none() {
            let Some(resume_at) = self.resume_at() else { return };
            before = if resume_at.is_some() { "\n" } else { "" };
            self.shown.set(Some(resume_at));
        }
        let text = strip_controls_line(&self.printer.stderr_part(&self.message()));
        screen::draw(before, &screen::spinner(self.began.elapsed()).to_string(), &text);
    }

    fn forget_past_waits(&self) {
        let now = Instant::now();
        self.due.borrow_mut().retain(|due| {
            let is_ahead = *due > now;
            // After this the run waits for the model.
            if !is_ahead {
                self.since.set(self.since.get().max(*due));
            }
            is_ahead
        });
    }

    /// `None` if the line cannot be drawn now, `Some(None)` at the start of a line, `Some(Some(column))` below a line.
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
        let doing = match (self.due.borrow().iter().min(), names.is_empty(), self.activity.get()) {
            (Some(due), true, _) => trying_again(*due),
            (Some(due), false, _) => format!("{names} · {}", trying_again(*due)),
            (None, false, _) => format!("{names} · {seconds} s"),
            (None, true, Activity::Model) => format!("waiting for the model, {seconds} s"),
            (None, true, Activity::Script) => format!("the script is running, {seconds} s"),
        };
        let step = self.step.get().map(|step| format!("step {step} · ")).unwrap_or_default();
        format!("{step}{doing}{}", self.used())
    }

    /// Tokens and cost so far, if there are any.
    fn used(&self) -> String {
        let summary = self.summary.lock();
        if summary.usage.input_tokens.unwrap_or(0) + summary.usage.output_tokens.unwrap_or(0) == 0 {
            return String::new();
        }
        let cost = match summary.total_cost() {
            Some(dollars) if dollars > 0.0 => format!(" · {}", cost(Some(dollars))),
            _ => String::new(),
        };
        format!(" · {}{cost}", tokens(&summary.usage))
    }

    fn hide(&self) {
        let Some(resume_at) = self.shown.take() else { return };
        let back = resume_at.map(|column| format!("\x1b[1A\x1b[{}G", column + 1)).unwrap_or_default();
        screen::clear(&back);
    }
}

/// Rounded up, so that 0 means now.
fn trying_again(due: Instant) -> String {
    let left = due.saturating_duration_since(Instant::now());
    format!("trying again in {}", HumanDuration(Duration::from_secs(left.as_millis().div_ceil(1000) as u64)))
}
