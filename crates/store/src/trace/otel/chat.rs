//! A request to a model and its answer as a span, `chat`.

use std::{borrow::Cow, rc::Rc, time::SystemTime};

use opentelemetry::{
    Context, KeyValue,
    trace::{Span as _, SpanKind},
};
use opentelemetry_sdk::trace::Span;

use super::{
    attributes::{Attributes, SpanFactory, SpanFailure, add, finish_reason},
    content,
};
use lmthing_base::{
    chat::{CallSettings, FinishReason, ResponseMetadata, Step, StreamPart, Usage},
    event::SentRequest,
};

pub(super) struct ChatSpan {
    span: Span,
    model: Rc<str>,
    start: SystemTime,
    sent: SentRequest,
    first_chunk: Option<SystemTime>,
    response: ResponseMetadata,
    finish: Option<FinishReason>,
    failure: Option<String>,
    used: Option<(Usage, Option<f64>)>,
    /// The base URL of the server that was asked, or has answered.
    server: Option<Rc<str>>,
    /// When the answer was complete or broke off.
    end: Option<SystemTime>,
}

impl ChatSpan {
    pub(super) fn new(
        factory: &SpanFactory,
        parent: &Context,
        now: SystemTime,
        model: &Rc<str>,
        sent: &SentRequest,
    ) -> Self {
        let mut attributes = factory.operation_attributes("chat");
        let name = format!("chat {}", attributes.model(model));
        attributes.flag("gen_ai.request.stream", true);
        let span = factory.start(&name, SpanKind::Client, parent, now, attributes);
        ChatSpan {
            span,
            model: model.clone(),
            start: now,
            sent: sent.clone(),
            first_chunk: None,
            response: ResponseMetadata::default(),
            finish: None,
            failure: None,
            used: None,
            server: sent.server.clone(),
            end: None,
        }
    }

    /// The description of a tool in the request.
    pub(super) fn description_of(&self, tool: &str) -> Option<String> {
        let spec = self.sent.tools.as_deref()?.iter().find(|spec| spec.name == tool)?;
        Some(spec.description.clone()).filter(|description| !description.is_empty())
    }

    pub(super) fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// Handles a part of the answer; `now` is called only where it is needed.
    pub(super) fn record_part(&mut self, part: &StreamPart, now: impl FnOnce() -> SystemTime) {
        // A paused answer goes on.
        self.end = None;
        match part {
            StreamPart::StreamStart { .. } => return,
            StreamPart::ResponseMetadata(metadata) => {
                self.response.id = metadata.id.clone().or(self.response.id.take());
                self.response.model_id = metadata.model_id.clone().or(self.response.model_id.take());
                return;
            }
            StreamPart::Error { error } => self.failure = Some(error.to_string()),
            StreamPart::Finish { finish_reason, .. } => self.finish = Some(*finish_reason),
            _ => {}
        }
        if self.first_chunk.is_none() {
            self.first_chunk = Some(now());
        }
    }

    /// Adds the use of the answer, or of a part of it.
    pub(super) fn answered(&mut self, now: SystemTime, (usage, cost): (Usage, Option<f64>), server: Option<Rc<str>>) {
        let (before, known) = self.used.unwrap_or((Usage::default(), Some(0.0)));
        self.used = Some((before.plus(usage), known.zip(cost).map(|(sum, cost)| sum + cost)));
        self.server = server;
        self.end = Some(now);
    }

    pub(super) fn cancel(&mut self, now: SystemTime) {
        self.end.get_or_insert(now);
    }

    pub(super) fn add_event(&mut self, name: Cow<'static, str>, now: SystemTime, attributes: Vec<KeyValue>) {
        self.span.add_event_with_timestamp(name, now, attributes);
    }

    /// Ends the span after its step; without a step, `fault` is the reason.
    pub(super) fn close(
        mut self,
        factory: &SpanFactory,
        now: SystemTime,
        step: Option<(&Step, &str)>,
        fault: Option<&SpanFailure>,
    ) {
        let finish = step.map(|(step, _)| step.output.finish_reason).or(self.finish);
        let mut attributes = factory.attributes();
        self.response(&mut attributes, step, finish);
        if let Some((step, _)) = step {
            settings(&mut attributes, &step.settings);
        }
        if factory.captures_content {
            self.content(&mut attributes, step, finish);
        }
        add(&mut self.span, attributes);
        match finish {
            Some(FinishReason::Error) => {
                let message = self.failure.take().unwrap_or_else(|| "the answer broke off with an error".to_owned());
                factory.mark_failed(&mut self.span, &SpanFailure::new("provider_error", message));
            }
            Some(_) => {}
            None => {
                let cut_off = SpanFailure::new("cut_off", "the request was not answered to its end");
                factory.mark_failed(&mut self.span, fault.unwrap_or(&cut_off));
            }
        }
        self.span.end_with_timestamp(self.end.unwrap_or(now));
    }

    fn response(&self, attributes: &mut Attributes, step: Option<(&Step, &str)>, finish: Option<FinishReason>) {
        let answered_by = step.map(|(_, model)| model.split_once(':').map_or(model, |(_, id)| id));
        if let Some(model) = self.response.model_id.as_deref().or(answered_by) {
            attributes.text("gen_ai.response.model", model);
        }
        if let Some((_, model)) = step.filter(|(_, model)| **model != *self.model) {
            attributes.text("lmthing.answered_by", model);
        }
        if let Some(id) = &self.response.id {
            attributes.text("gen_ai.response.id", id);
        }
        if let Some(finish) = finish {
            attributes.texts("gen_ai.response.finish_reasons", [finish_reason(finish)]);
        }
        if let Some(first) = self.first_chunk.and_then(|first| first.duration_since(self.start).ok()) {
            attributes.number("gen_ai.response.time_to_first_chunk", first.as_secs_f64());
        }
        if let Some((usage, cost)) = &self.used {
            attributes.usage(usage);
            attributes.cost(*cost);
        }
        self.server.iter().for_each(|server| attributes.server(server));
    }

    fn content(&self, attributes: &mut Attributes, step: Option<(&Step, &str)>, finish: Option<FinishReason>) {
        let messages = self.sent.messages.to_vec();
        if let Some(system) = content::system(&messages) {
            attributes.json("gen_ai.system_instructions", system);
        }
        attributes.json("gen_ai.input.messages", content::input(&messages));
        if let Some(tools) = self.sent.tools.as_deref().filter(|tools| !tools.is_empty()) {
            attributes.json("gen_ai.tool.definitions", content::tools(tools));
        }
        if let Some((step, _)) = step {
            let message = step.output.message.as_deref();
            attributes.json("gen_ai.output.messages", content::output(message, finish.unwrap_or_default()));
        }
    }
}

fn settings(attributes: &mut Attributes, settings: &CallSettings) {
    let numbers = [
        ("gen_ai.request.temperature", settings.temperature),
        ("gen_ai.request.top_p", settings.top_p),
        ("gen_ai.request.top_k", settings.top_k),
        ("gen_ai.request.presence_penalty", settings.presence_penalty),
        ("gen_ai.request.frequency_penalty", settings.frequency_penalty),
    ];
    for (key, number) in numbers {
        number.into_iter().for_each(|number| attributes.number(key, number));
    }
    settings.max_output_tokens.into_iter().for_each(|tokens| attributes.count("gen_ai.request.max_tokens", tokens));
    settings.seed.into_iter().for_each(|seed| attributes.count("gen_ai.request.seed", seed));
    if let Some(texts) = &settings.stop_sequences {
        attributes.texts("gen_ai.request.stop_sequences", texts.iter().map(String::as_str));
    }
    if settings.response_format.is_some() {
        attributes.constant("gen_ai.output.type", "json");
    }
}
