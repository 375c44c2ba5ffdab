//! The run of a prompt as a span, `invoke_agent`: the file's own, an agent's, one that a script runs by hand. Must not
//! know which of them it is, nor what else runs.

use std::{borrow::Cow, rc::Rc, time::SystemTime};

use opentelemetry::{
    Context, KeyValue,
    trace::{Event, Span as _, SpanKind},
};
use opentelemetry_sdk::trace::Span;

use super::{
    attributes::{Attributes, Fault, Kit, add, beneath},
    chat::Chat,
    tool::Tool,
};
use crate::chat::{Step, ToolResult, Usage};

/// The tool whose code is checked before it runs.
const CODE_TOOL: &str = "runToolCode";

/// A prompt's run that is not over.
pub(super) struct OpenAgent {
    span: Span,
    context: Context,
    /// Whose key begins the keys of what works for it.
    pub(super) key: String,
    pub(super) chat: Option<Chat>,
    pub(super) tools: Vec<Tool>,
    /// Of its first request.
    model: Option<Rc<str>>,
    steps: usize,
    /// With what works for it.
    usage: Usage,
    cost: Option<f64>,
}

impl OpenAgent {
    pub(super) fn new(kit: &Kit, parent: &Context, now: SystemTime, name: &str, key: &str) -> Self {
        let mut attributes = kit.of_operation("invoke_agent");
        attributes.text("gen_ai.agent.name", name);
        let span = kit.start(&format!("invoke_agent {name}"), SpanKind::Internal, parent, now, attributes);
        OpenAgent {
            context: beneath(&span),
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

    /// Whether spans of it are wanted.
    pub(super) fn is_sampled(&self) -> bool {
        self.span.span_context().is_sampled()
    }

    /// What happens within it: in the call of this tool, if that is under way.
    pub(super) fn context(&mut self, kit: &Kit, tool_call_id: Option<&str>) -> Context {
        let context = self.context.clone();
        let tool = tool_call_id.and_then(|id| self.tools.iter_mut().find(|tool| tool.id == id));
        tool.map(|tool| tool.context(kit, &context)).unwrap_or(context)
    }

    /// A request goes out.
    pub(super) fn asks(&mut self, kit: &Kit, chat: impl FnOnce(&Context) -> Chat, model: &Rc<str>, now: SystemTime) {
        self.close_chat(kit, now, None, None);
        self.model.get_or_insert_with(|| model.clone());
        self.chat = Some(chat(&self.context));
    }

    /// An answer is settled, its own or that of somebody who works for it.
    pub(super) fn pays(&mut self, usage: Usage, cost: Option<f64>) {
        self.usage = self.usage.plus(usage);
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum + cost);
    }

    /// A call is answered.
    pub(super) fn tool_answered(&mut self, kit: &Kit, result: &ToolResult, took: std::time::Duration, now: SystemTime) {
        let place = self.tools.iter().position(|tool| tool.id == result.tool_call_id);
        let tool = match place {
            Some(place) => self.tools.remove(place),
            None => Tool::of_result(result, now.checked_sub(took).unwrap_or(now)),
        };
        tool.answered(kit, &self.context, now, result, took);
    }

    /// A step is over.
    pub(super) fn step_ends(&mut self, kit: &Kit, step: &Step, model: &str, now: SystemTime) {
        self.steps += 1;
        self.close_chat(kit, now, Some((step, model)), None);
    }

    /// Nothing more is made of what is under way; why is told later.
    pub(super) fn break_off(&mut self, now: SystemTime) {
        self.chat.iter_mut().for_each(|chat| chat.break_off(now));
        self.tools.iter_mut().for_each(|tool| tool.break_off(now));
    }

    /// Something that happened while it was asking, or else while it was at work.
    pub(super) fn tell(&mut self, name: Cow<'static, str>, now: SystemTime, attributes: Vec<KeyValue>) {
        match self.chat.as_mut().filter(|chat| chat.is_open()) {
            Some(chat) => chat.tell(name, now, attributes),
            None => self.span.add_event_with_timestamp(name, now, attributes),
        }
    }

    /// Something that happened to code: in the call that it came with, if that is known.
    pub(super) fn tell_of_code(&mut self, tool_call_id: Option<&str>, event: Event) {
        let is_it = |tool: &&mut Tool| tool_call_id.map_or(tool.is(CODE_TOOL), |id| tool.id == id);
        match self.tools.iter_mut().find(is_it) {
            Some(tool) => tool.tell(event),
            None => self.tell(event.name, event.timestamp, event.attributes),
        }
    }

    /// It is over, and so is everything that was under way in it.
    pub(super) fn close(
        mut self,
        kit: &Kit,
        now: SystemTime,
        fault: Option<&Fault>,
        more: impl FnOnce(&mut Attributes),
    ) {
        self.close_chat(kit, now, None, fault);
        let context = self.context.clone();
        self.tools.drain(..).for_each(|tool| tool.given_up(kit, &context, now, fault));
        let mut attributes = kit.attributes();
        if let Some(model) = &self.model {
            attributes.model(model);
        }
        attributes.usage(&self.usage);
        attributes.cost(self.cost);
        attributes.count("lmthing.steps", self.steps);
        more(&mut attributes);
        add(&mut self.span, attributes);
        fault.into_iter().for_each(|fault| kit.fails(&mut self.span, fault));
        self.span.end_with_timestamp(now);
    }

    fn close_chat(&mut self, kit: &Kit, now: SystemTime, step: Option<(&Step, &str)>, fault: Option<&Fault>) {
        self.chat.take().into_iter().for_each(|chat| chat.close(kit, now, step, fault));
    }
}
