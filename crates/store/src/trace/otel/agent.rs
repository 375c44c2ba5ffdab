//! The run of a prompt as a span, `invoke_agent`: the file's own, an agent's, or one that a script runs by hand.

use std::{borrow::Cow, rc::Rc, time::SystemTime};

use opentelemetry::{
    Context, KeyValue,
    trace::{Event, Span as _, SpanKind},
};
use opentelemetry_sdk::trace::Span;

use super::{
    attributes::{Attributes, SpanFactory, SpanFailure, add, child_context},
    chat::ChatSpan,
    tool::ToolSpan,
};
use lmthing_base::chat::{Step, ToolResult, Usage};

/// The tool whose code is checked before it runs.
const CODE_TOOL: &str = "runToolCode";

pub(super) struct AgentRunSpan {
    span: Span,
    context: Context,
    /// A prefix of the keys of its descendants.
    pub(super) key: String,
    pub(super) chat: Option<ChatSpan>,
    pub(super) tools: Vec<ToolSpan>,
    /// The model of its first request.
    model: Option<Rc<str>>,
    steps: usize,
    /// Includes its descendants.
    usage: Usage,
    cost: Option<f64>,
}

impl AgentRunSpan {
    pub(super) fn new(factory: &SpanFactory, parent: &Context, now: SystemTime, name: &str, key: &str) -> Self {
        let mut attributes = factory.operation_attributes("invoke_agent");
        attributes.text("gen_ai.agent.name", name);
        let span = factory.start(&format!("invoke_agent {name}"), SpanKind::Internal, parent, now, attributes);
        AgentRunSpan {
            context: child_context(&span),
            span,
            key: key.to_owned(),
            chat: None,
            tools: Vec::new(),
            model: None,
            steps: 0,
            usage: Usage::default(),
            cost: Some(0.0),
        }
    }

    pub(super) fn is_sampled(&self) -> bool {
        self.span.span_context().is_sampled()
    }

    /// The context for its children: within the call of this tool, if that is open.
    pub(super) fn context(&mut self, factory: &SpanFactory, tool_call_id: Option<&str>) -> Context {
        let context = self.context.clone();
        let tool = tool_call_id.and_then(|id| self.tools.iter_mut().find(|tool| tool.id == id));
        tool.map(|tool| tool.context(factory, &context)).unwrap_or(context)
    }

    pub(super) fn start_request(
        &mut self,
        factory: &SpanFactory,
        chat: impl FnOnce(&Context) -> ChatSpan,
        model: &Rc<str>,
        now: SystemTime,
    ) {
        self.close_chat(factory, now, None, None);
        self.model.get_or_insert_with(|| model.clone());
        self.chat = Some(chat(&self.context));
    }

    /// Adds the usage of an answer, its own or a descendant's.
    pub(super) fn add_usage(&mut self, usage: Usage, cost: Option<f64>) {
        self.usage = self.usage.plus(usage);
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum + cost);
    }

    pub(super) fn end_tool(
        &mut self,
        factory: &SpanFactory,
        result: &ToolResult,
        took: std::time::Duration,
        now: SystemTime,
    ) {
        let place = self.tools.iter().position(|tool| tool.id == result.tool_call_id);
        let tool = match place {
            Some(place) => self.tools.remove(place),
            None => ToolSpan::of_result(result, now.checked_sub(took).unwrap_or(now)),
        };
        tool.answered(factory, &self.context, now, result, took);
    }

    pub(super) fn end_step(&mut self, factory: &SpanFactory, step: &Step, model: &str, now: SystemTime) {
        self.steps += 1;
        let (of_provider, own): (Vec<_>, Vec<_>) = self.tools.drain(..).partition(ToolSpan::is_of_provider);
        self.tools = own;
        of_provider.into_iter().for_each(|tool| tool.end_without_result(factory, &self.context, now));
        self.close_chat(factory, now, Some((step, model)), None);
    }

    /// Ends everything that is open; the reason follows later.
    pub(super) fn cancel(&mut self, now: SystemTime) {
        self.chat.iter_mut().for_each(|chat| chat.cancel(now));
        self.tools.iter_mut().for_each(|tool| tool.cancel(now));
    }

    /// Adds an event to the current request, otherwise to the agent.
    pub(super) fn add_event(&mut self, name: Cow<'static, str>, now: SystemTime, attributes: Vec<KeyValue>) {
        match self.chat.as_mut().filter(|chat| chat.is_open()) {
            Some(chat) => chat.add_event(name, now, attributes),
            None => self.span.add_event_with_timestamp(name, now, attributes),
        }
    }

    /// Adds an event about code to the tool call with the code, if that is known.
    pub(super) fn add_code_event(&mut self, tool_call_id: Option<&str>, event: Event) {
        let predicate = |tool: &&mut ToolSpan| tool_call_id.map_or(tool.is(CODE_TOOL), |id| tool.id == id);
        match self.tools.iter_mut().find(predicate) {
            Some(tool) => tool.add_event(event),
            None => self.add_event(event.name, event.timestamp, event.attributes),
        }
    }

    /// Ends the span and everything that is open in it.
    pub(super) fn close(
        mut self,
        factory: &SpanFactory,
        now: SystemTime,
        failure: Option<&SpanFailure>,
        more: impl FnOnce(&mut Attributes),
    ) {
        self.close_chat(factory, now, None, failure);
        let context = self.context.clone();
        self.tools.drain(..).for_each(|tool| tool.end_unanswered(factory, &context, now, failure));
        let mut attributes = factory.attributes();
        if let Some(model) = &self.model {
            attributes.model(model);
        }
        attributes.usage(&self.usage);
        attributes.cost(self.cost);
        attributes.count("lmthing.steps", self.steps);
        more(&mut attributes);
        add(&mut self.span, attributes);
        failure.into_iter().for_each(|failure| factory.mark_failed(&mut self.span, failure));
        self.span.end_with_timestamp(now);
    }

    fn close_chat(
        &mut self,
        factory: &SpanFactory,
        now: SystemTime,
        step: Option<(&Step, &str)>,
        failure: Option<&SpanFailure>,
    ) {
        self.chat.take().into_iter().for_each(|chat| chat.close(factory, now, step, failure));
    }
}
