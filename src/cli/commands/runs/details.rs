//! Details of one run as text: parameters, totals, steps and tool calls.

use std::{collections::HashMap, fmt::Write, time::Duration};

use console::truncate_str;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::{json::timestamp, table::without_controls};
use crate::cli::{
    Printer,
    readers::numbers::{cost, seconds, tokens},
};
use lmthing_base::{chat::Usage, input::with_short_files};
use lmthing_store::journal::{RunInfo, RunStart, RunStatus};

const WIDTH: usize = 100;

pub(super) fn of_run(run: &RunInfo, start: &RunStart, printer: &Printer) -> String {
    let mut text = String::new();
    let mut add = |name: &str, value: String| {
        let _ = writeln!(text, "{name:8}  {}", without_controls(&value, printer));
    };
    add("run", run.id.clone());
    add("file", run.file.display().to_string());
    add("status", status(run));
    let began = timestamp(run.started).to_zoned(TimeZone::system());
    add("started", format!("{}, took {}", began.strftime("%F %T"), seconds(Duration::from_millis(run.duration_ms()))));
    add("steps", steps(run));
    add("tokens", tokens(&run.sums.usage));
    add("cost", cost(run.cost()));
    if let Some(model) = &run.model {
        add("model", model.clone());
    }
    if !start.words.is_empty() {
        add("words", start.words.join(" "));
    }
    if let Some(input) = &start.input {
        add("input", with_short_files(&Value::Object(input.clone())).to_string());
    }
    if let Some(origin) = &run.origin {
        add("from", format!("step {} of {}", origin.step, origin.run));
    }
    if let Some(message) = run.error.as_ref().and_then(|error| error["message"].as_str()) {
        add("error", message.to_owned());
    }
    let waiting = run.error.as_ref().and_then(|error| error["waiting"].as_array());
    for call in waiting.into_iter().flatten() {
        let text = |name: &str| call[name].as_str().unwrap_or_default();
        add("waits", format!("{}: {} {}", text("call"), text("name"), call["args"]));
    }
    if !matches!(run.status, RunStatus::Done | RunStatus::Running) {
        let how = || format!("lmthing resume {}", run.id);
        add("resume", start.not_resumable.as_ref().map_or_else(how, |why| format!("not possible: {why}")));
    }
    text
}

fn status(run: &RunInfo) -> String {
    match (&run.owner, run.status) {
        (Some(owner), RunStatus::Running) => format!("running, in process {} on {}", owner.pid, owner.host),
        (_, status) => status.as_str().to_owned(),
    }
}

fn steps(run: &RunInfo) -> String {
    let (own, all) = (run.sums.steps, run.sums.all_steps);
    if own == all { own.to_string() } else { format!("{own}, {all} with agents") }
}

/// The steps, calls and agents of a run, a line each in the order in which they happened, and the answer.
pub(super) struct Steps<'a> {
    printer: &'a Printer,
    /// Arguments of calls without a result, by agent and call id: some servers count from `call_0` for each agent.
    inputs: HashMap<(String, String), String>,
    /// The text of the last step of the file's own prompt.
    answer: String,
    is_first: bool,
}

impl<'a> Steps<'a> {
    pub(super) fn new(printer: &'a Printer) -> Self {
        Steps { printer, inputs: HashMap::new(), answer: String::new(), is_first: true }
    }

    /// Returns a line with its line break, or an empty string, as for most events.
    pub(super) fn line(&mut self, line: &str) -> String {
        let Ok(event) = serde_json::from_str::<Value>(line) else { return String::new() };
        let depth = event["agent"].as_array().map_or(0, Vec::len);
        if depth == 0 {
            self.note_answer(&event);
        }
        let Some(text) = self.describe(&event) else { return String::new() };
        let text = format!("{}{}", "  ".repeat(depth), without_controls(&text, self.printer));
        let gap = if std::mem::take(&mut self.is_first) { "\n" } else { "" };
        let width = self.printer.columns().map_or(WIDTH, usize::from);
        format!("{gap}{}\n", truncate_str(&text, width, "…"))
    }

    /// The answer of the run, after its steps.
    pub(super) fn answer(&self) -> String {
        match self.answer.trim_end() {
            "" => String::new(),
            answer => format!("\n{}\n", without_controls(answer, self.printer)),
        }
    }

    fn note_answer(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("step-start") => self.answer.clear(),
            Some("text-delta") => self.answer += event["delta"].as_str().unwrap_or_default(),
            _ => {}
        }
    }

    fn describe(&mut self, event: &Value) -> Option<String> {
        let text = |name: &str| event[name].as_str().unwrap_or_default();
        let took = || seconds(Duration::from_millis(event["durationMs"].as_u64().unwrap_or(0)));
        let call = || (format!("{}{}", event["agent"], event["agentNumber"]), text("toolCallId").to_owned());
        let of_agent = || agent(event).map_or_else(String::new, |agent| format!(" of {agent}"));
        Some(match text("type") {
            "run-start" if event["resumed"] == true => format!("resumed at step {}", event["fromStep"]),
            "step-start" => format!("step {}{} · {}", event["step"], of_agent(), text("model")),
            "tool-call" => {
                self.inputs.insert(call(), event["input"].to_string());
                return None;
            }
            "tool-result" => {
                let input = self.inputs.remove(&call()).unwrap_or_default();
                let failed = if event["isError"] == true { "failed, " } else { "" };
                // The time comes first, as the arguments may be cut.
                format!("  {}{} · {failed}{} · {input}", text("toolName"), of_agent(), took())
            }
            "step-finish" => {
                let usage: Usage = serde_json::from_value(event["usage"].clone()).unwrap_or_default();
                let figures = [took(), tokens(&usage), cost(event["cost"].as_f64())].join(" · ");
                format!("step {}{} finished · {figures}", event["step"], of_agent())
            }
            "agent-start" => format!("{}:", agent(event).unwrap_or_else(|| text("name").to_owned())),
            "agent-finish" if event["error"].is_string() => format!("{} failed: {}", text("name"), text("error")),
            "warning" => format!("warning: {}", text("message")),
            "retry" => format!("retry: {}", text("message")),
            "taken-back" => format!("taken back from step {} on", event["step"]),
            _ => return None,
        })
    }
}

/// The agent that an event belongs to, with its number where several of one name run at the same time.
fn agent(event: &Value) -> Option<String> {
    let name = event["agent"].as_array()?.last()?.as_str()?;
    Some(match event["agentNumber"].as_u64() {
        Some(number @ 2..) => format!("{name} #{number}"),
        _ => name.to_owned(),
    })
}
