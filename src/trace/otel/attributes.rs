//! Attributes of spans, by the semantic conventions for generative AI. Texts are without secrets. Must not know what
//! happens in a run.

use std::{rc::Rc, time::SystemTime};

use opentelemetry::{
    Array, Context, KeyValue, StringValue, Value as AttributeValue,
    trace::{Span as _, SpanBuilder, SpanKind, Status, TraceContextExt, Tracer},
};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use serde_json::Value;

use crate::chat::{FinishReason, Usage};

/// Replaces secrets in every text of a value.
pub(crate) type Clean = Rc<dyn Fn(&mut Value)>;

/// Longer messages of failures are cut.
const LONGEST_MESSAGE: usize = 2000;

/// What all spans of a run are made with.
pub(super) struct Kit {
    pub(super) tracer: SdkTracer,
    pub(super) clean: Clean,
    pub(super) captures_content: bool,
    /// The name of the run.
    pub(super) run: String,
}

/// What went wrong, for a status.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) kind: String,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(kind: &str, message: impl Into<String>) -> Self {
        Fault { kind: kind.to_owned(), message: message.into() }
    }
}

impl Kit {
    /// Attributes of a span that begins, with what all have.
    pub(super) fn of_operation(&self, operation: &'static str) -> Attributes {
        let mut attributes = self.attributes();
        attributes.word("gen_ai.operation.name", operation);
        attributes.text("gen_ai.conversation.id", &self.run);
        attributes
    }

    /// None yet.
    pub(super) fn attributes(&self) -> Attributes {
        Attributes { list: Vec::new(), clean: self.clean.clone() }
    }

    /// A span that begins.
    pub(super) fn start(
        &self,
        name: &str,
        kind: SpanKind,
        parent: &Context,
        start: SystemTime,
        attributes: Attributes,
    ) -> Span {
        let name = clean_text(&self.clean, name.to_owned());
        let builder = SpanBuilder::from_name(name).with_kind(kind).with_start_time(start);
        self.tracer.build_with_context(builder.with_attributes(attributes.list), parent)
    }

    /// A text without secrets, cut where it is long.
    pub(super) fn message(&self, text: &str) -> String {
        // Cut last: half a secret is not found any more.
        clean_text(&self.clean, text.to_owned()).chars().take(LONGEST_MESSAGE).collect()
    }

    /// Marks a span as failed.
    pub(super) fn fails(&self, span: &mut Span, fault: &Fault) {
        span.set_attribute(KeyValue::new("error.type", clean_text(&self.clean, fault.kind.clone())));
        span.set_status(Status::error(self.message(&fault.message)));
    }
}

/// The context of what happens beneath a span.
pub(super) fn beneath(span: &Span) -> Context {
    Context::new().with_remote_span_context(span.span_context().clone())
}

/// Adds to a span what is known by now.
pub(super) fn add(span: &mut Span, attributes: Attributes) {
    span.set_attributes(attributes.list);
}

/// Attributes that a span or an event of one is given.
pub(super) struct Attributes {
    list: Vec<KeyValue>,
    clean: Clean,
}

impl Attributes {
    pub(super) fn into_list(self) -> Vec<KeyValue> {
        self.list
    }

    fn push(&mut self, key: &'static str, value: impl Into<AttributeValue>) {
        self.list.push(KeyValue::new(key, value.into()));
    }

    /// A word of our own.
    pub(super) fn word(&mut self, key: &'static str, word: &'static str) {
        self.push(key, word);
    }

    /// A text that may hold secrets.
    pub(super) fn text(&mut self, key: &'static str, text: &str) {
        let text = clean_text(&self.clean, text.to_owned());
        self.push(key, text);
    }

    /// A list of texts.
    pub(super) fn texts<'a>(&mut self, key: &'static str, texts: impl IntoIterator<Item = &'a str>) {
        let texts = texts.into_iter().map(|text| StringValue::from(clean_text(&self.clean, text.to_owned())));
        let texts = texts.collect();
        self.push(key, AttributeValue::Array(Array::String(texts)));
    }

    pub(super) fn flag(&mut self, key: &'static str, flag: bool) {
        self.push(key, flag);
    }

    pub(super) fn number(&mut self, key: &'static str, number: f64) {
        self.push(key, number);
    }

    pub(super) fn count(&mut self, key: &'static str, count: impl TryInto<i64>) {
        if let Ok(count) = count.try_into() {
            self.push(key, count);
        }
    }

    /// JSON as text, as the conventions have it where a value has more structure than attributes can.
    pub(super) fn json(&mut self, key: &'static str, mut value: Value) {
        (self.clean)(&mut value);
        self.push(key, value.to_string());
    }

    pub(super) fn usage(&mut self, usage: &Usage) {
        let counts = [
            ("gen_ai.usage.input_tokens", usage.input_tokens),
            ("gen_ai.usage.output_tokens", usage.output_tokens),
            ("gen_ai.usage.cache_read.input_tokens", usage.cached_input_tokens),
            ("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens),
            ("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens),
        ];
        for (key, count) in counts {
            count.into_iter().for_each(|count| self.count(key, count));
        }
    }

    /// In US dollars; the conventions have no name for it.
    pub(super) fn cost(&mut self, cost: Option<f64>) {
        cost.into_iter().for_each(|cost| self.number("lmthing.cost", cost));
    }

    /// A model, from `provider:model`. Gives the model.
    pub(super) fn model<'a>(&mut self, model: &'a str) -> &'a str {
        let (provider, id) = model.split_once(':').unwrap_or(("", model));
        self.text("gen_ai.provider.name", provider_name(provider));
        self.text("gen_ai.request.model", id);
        id
    }
}

fn clean_text(clean: &Clean, text: String) -> String {
    let mut value = Value::String(text);
    clean(&mut value);
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// What the conventions call a provider.
fn provider_name(provider: &str) -> &str {
    match provider.split('.').next().unwrap_or(provider) {
        "azure" => "azure.ai.openai",
        "bedrock" => "aws.bedrock",
        "google" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "moonshot" | "moonshotai" => "moonshot_ai",
        "vertex" => "gcp.vertex_ai",
        "xai" => "x_ai",
        name => name,
    }
}

/// What the conventions call the reason for an end.
pub(super) fn finish_reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::ToolCalls => "tool_call",
        FinishReason::Error => "error",
        FinishReason::Other => "other",
    }
}
