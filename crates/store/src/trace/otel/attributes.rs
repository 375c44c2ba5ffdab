//! Attributes of spans, by the semantic conventions for generative AI, without secrets.

use std::{rc::Rc, time::SystemTime};

use opentelemetry::{
    Array, Context, KeyValue, StringValue, Value as AttributeValue,
    trace::{Span as _, SpanBuilder, SpanKind, Status, TraceContextExt, Tracer},
};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use serde_json::Value;
use url::{Host, Url};

use lmthing_base::chat::{FinishReason, Usage};

/// Replaces secrets in every text of a value.
pub type Redact = Rc<dyn Fn(&mut Value)>;

const MAX_MESSAGE: usize = 2000;

/// What all spans of a run share.
pub(super) struct SpanFactory {
    pub(super) tracer: SdkTracer,
    pub(super) clean: Redact,
    pub(super) captures_content: bool,
    pub(super) run: String,
}

#[derive(Clone, Debug)]
pub(super) struct SpanFailure {
    pub(super) kind: String,
    pub(super) message: String,
}

impl SpanFailure {
    pub(super) fn new(kind: &str, message: impl Into<String>) -> Self {
        SpanFailure { kind: kind.to_owned(), message: message.into() }
    }
}

impl SpanFactory {
    pub(super) fn operation_attributes(&self, operation: &'static str) -> Attributes {
        let mut attributes = self.attributes();
        attributes.constant("gen_ai.operation.name", operation);
        attributes.text("gen_ai.conversation.id", &self.run);
        attributes
    }

    pub(super) fn attributes(&self) -> Attributes {
        Attributes { list: Vec::new(), clean: self.clean.clone() }
    }

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

    /// A text without secrets, truncated.
    pub(super) fn message(&self, text: &str) -> String {
        // Truncated last: a part of a secret would not be recognized.
        clean_text(&self.clean, text.to_owned()).chars().take(MAX_MESSAGE).collect()
    }

    pub(super) fn mark_failed(&self, span: &mut Span, failure: &SpanFailure) {
        span.set_attribute(KeyValue::new("error.type", clean_text(&self.clean, failure.kind.clone())));
        span.set_status(Status::error(self.message(&failure.message)));
    }
}

pub(super) fn child_context(span: &Span) -> Context {
    Context::new().with_remote_span_context(span.span_context().clone())
}

pub(super) fn add(span: &mut Span, attributes: Attributes) {
    span.set_attributes(attributes.list);
}

pub(super) struct Attributes {
    list: Vec<KeyValue>,
    clean: Redact,
}

impl Attributes {
    pub(super) fn into_list(self) -> Vec<KeyValue> {
        self.list
    }

    fn push(&mut self, key: &'static str, value: impl Into<AttributeValue>) {
        self.list.push(KeyValue::new(key, value.into()));
    }

    pub(super) fn constant(&mut self, key: &'static str, value: &'static str) {
        self.push(key, value);
    }

    /// Adds a text that may contain secrets.
    pub(super) fn text(&mut self, key: &'static str, text: &str) {
        let text = clean_text(&self.clean, text.to_owned());
        self.push(key, text);
    }

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

    /// Adds JSON as text, which the conventions use for structured values.
    pub(super) fn json(&mut self, key: &'static str, mut value: Value) {
        (self.clean)(&mut value);
        self.push(key, value.to_string());
    }

    /// Adds the counts that are known. Of cached and reasoning tokens, providers that count none give no number, which
    /// [`Usage`] has as 0.
    pub(super) fn usage(&mut self, usage: &Usage) {
        let part = |count: Option<u64>| count.filter(|count| *count > 0);
        let counts = [
            ("gen_ai.usage.input_tokens", usage.input_tokens),
            ("gen_ai.usage.output_tokens", usage.output_tokens),
            ("gen_ai.usage.cache_read.input_tokens", part(usage.cached_input_tokens)),
            ("gen_ai.usage.cache_creation.input_tokens", part(usage.cache_write_tokens)),
            ("gen_ai.usage.reasoning.output_tokens", part(usage.reasoning_tokens)),
        ];
        for (key, count) in counts {
            count.into_iter().for_each(|count| self.count(key, count));
        }
    }

    /// Host and port of a base URL.
    pub(super) fn server(&mut self, base_url: &str) {
        if let Some((host, port)) = host_and_port(base_url) {
            self.text("server.address", &host);
            self.count("server.port", port);
        }
    }

    /// In US dollars; the conventions have no attribute for it.
    pub(super) fn cost(&mut self, cost: Option<f64>) {
        cost.into_iter().for_each(|cost| self.number("lmthing.cost", cost));
    }

    pub(super) fn model<'a>(&mut self, model: &'a str) -> &'a str {
        let (provider, id) = model.split_once(':').unwrap_or(("", model));
        self.text("gen_ai.provider.name", provider_name(provider));
        self.text("gen_ai.request.model", id);
        id
    }
}

fn clean_text(clean: &Redact, text: String) -> String {
    let mut value = Value::String(text);
    clean(&mut value);
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn host_and_port(url: &str) -> Option<(String, u16)> {
    let url = Url::parse(url).ok()?;
    let host = match url.host()? {
        // Without the brackets of a URL.
        Host::Ipv6(address) => address.to_string(),
        host => host.to_string(),
    };
    Some((host, url.port_or_known_default()?))
}

/// The name of a provider in the conventions.
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

/// The name of a finish reason in the conventions.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_by_host_and_port() {
        let cases = [
            ("https://api.example.com/v1", Some(("api.example.com", 443))),
            ("http://user:word@127.0.0.1:8080", Some(("127.0.0.1", 8080))),
            ("http://[::1]/v1", Some(("::1", 80))),
            ("nowhere", None),
        ];
        for (url, expected) in cases {
            let expected = expected.map(|(host, port)| (host.to_owned(), port));
            assert_eq!(host_and_port(url), expected, "{url}");
        }
    }
}
