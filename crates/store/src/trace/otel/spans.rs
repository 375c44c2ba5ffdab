//! Turns events into spans.

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
    agent::AgentRunSpan,
    attributes::{Attributes, Redact, SpanFactory, SpanFailure},
    chat::ChatSpan,
    tool::ToolSpan,
};
use lmthing_base::{
    chat::{StreamPart, Usage},
    event::{Agent, Event, EventKind, Retry, RunFinish},
};

/// The version of the semantic conventions that the names of spans and attributes come from.
const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.41.0";

pub(super) struct RunSpans {
    factory: SpanFactory,
    parent: Context,
    /// The time of the first event by both clocks, as the system's clock may be set back.
    began: (SystemTime, Instant),
    /// By number; 0 is the file's own prompt, which is open from the first event to the last.
    open: HashMap<u64, AgentRunSpan>,
}

impl RunSpans {
    pub(super) fn new(
        provider: &SdkTracerProvider,
        parent: Option<SpanContext>,
        clean: Redact,
        captures_content: bool,
    ) -> Self {
        let scope = InstrumentationScope::builder("lmthing");
        let scope = scope.with_version(env!("CARGO_PKG_VERSION")).with_schema_url(SCHEMA_URL).build();
        let tracer = provider.tracer_with_scope(scope);
        let parent = parent.map_or_else(Context::new, |parent| Context::new().with_remote_span_context(parent));
        RunSpans {
            factory: SpanFactory { tracer, clean, captures_content, run: String::new() },
            parent,
            began: (SystemTime::now(), Instant::now()),
            open: HashMap::new(),
        }
    }

    fn now(&self) -> SystemTime {
        self.began.0 + self.began.1.elapsed()
    }

    pub(super) fn handle(&mut self, event: &Event<'_>) {
        if let EventKind::RunStart { file, .. } = event.kind {
            return self.begin(event, file);
        }
        // Also if the run is not sampled.
        if self.open.is_empty() {
            return;
        }
        let agent = event.agent;
        match event.kind {
            EventKind::Stream(part) => self.record_part(agent, part),
            EventKind::StepStart { model, sent, .. } => {
                let now = self.now();
                if let Some((open, factory)) = self.open_span(agent) {
                    open.start_request(factory, |parent| ChatSpan::new(factory, parent, now, model, sent), model, now);
                }
            }
            EventKind::AnswerFinish { usage, is_estimated, cost, server } => {
                let now = self.now();
                let chat = self.open_span(agent).and_then(|(open, _)| open.chat.as_mut());
                // Estimates are those of limits.
                let usage = if *is_estimated { Usage::default() } else { *usage };
                chat.into_iter().for_each(|chat| chat.answered(now, (usage, *cost), server.clone()));
                let works_for = |open: &&mut AgentRunSpan| is_descendant(agent.key(), &open.key);
                self.open.values_mut().filter(works_for).for_each(|open| open.add_usage(usage, *cost));
            }
            EventKind::ToolResult { result, took } => {
                self.change(agent, |open, factory, now| open.end_tool(factory, result, *took, now))
            }
            EventKind::StepFinish { step, model, .. } => {
                self.change(agent, |open, factory, now| open.end_step(factory, step, model, now));
            }
            EventKind::PromptEnd => self.change(agent, |open, _, now| open.cancel(now)),
            EventKind::AgentStart => self.begin_agent(agent),
            EventKind::AgentFinish { error, .. } => {
                let fault = error.as_deref().map(|error| SpanFailure::new("agent_error", error));
                let now = self.now();
                if let Some(open) = self.open.remove(&agent.number()).filter(|_| !agent.is_root()) {
                    open.close(&self.factory, now, fault.as_ref(), |_| ());
                }
            }
            EventKind::CodeCheck { tool_call_id, ok, diagnostics, .. } => {
                self.code_checked(agent, tool_call_id.as_deref(), *ok, diagnostics);
            }
            EventKind::Warning { message } => {
                self.add_event(agent, "lmthing.warning", |attributes| attributes.text("lmthing.message", message));
            }
            EventKind::Retry(retry) => self.add_event(agent, "lmthing.retry", |attributes| of_retry(attributes, retry)),
            EventKind::RunFinish(end) => self.end(end),
            EventKind::RunStart { .. }
            | EventKind::ToolProgress { .. }
            | EventKind::Notice { .. }
            | EventKind::Approval { .. }
            | EventKind::CodeConsole { .. }
            | EventKind::TakenBack { .. }
            | EventKind::Output(_) => {}
        }
    }

    fn begin(&mut self, event: &Event<'_>, file: &str) {
        event.run().clone_into(&mut self.factory.run);
        let root = AgentRunSpan::new(&self.factory, &self.parent, self.now(), name_of(file), event.agent.key());
        if root.is_sampled() {
            self.open.insert(event.agent.number(), root);
        }
    }

    fn end(&mut self, end: &RunFinish) {
        let fault = match &end.error {
            Some(failure) => Some(SpanFailure::new(&failure.kind, failure.message.as_str())),
            None if end.exit_code != 0 => Some(SpanFailure::new("exit", format!("exit code {}", end.exit_code))),
            None => None,
        };
        let now = self.now();
        for (_, open) in self.open.drain() {
            let is_root = open.key.is_empty();
            open.close(&self.factory, now, fault.as_ref(), |attributes| {
                if is_root {
                    attributes.count("process.exit.code", end.exit_code);
                }
            });
        }
    }

    /// A part of an answer. There are many, so this does only what is needed.
    fn record_part(&mut self, agent: &Agent, part: &StreamPart) {
        let began = self.began;
        let now = || began.0 + began.1.elapsed();
        let Some((open, _)) = self.open_span(agent) else { return };
        let Some(chat) = &mut open.chat else { return };
        chat.record_part(part, now);
        if let StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, .. } = part {
            let tool = ToolSpan::new(tool_call_id, tool_name, input, chat.description_of(tool_name), now());
            open.tools.push(tool.run_by_provider(*provider_executed));
        }
    }

    fn begin_agent(&mut self, agent: &Agent) {
        let now = self.now();
        let context = self.of(agent).map(|(open, factory)| open.context(factory, agent.tool_call_id()));
        let Some(context) = context else { return };
        let open = AgentRunSpan::new(&self.factory, &context, now, agent.name(), agent.key());
        // An agent with this number that never ended is closed with its parent.
        let before = self.open.insert(agent.number(), open);
        before.into_iter().for_each(|open| open.close(&self.factory, now, None, |_| ()));
    }

    fn code_checked(&mut self, agent: &Agent, tool_call_id: Option<&str>, ok: bool, diagnostics: &Value) {
        let mut attributes = self.factory.attributes();
        attributes.flag("lmthing.code_check.ok", ok);
        attributes.count("lmthing.code_check.diagnostics", diagnostics.as_array().map_or(0, Vec::len));
        // They contain names and texts of the code.
        if self.factory.captures_content {
            attributes.json("lmthing.code_check.details", diagnostics.clone());
        }
        let event = SpanEvent::new("lmthing.code_check", self.now(), attributes.into_list(), 0);
        if let Some((open, _)) = self.of(agent) {
            open.add_code_event(tool_call_id, event);
        }
    }

    fn add_event(&mut self, agent: &Agent, name: &'static str, fill: impl FnOnce(&mut Attributes)) {
        let mut attributes = self.factory.attributes();
        fill(&mut attributes);
        let now = self.now();
        if let Some((open, _)) = self.of(agent) {
            open.add_event(name.into(), now, attributes.into_list());
        }
    }

    fn change(&mut self, agent: &Agent, change: impl FnOnce(&mut AgentRunSpan, &SpanFactory, SystemTime)) {
        let now = self.now();
        if let Some((open, factory)) = self.open_span(agent) {
            change(open, factory, now);
        }
    }

    /// The agent itself, if it is open.
    fn open_span(&mut self, agent: &Agent) -> Option<(&mut AgentRunSpan, &SpanFactory)> {
        self.open.get_mut(&agent.number()).map(|open| (open, &self.factory))
    }

    /// The agent itself if it is open, otherwise its nearest open ancestor.
    fn of(&mut self, agent: &Agent) -> Option<(&mut AgentRunSpan, &SpanFactory)> {
        let number = if self.open.contains_key(&agent.number()) { agent.number() } else { self.open_ancestor(agent) };
        self.open.get_mut(&number).map(|open| (open, &self.factory))
    }

    fn open_ancestor(&self, agent: &Agent) -> u64 {
        let above = self.open.iter().filter(|(_, open)| is_descendant(agent.key(), &open.key));
        above.max_by_key(|(_, open)| open.key.len()).map_or(0, |(number, _)| *number)
    }
}

fn is_descendant(key: &str, other: &str) -> bool {
    key.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The name of a file without the suffix of prompt files.
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
        assert_eq!(cases.map(|(key, other)| is_descendant(key, other)), [true, true, true, false, false]);
    }
}
