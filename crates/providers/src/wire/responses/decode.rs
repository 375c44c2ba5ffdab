//! Decodes responses of the Responses API.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    annotations::Annotations,
    items::{self, ProviderItems},
    summaries::{Summaries, item_metadata},
};
use crate::{
    error_kind::kind_of_error,
    error_text::message_in_error,
    wire::{Output, WireDecoder, WireEvent, ending::End, lenient, output::usage},
};
use lmthing_base::chat::{
    CallWarning, FinishReason, ProviderOptions, ResponseMetadata, StreamPart, Usage, token_count,
};

#[derive(Debug, Default, Deserialize)]
struct Event {
    #[serde(rename = "type", default, deserialize_with = "lenient::non_empty_text")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    item_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    output_index: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    summary_index: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    content_index: Option<u64>,
    #[serde(default)]
    annotation: Option<Value>,
    #[serde(default)]
    delta: Option<Value>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    refusal: Option<String>,
    #[serde(default)]
    item: Option<Value>,
    #[serde(default)]
    response: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    message: Option<String>,
    #[serde(default)]
    code: Option<Value>,
}

const UNKNOWN_INDEX: u64 = u64::MAX;

const UNNAMED_TEXT: &str = "text";

#[derive(Debug)]
struct OpenText {
    id: String,
    streamed: bool,
}

pub(super) struct ResponsesDecoder {
    provider: &'static str,
    /// Ids of streaming calls by output index, as deltas contain only the index.
    calls: BTreeMap<u64, String>,
    texts: Vec<OpenText>,
    annotations: Annotations,
    provider_items: ProviderItems,
    summaries: Summaries,
    saw_call: bool,
    saw_text: bool,
    /// What the model has said to refuse.
    refusal: Option<String>,
    end: End,
    finish_reason: Option<FinishReason>,
    failed: bool,
    usage: Usage,
}

impl ResponsesDecoder {
    pub(super) fn new(provider: &'static str) -> Self {
        ResponsesDecoder {
            provider,
            calls: BTreeMap::new(),
            texts: Vec::new(),
            annotations: Annotations::default(),
            provider_items: ProviderItems::new(provider),
            summaries: Summaries::new(provider),
            saw_call: false,
            saw_text: false,
            refusal: None,
            end: End::default(),
            finish_reason: None,
            failed: false,
            usage: Usage::default(),
        }
    }

    fn take(&mut self, event: Event, out: &mut Output) {
        match event.kind.as_deref().unwrap_or_default() {
            "response.output_text.delta" => self.text_delta(event, out),
            "response.refusal.delta" => {
                let delta = event.delta.as_ref().and_then(Value::as_str).unwrap_or_default();
                self.refusal.get_or_insert_default().push_str(delta);
            }
            "response.refusal.done" => self.refuse(&event.refusal.unwrap_or_default()),
            "response.function_call_arguments.delta" => {
                if let Some(id) = self.calls.get(&event.output_index.unwrap_or(UNKNOWN_INDEX))
                    && let Some(Value::String(delta)) = event.delta
                {
                    out.part(StreamPart::ToolInputDelta { id: id.clone(), delta });
                }
            }
            "response.mcp_call_arguments.delta" | "response.code_interpreter_call_code.delta" => {
                if let Some(Value::String(delta)) = event.delta {
                    self.provider_items.input_delta(event.output_index.unwrap_or(UNKNOWN_INDEX), &delta, out);
                }
            }
            "response.output_text.annotation.added" => {
                let item = event.item_id.or_else(|| self.texts.last().map(|text| text.id.clone()));
                if let (Some(item), Some(annotation)) = (item, event.annotation) {
                    self.annotations.add(item, event.content_index.unwrap_or(0), annotation);
                }
            }
            "response.reasoning_summary_text.delta" => {
                if let (Some(item), Some(Value::String(delta))) = (event.item_id, event.delta) {
                    self.summaries.delta(&item, event.summary_index.unwrap_or(0), delta, out);
                }
            }
            "response.reasoning_summary_part.added" => {
                if let Some(item) = event.item_id {
                    self.summaries.part(&item, event.summary_index.unwrap_or(0), out);
                }
            }
            "response.output_item.added" => self.item_added(event, out),
            "response.output_item.done" => self.item_done(event, out),
            "response.created" => response_metadata(event.response.as_ref(), out),
            "response.completed" | "response.incomplete" => {
                self.emit_missing_items(event.response.as_ref(), out);
                self.completed(event.response.as_ref(), out);
            }
            "response.failed" => {
                let error = event.response.as_ref().and_then(|response| response.get("error"));
                self.fail(error.unwrap_or(&Value::Null), "The model failed to answer.", out);
            }
            "error" => {
                // The service sends errors nested in `error` and flat.
                let flat = json!({ "message": event.message, "code": event.code });
                let error = event.error.filter(|error| !error.is_null()).unwrap_or(flat);
                self.fail(&error, "The provider reported an error without saying which.", out);
            }
            _ => {}
        }
    }

    fn fail(&mut self, error: &Value, default_message: &str, out: &mut Output) {
        self.failed = true;
        let message = message_in_error(error).unwrap_or_else(|| default_message.to_owned());
        out.failure(kind_of_error(error, &message), message);
    }

    fn item_metadata(&self, id: &str) -> Option<ProviderOptions> {
        let named = !id.is_empty() && id != UNNAMED_TEXT;
        named.then(|| item_metadata(self.provider, id))
    }

    fn text_delta(&mut self, event: Event, out: &mut Output) {
        let Some(Value::String(delta)) = event.delta else { return };
        // Without an id, the delta belongs to the current item.
        let named = event.item_id.or_else(|| self.texts.last().map(|text| text.id.clone()));
        let part = event.content_index.unwrap_or(0);
        self.text(named.unwrap_or_else(|| UNNAMED_TEXT.to_owned()), part, delta, out);
    }

    /// A whole refusal, which may have been streamed before.
    fn refuse(&mut self, words: &str) {
        let known = self.refusal.get_or_insert_default();
        if known.is_empty() {
            known.push_str(words);
        }
    }

    fn text(&mut self, id: String, part: u64, delta: String, out: &mut Output) {
        // Some servers omit `output_item.added`.
        if !self.texts.iter().any(|text| text.id == id) {
            self.start_text(&id, out);
        }
        for text in self.texts.iter_mut().filter(|text| text.id == id) {
            text.streamed = true;
        }
        self.annotations.text(&id, part, &delta);
        out.part(StreamPart::TextDelta { id, delta, provider_metadata: None });
    }

    fn start_text(&mut self, id: &str, out: &mut Output) {
        self.saw_text = true;
        self.texts.push(OpenText { id: id.to_owned(), streamed: false });
        out.part(StreamPart::TextStart { id: id.to_owned(), provider_metadata: self.item_metadata(id) });
    }

    fn end_text(&mut self, id: String, item: &Value, out: &mut Output) {
        let content = item.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for part in content.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("refusal")) {
            self.refuse(part.get("refusal").and_then(Value::as_str).unwrap_or_default());
        }
        let Some(place) = self.texts.iter().position(|text| text.id == id) else { return };
        if !self.texts.remove(place).streamed {
            for (index, part) in (0..).zip(content) {
                let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
                if !text.is_empty() {
                    let (id, delta) = (id.clone(), text.to_owned());
                    self.annotations.text(&id, index, &delta);
                    out.part(StreamPart::TextDelta { id, delta, provider_metadata: None });
                }
            }
        }
        self.close_text(id, content, out);
    }

    fn close_text(&mut self, id: String, content: &[Value], out: &mut Output) {
        let (annotations, sources) = self.annotations.end(&id, content);
        let mut provider_metadata = self.item_metadata(&id);
        // The service takes back annotations of a text of one part, as positions count from its beginning.
        if let Some(metadata) = &mut provider_metadata
            && content.len() < 2
            && !annotations.is_empty()
        {
            metadata[self.provider]["annotations"] = annotations.into();
        }
        out.part(StreamPart::TextEnd { id, provider_metadata });
        out.sources(sources);
    }

    fn item_added(&mut self, event: Event, out: &mut Output) {
        let Some(item) = event.item else { return };
        let id = text(&item, "id");
        match item.get("type").and_then(Value::as_str) {
            Some("message") => self.start_text(&id, out),
            Some("function_call") => {
                let call_id = call_id(&item);
                self.calls.insert(event.output_index.unwrap_or(UNKNOWN_INDEX), call_id.clone());
                out.part(StreamPart::ToolInputStart { id: call_id, tool_name: text(&item, "name") });
            }
            Some("reasoning") => {
                self.summaries.begin(&id, item.get("encrypted_content").cloned().unwrap_or_default(), out);
            }
            _ if items::is_run_by_provider(&item, self.provider) => {
                self.provider_items.begin(event.output_index.unwrap_or(UNKNOWN_INDEX), &item, out);
            }
            _ => {}
        }
    }

    fn item_done(&mut self, event: Event, out: &mut Output) {
        let Some(item) = event.item else { return };
        let id = text(&item, "id");
        match item.get("type").and_then(Value::as_str) {
            Some("message") => self.end_text(id, &item, out),
            Some("function_call") => {
                self.saw_call = true;
                let name = text(&item, "name");
                let started = self.calls.remove(&event.output_index.unwrap_or(UNKNOWN_INDEX));
                let call_id = started.unwrap_or_else(|| {
                    let id = call_id(&item);
                    out.part(StreamPart::ToolInputStart { id: id.clone(), tool_name: name.clone() });
                    id
                });
                out.tool_call(call_id, name, arguments(&item), self.item_metadata(&id));
            }
            Some("reasoning") => {
                let encrypted = item.get("encrypted_content").cloned();
                self.summaries.end(&id, encrypted, out);
            }
            _ if items::is_run_by_provider(&item, self.provider) => {
                self.provider_items.end(event.output_index.unwrap_or(UNKNOWN_INDEX), item, out);
            }
            Some(kind) if items::is_run_by_client(&item, self.provider) => {
                let details = Some(format!("the model made a {kind}, which only its own kind of client can run"));
                let warning = CallWarning { kind: "other".to_owned(), setting: None, details };
                out.part(StreamPart::StreamStart { warnings: vec![warning] });
            }
            _ => {}
        }
    }

    /// Emits items of the final response that were not streamed, as some servers send only this.
    fn emit_missing_items(&mut self, response: Option<&Value>, out: &mut Output) {
        let output = response.and_then(|response| response.get("output")).and_then(Value::as_array);
        let (saw_text, saw_call, saw_provider_items) = (self.saw_text, self.saw_call, self.provider_items.any);
        for item in output.into_iter().flatten() {
            let event = |item: &Value| Event { item: Some(item.clone()), ..Event::default() };
            match item.get("type").and_then(Value::as_str) {
                Some("message") if !saw_text => {
                    self.item_added(event(item), out);
                    self.item_done(event(item), out);
                }
                Some("function_call") if !saw_call => self.item_done(event(item), out),
                _ if !saw_provider_items && items::is_run_by_provider(item, self.provider) => {
                    self.item_done(event(item), out);
                }
                _ => {}
            }
        }
    }

    fn completed(&mut self, response: Option<&Value>, out: &mut Output) {
        let refusal = self.refusal.take();
        let field = |pointer: &str| response.and_then(|response| response.pointer(pointer));
        // The first event has the tier of the request, such as `auto`.
        out.service_tier(field("/service_tier").and_then(Value::as_str).map(str::to_owned));
        let reason = field("/incomplete_details/reason").and_then(Value::as_str);
        self.finish_reason = Some(match (reason, self.saw_call) {
            (Some("max_output_tokens"), _) => FinishReason::Length,
            (Some("content_filter"), _) => FinishReason::ContentFilter,
            (_, true) => FinishReason::ToolCalls,
            (None, false) if refusal.is_some() => FinishReason::ContentFilter,
            (None, false) => FinishReason::Stop,
            (Some(_), false) => FinishReason::Other,
        });
        if self.finish_reason == Some(FinishReason::ContentFilter) {
            self.end.refuse(reason.unwrap_or("refusal"));
            self.end.add_filters(field("/content_filters").unwrap_or(&Value::Null));
            self.end.add_words(&refusal.unwrap_or_default());
        }
        if field("/usage").is_some_and(Value::is_object) {
            let count = |pointer: &str| field(pointer).and_then(token_count);
            let cached = count("/usage/input_tokens_details/cached_tokens");
            let cache_write_tokens = count("/usage/input_tokens_details/cache_write_tokens");
            let reasoning = count("/usage/output_tokens_details/reasoning_tokens").unwrap_or(0);
            let (input, output) = (count("/usage/input_tokens"), count("/usage/output_tokens"));
            let has_cache_count = cached.is_some();
            let usage = usage(input, output, Some(cached.unwrap_or(0)), Some(reasoning));
            self.usage = Usage { cache_write_tokens, has_cache_count, ..usage };
        }
    }
}

impl WireDecoder for ResponsesDecoder {
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output) {
        let WireEvent::Data(data) = event else { return };
        if let Some(event) = out.parse::<Event>(data) {
            self.take(event, out);
        }
    }

    fn complete(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn finish(&mut self, out: &mut Output) {
        for OpenText { id, .. } in std::mem::take(&mut self.texts) {
            self.close_text(id, &[], out);
        }
        self.summaries.end_all(out);
        self.end.report(out);
        match self.finish_reason {
            Some(reason) => {
                let searches = self.provider_items.searches;
                out.finish(reason, Usage { web_searches: (searches > 0).then_some(searches), ..self.usage });
            }
            None if self.failed => {}
            None => out.truncated(),
        }
    }
}

fn text(item: &Value, key: &str) -> String {
    item.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn call_id(item: &Value) -> String {
    let given = [text(item, "call_id"), text(item, "id")];
    given.into_iter().find(|id| !id.is_empty()).unwrap_or_else(|| crate::wire::output::generated_id("call"))
}

fn arguments(item: &Value) -> String {
    match item.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(arguments) => arguments.to_string(),
        None => String::new(),
    }
}

fn response_metadata(response: Option<&Value>, out: &mut Output) {
    let Some(response) = response else { return };
    let string = |key: &str| response.get(key).and_then(Value::as_str).map(str::to_owned);
    // Seconds since 1970 fit into an i64.
    #[allow(clippy::cast_possible_truncation)]
    let timestamp = response.get("created_at").and_then(Value::as_f64).map(|seconds| (seconds * 1000.0) as i64);
    out.part(StreamPart::ResponseMetadata(ResponseMetadata {
        id: string("id"),
        model_id: string("model"),
        timestamp,
        ..ResponseMetadata::default()
    }));
}
