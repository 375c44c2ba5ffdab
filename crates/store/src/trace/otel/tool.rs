//! A tool call as a span, `execute_tool`.

use std::time::{Duration, SystemTime};

use opentelemetry::{
    Context,
    trace::{Event, Span as _, SpanKind},
};
use opentelemetry_sdk::trace::Span;

use super::attributes::{SpanFactory, SpanFailure, add, child_context};
use lmthing_base::chat::{ToolInput, ToolResult};

/// A call without a result.
pub(super) struct ToolSpan {
    pub(super) id: String,
    name: String,
    description: Option<String>,
    arguments: ToolInput,
    is_of_provider: bool,
    /// When the model had written it.
    called_at: SystemTime,
    /// Events before the span started.
    early: Vec<Event>,
    span: Option<Span>,
    cancelled_at: Option<SystemTime>,
}

impl ToolSpan {
    pub(super) fn new(id: &str, name: &str, input: &str, description: Option<String>, called_at: SystemTime) -> Self {
        ToolSpan {
            id: id.to_owned(),
            name: name.to_owned(),
            description,
            arguments: ToolInput::from_text(input),
            is_of_provider: false,
            called_at,
            early: Vec::new(),
            span: None,
            cancelled_at: None,
        }
    }

    pub(super) fn run_by_provider(self, is_of_provider: bool) -> Self {
        ToolSpan { is_of_provider, ..self }
    }

    /// A call that was made before the export started.
    pub(super) fn of_result(result: &ToolResult, called_at: SystemTime) -> Self {
        let mut tool = ToolSpan::new(&result.tool_call_id, &result.tool_name, "", None, called_at);
        tool.arguments = result.input.clone();
        tool
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// The context for children of the call.
    pub(super) fn context(&mut self, factory: &SpanFactory, parent: &Context) -> Context {
        child_context(self.span(factory, parent, self.called_at))
    }

    pub(super) fn add_event(&mut self, event: Event) {
        match &mut self.span {
            Some(span) => span.add_event_with_timestamp(event.name, event.timestamp, event.attributes),
            None => self.early.push(event),
        }
    }

    pub(super) fn cancel(&mut self, now: SystemTime) {
        self.cancelled_at.get_or_insert(now);
    }

    /// The span. It starts as late as possible: the duration of a call is known with its result, and calls may have to wait.
    fn span(&mut self, factory: &SpanFactory, parent: &Context, start: SystemTime) -> &mut Span {
        let (id, name, is_of_provider) = (&self.id, &self.name, self.is_of_provider);
        let (description, arguments, early) = (&self.description, &self.arguments, &mut self.early);
        self.span.get_or_insert_with(|| {
            let mut attributes = factory.operation_attributes("execute_tool");
            attributes.text("gen_ai.tool.name", name);
            attributes.text("gen_ai.tool.call.id", id);
            attributes.constant("gen_ai.tool.type", if is_of_provider { "extension" } else { "function" });
            if let Some(description) = description {
                attributes.text("gen_ai.tool.description", description);
            }
            if factory.captures_content {
                attributes.json("gen_ai.tool.call.arguments", arguments.value().clone());
            }
            let mut span =
                factory.start(&format!("execute_tool {name}"), SpanKind::Internal, parent, start, attributes);
            for event in early.drain(..) {
                span.add_event_with_timestamp(event.name, event.timestamp, event.attributes);
            }
            span
        })
    }

    pub(super) fn answered(
        mut self,
        factory: &SpanFactory,
        parent: &Context,
        now: SystemTime,
        result: &ToolResult,
        took: Duration,
    ) {
        let start = now.checked_sub(took).unwrap_or(self.called_at).max(self.called_at);
        let span = self.span(factory, parent, start);
        if factory.captures_content {
            let mut attributes = factory.attributes();
            attributes.json("gen_ai.tool.call.result", result.output.to_value());
            add(span, attributes);
        }
        if result.output.is_error() {
            factory.mark_failed(span, &SpanFailure::new("tool_error", result.output.wire_text()));
        }
        span.end_with_timestamp(now);
    }

    pub(super) fn is_of_provider(&self) -> bool {
        self.is_of_provider
    }

    /// Ends the span of a call whose result the provider does not report.
    pub(super) fn end_without_result(mut self, factory: &SpanFactory, parent: &Context, now: SystemTime) {
        let start = self.called_at;
        self.span(factory, parent, start).end_with_timestamp(now);
    }

    /// Ends the span without a result.
    pub(super) fn end_unanswered(
        mut self,
        factory: &SpanFactory,
        parent: &Context,
        now: SystemTime,
        failure: Option<&SpanFailure>,
    ) {
        let (start, end) = (self.called_at, self.cancelled_at.unwrap_or(now));
        let span = self.span(factory, parent, start);
        let cut_off = SpanFailure::new("cut_off", "it was cut off before it was done");
        factory.mark_failed(span, failure.unwrap_or(&cut_off));
        span.end_with_timestamp(end);
    }
}
