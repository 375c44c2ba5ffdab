//! A tool call as a span, `execute_tool`. Must not know who calls, nor what else runs.

use std::time::{Duration, SystemTime};

use opentelemetry::{
    Context,
    trace::{Event, Span as _, SpanKind},
};
use opentelemetry_sdk::trace::Span;

use super::attributes::{Fault, Kit, add, beneath};
use crate::chat::{ToolInput, ToolResult};

/// A call that is not answered yet.
pub(super) struct Tool {
    pub(super) id: String,
    name: String,
    description: Option<String>,
    arguments: ToolInput,
    /// When the model had made it.
    heard: SystemTime,
    /// What happened before there was a span.
    early: Vec<Event>,
    span: Option<Span>,
    /// When it was broken off.
    broken_off: Option<SystemTime>,
}

impl Tool {
    pub(super) fn new(id: &str, name: &str, input: &str, description: Option<String>, heard: SystemTime) -> Self {
        Tool {
            id: id.to_owned(),
            name: name.to_owned(),
            description,
            arguments: ToolInput::from_text(input),
            heard,
            early: Vec::new(),
            span: None,
            broken_off: None,
        }
    }

    /// A call that was made before anybody listened.
    pub(super) fn of_result(result: &ToolResult, heard: SystemTime) -> Self {
        let mut tool = Tool::new(&result.tool_call_id, &result.tool_name, "", None, heard);
        tool.arguments = result.input.clone();
        tool
    }

    /// Whether this tool is called.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// What happens within the call.
    pub(super) fn context(&mut self, kit: &Kit, parent: &Context) -> Context {
        beneath(self.span(kit, parent, self.heard))
    }

    /// Something that happened in it.
    pub(super) fn tell(&mut self, event: Event) {
        match &mut self.span {
            Some(span) => span.add_event_with_timestamp(event.name, event.timestamp, event.attributes),
            None => self.early.push(event),
        }
    }

    /// It will not be answered.
    pub(super) fn break_off(&mut self, now: SystemTime) {
        self.broken_off.get_or_insert(now);
    }

    /// The span. It begins as late as it may: how long a call took is known when it is answered, and calls may have to wait.
    fn span(&mut self, kit: &Kit, parent: &Context, start: SystemTime) -> &mut Span {
        let (id, name) = (&self.id, &self.name);
        let (description, arguments, early) = (&self.description, &self.arguments, &mut self.early);
        self.span.get_or_insert_with(|| {
            let mut attributes = kit.of_operation("execute_tool");
            attributes.text("gen_ai.tool.name", name);
            attributes.text("gen_ai.tool.call.id", id);
            attributes.word("gen_ai.tool.type", "function");
            if let Some(description) = description {
                attributes.text("gen_ai.tool.description", description);
            }
            if kit.captures_content {
                attributes.json("gen_ai.tool.call.arguments", arguments.value().clone());
            }
            let mut span = kit.start(&format!("execute_tool {name}"), SpanKind::Internal, parent, start, attributes);
            for event in early.drain(..) {
                span.add_event_with_timestamp(event.name, event.timestamp, event.attributes);
            }
            span
        })
    }

    /// It is answered.
    pub(super) fn answered(
        mut self,
        kit: &Kit,
        parent: &Context,
        now: SystemTime,
        result: &ToolResult,
        took: Duration,
    ) {
        let start = now.checked_sub(took).unwrap_or(self.heard).max(self.heard);
        let span = self.span(kit, parent, start);
        if kit.captures_content {
            let mut attributes = kit.attributes();
            attributes.json("gen_ai.tool.call.result", result.output.to_value());
            add(span, attributes);
        }
        if result.output.is_error() {
            kit.fails(span, &Fault::new("tool_error", result.output.wire_text()));
        }
        span.end_with_timestamp(now);
    }

    /// It is not, and will not be.
    pub(super) fn given_up(mut self, kit: &Kit, parent: &Context, now: SystemTime, fault: Option<&Fault>) {
        let (start, end) = (self.heard, self.broken_off.unwrap_or(now));
        let span = self.span(kit, parent, start);
        let cut_off = Fault::new("cut_off", "it was cut off before it was done");
        kit.fails(span, fault.unwrap_or(&cut_off));
        span.end_with_timestamp(end);
    }
}
