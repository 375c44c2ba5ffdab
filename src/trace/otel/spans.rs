//! From events to spans: who of a run an event belongs to, and what is under way. Must not know how spans are sent.

use std::{
    collections::HashMap,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use opentelemetry::{
    Context, InstrumentationScope,
    trace::{Event as SpanEvent, SpanContext, TraceContextExt, TracerProvider},
};
use opentelemetry_sdk::trace::SdkTracerProvider;
use serde_json::Value;

use super::{
    agent::OpenAgent,
    attributes::{Attributes, Clean, Fault, Kit},
    chat::Chat,
    tool::Tool,
};
use crate::{
    chat::StreamPart,
    event::{Agent, Event, EventKind, Retry, RunFinish},
};

/// The spans of a run that are under way.
pub(super) struct Spans {
    kit: Kit,
    /// What the run is a part of.
    parent: Context,
    /// When the first event came, by both clocks: that of the system may be set back meanwhile.
    began: (SystemTime, Instant),
    /// By their numbers; 0 is the file's own prompt, which is there from the first event to the last.
    open: HashMap<u64, OpenAgent>,
}

impl Spans {
    pub(super) fn new(
        provider: &SdkTracerProvider,
        parent: Option<SpanContext>,
        clean: Clean,
        captures_content: bool,
    ) -> Self {
        let scope = InstrumentationScope::builder("lmthing").with_version(env!("CARGO_PKG_VERSION")).build();
        let tracer = provider.tracer_with_scope(scope);
        let parent = parent.map_or_else(Context::new, |parent| Context::new().with_remote_span_context(parent));
        Spans {
            kit: Kit { tracer, clean, captures_content, run: String::new() },
            parent,
            began: (SystemTime::now(), Instant::now()),
            open: HashMap::new(),
        }
    }

    fn now(&self) -> SystemTime {
        self.began.0 + self.began.1.elapsed()
    }

    /// Takes note of an event.
    pub(super) fn take(&mut self, event: &Event<'_>) {
        if let EventKind::RunStart { file, .. } = event.kind {
            return self.begin(event, file);
        }
        // Also when nobody wants the spans of this run.
        if self.open.is_empty() {
            return;
        }
        let agent = event.agent;
        match event.kind {
            EventKind::Stream(part) => self.hear(agent, part),
            EventKind::StepStart { model, sent, .. } => {
                let now = self.now();
                if let Some((open, kit)) = self.own(agent) {
                    open.asks(kit, |parent| Chat::new(kit, parent, now, model, sent), model, now);
                }
            }
            EventKind::Answered { usage, cost } => {
                let now = self.now();
                if let Some(chat) = self.own(agent).and_then(|(open, _)| open.chat.as_mut()) {
                    chat.answered(now, *usage, *cost);
                }
                let works_for = |open: &&mut OpenAgent| is_beneath(agent.key(), &open.key);
                self.open.values_mut().filter(works_for).for_each(|open| open.pays(*usage, *cost));
            }
            EventKind::ToolResult { result, took } => {
                self.change(agent, |open, kit, now| open.tool_answered(kit, result, *took, now))
            }
            EventKind::StepFinish { step, model, .. } => {
                self.change(agent, |open, kit, now| open.step_ends(kit, step, model, now));
            }
            EventKind::PromptEnd => self.change(agent, |open, _, now| open.break_off(now)),
            EventKind::AgentStart => self.agent_begins(agent),
            EventKind::AgentFinish { error, .. } => {
                let fault = error.as_deref().map(|error| Fault::new("agent_error", error));
                let now = self.now();
                if let Some(open) = self.open.remove(&agent.number()).filter(|_| !agent.is_root()) {
                    open.close(&self.kit, now, fault.as_ref(), |_| ());
                }
            }
            EventKind::CodeCheck { tool_call_id, ok, diagnostics, .. } => {
                self.code_checked(agent, tool_call_id.as_deref(), *ok, diagnostics);
            }
            EventKind::Warning { message } => {
                self.tell(agent, "lmthing.warning", |attributes| attributes.text("lmthing.message", message));
            }
            EventKind::Retry(retry) => self.tell(agent, "lmthing.retry", |attributes| of_retry(attributes, retry)),
            EventKind::RunFinish(end) => self.end(end),
            EventKind::RunStart { .. }
            | EventKind::ToolProgress { .. }
            | EventKind::CodeConsole { .. }
            | EventKind::Output(_) => {}
        }
    }

    fn begin(&mut self, event: &Event<'_>, file: &str) {
        event.run().clone_into(&mut self.kit.run);
        let root = OpenAgent::new(&self.kit, &self.parent, self.now(), name_of(file), event.agent.key());
        if root.is_sampled() {
            self.open.insert(event.agent.number(), root);
        }
    }

    fn end(&mut self, end: &RunFinish) {
        let fault = match &end.error {
            Some(failure) => Some(Fault::new(&failure.kind, failure.message.as_str())),
            None if end.exit_code != 0 => Some(Fault::new("exit", format!("exit code {}", end.exit_code))),
            None => None,
        };
        let now = self.now();
        for (_, open) in self.open.drain() {
            let is_root = open.key.is_empty();
            open.close(&self.kit, now, fault.as_ref(), |attributes| {
                if is_root {
                    attributes.count("process.exit.code", end.exit_code);
                }
            });
        }
    }

    /// A piece of an answer. They are many: nothing is looked up that is not needed.
    fn hear(&mut self, agent: &Agent, part: &StreamPart) {
        let began = self.began;
        let now = || began.0 + began.1.elapsed();
        let Some((open, _)) = self.own(agent) else { return };
        let Some(chat) = &mut open.chat else { return };
        chat.hear(part, now);
        if let StreamPart::ToolCall { tool_call_id, tool_name, input, .. } = part {
            let tool = Tool::new(tool_call_id, tool_name, input, chat.description_of(tool_name), now());
            open.tools.push(tool);
        }
    }

    fn agent_begins(&mut self, agent: &Agent) {
        let now = self.now();
        let context = self.of(agent).map(|(open, kit)| open.context(kit, agent.tool_call_id()));
        let Some(context) = context else { return };
        let open = OpenAgent::new(&self.kit, &context, now, agent.name(), agent.key());
        // One of this number that never ended goes with its parent.
        let before = self.open.insert(agent.number(), open);
        before.into_iter().for_each(|open| open.close(&self.kit, now, None, |_| ()));
    }

    fn code_checked(&mut self, agent: &Agent, tool_call_id: Option<&str>, ok: bool, diagnostics: &Value) {
        let mut attributes = self.kit.attributes();
        attributes.flag("lmthing.code_check.ok", ok);
        attributes.count("lmthing.code_check.diagnostics", diagnostics.as_array().map_or(0, Vec::len));
        // They show names and texts of the code.
        if self.kit.captures_content {
            attributes.json("lmthing.code_check.details", diagnostics.clone());
        }
        let event = SpanEvent::new("lmthing.code_check", self.now(), attributes.into_list(), 0);
        if let Some((open, _)) = self.of(agent) {
            open.tell_of_code(tool_call_id, event);
        }
    }

    fn tell(&mut self, agent: &Agent, name: &'static str, fill: impl FnOnce(&mut Attributes)) {
        let mut attributes = self.kit.attributes();
        fill(&mut attributes);
        let now = self.now();
        if let Some((open, _)) = self.of(agent) {
            open.tell(name.into(), now, attributes.into_list());
        }
    }

    fn change(&mut self, agent: &Agent, change: impl FnOnce(&mut OpenAgent, &Kit, SystemTime)) {
        let now = self.now();
        if let Some((open, kit)) = self.own(agent) {
            change(open, kit, now);
        }
    }

    /// The agent itself, if it is at work.
    fn own(&mut self, agent: &Agent) -> Option<(&mut OpenAgent, &Kit)> {
        self.open.get_mut(&agent.number()).map(|open| (open, &self.kit))
    }

    /// The agent itself, if it is at work, or who it works for.
    fn of(&mut self, agent: &Agent) -> Option<(&mut OpenAgent, &Kit)> {
        let number = if self.open.contains_key(&agent.number()) { agent.number() } else { self.above(agent) };
        self.open.get_mut(&number).map(|open| (open, &self.kit))
    }

    /// The number of the nearest that this one works for.
    fn above(&self, agent: &Agent) -> u64 {
        let above = self.open.iter().filter(|(_, open)| is_beneath(agent.key(), &open.key));
        above.max_by_key(|(_, open)| open.key.len()).map_or(0, |(number, _)| *number)
    }
}

/// Whether what has this key is the other, or works for it.
fn is_beneath(key: &str, other: &str) -> bool {
    key.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a file is called: its name up to what all prompt files end with.
fn name_of(file: &str) -> &str {
    let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file);
    let end = name.find(".lmt.").or_else(|| name.rfind('.')).filter(|end| *end > 0);
    end.map_or(name, |end| &name[..end])
}

fn of_retry(attributes: &mut Attributes, retry: &Retry) {
    attributes.text("lmthing.message", &retry.message);
    attributes.text("lmthing.retry.model", &retry.model);
    attributes.text("lmthing.retry.reason", &retry.reason);
    retry.attempt.into_iter().for_each(|attempt| attributes.count("lmthing.retry.attempt", attempt));
    attributes.number("lmthing.retry.wait", Duration::from_millis(retry.wait_ms).as_secs_f64());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_called_as_its_file_is() {
        let names = ["a/weather.lmt.mjs", "weather.lmt.ts", "plain.mjs", ".hidden", "x.lmt.test.lmt.mjs", "bare"];
        assert_eq!(names.map(name_of), ["weather", "weather", "plain", ".hidden", "x", "bare"]);
    }

    #[test]
    fn keys_tell_who_works_for_whom() {
        let cases = [("", ""), ("/0:a#0", ""), ("/0:a#0/1:b#0", "/0:a#0"), ("/0:a#01", "/0:a#0"), ("", "/0:a#0")];
        assert_eq!(cases.map(|(key, other)| is_beneath(key, other)), [true, true, true, false, false]);
    }
}
