//! Decodes responses of Gemini.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{
    contents::CALL_ID,
    grounding::Grounding,
    server_calls::{ServerCalls, ServerPart},
};
use crate::{
    error_kind::kind_of_error,
    error_text::message_in_error,
    wire::{
        Output, WireDecoder, WireEvent,
        ending::End,
        lenient,
        output::{TextBlocks, usage},
        values::metadata,
    },
};
use lmthing_base::chat::{FinishReason, ProviderOptions, ResponseMetadata, StreamPart, Usage};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default, deserialize_with = "lenient::list")]
    candidates: Vec<Candidate>,
    #[serde(default, deserialize_with = "lenient::object")]
    usage_metadata: Option<UsageMetadata>,
    #[serde(default)]
    prompt_feedback: Option<Value>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    response_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    model_version: Option<String>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default, deserialize_with = "lenient::object")]
    content: Option<Content>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    finish_reason: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    grounding_metadata: Option<Box<Value>>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    finish_message: Option<String>,
    #[serde(default)]
    safety_ratings: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Content {
    #[serde(default, deserialize_with = "lenient::list")]
    parts: Vec<Part>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(default, deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(default, deserialize_with = "lenient::flag")]
    thought: bool,
    #[serde(default, deserialize_with = "lenient::text")]
    thought_signature: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    function_call: Option<FunctionCall>,
    #[serde(default, deserialize_with = "lenient::object")]
    inline_data: Option<InlineData>,
    #[serde(flatten)]
    server: ServerPart,
}

#[derive(Debug, Deserialize)]
struct FunctionCall {
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    id: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    name: Option<String>,
    /// Not parsed, as a `Value` cannot contain lone surrogates.
    #[serde(default)]
    args: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InlineData {
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    mime_type: Option<String>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    data: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsageMetadata {
    #[serde(default, deserialize_with = "lenient::count")]
    prompt_token_count: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    candidates_token_count: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    cached_content_token_count: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    thoughts_token_count: Option<u64>,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    service_tier: Option<String>,
    /// Vertex, such as `ON_DEMAND_PRIORITY`.
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    traffic_type: Option<String>,
}

impl UsageMetadata {
    fn tier(&mut self) -> Option<String> {
        let of_traffic = || {
            let word = self.traffic_type.take()?.to_ascii_lowercase();
            Some(word.strip_prefix("on_demand_").map_or(word.clone(), str::to_owned))
        };
        self.service_tier.take().or_else(of_traffic)
    }
}

pub(super) struct GoogleDecoder {
    provider: &'static str,
    sent_metadata: bool,
    blocks: TextBlocks,
    grounding: Grounding,
    server_calls: ServerCalls,
    saw_call: bool,
    saw_candidate: bool,
    end: End,
    /// A chunk without a finish reason was read, so a reason marks the end.
    reason_marks_end: bool,
    idle: bool,
    blocked: Option<Value>,
    failed: bool,
    usage: Usage,
    service_tier: Option<String>,
}

impl GoogleDecoder {
    pub(super) fn new(provider: &'static str) -> Self {
        GoogleDecoder {
            provider,
            sent_metadata: false,
            blocks: TextBlocks::default(),
            grounding: Grounding::default(),
            server_calls: ServerCalls::default(),
            saw_call: false,
            saw_candidate: false,
            end: End::default(),
            reason_marks_end: false,
            idle: false,
            blocked: None,
            failed: false,
            usage: Usage::default(),
            service_tier: None,
        }
    }

    fn chunk(&mut self, chunk: Chunk, out: &mut Output) {
        if let Some(error) = chunk.error {
            self.failed = true;
            let message = message_in_error(&error).unwrap_or_else(|| error.to_string());
            return out.failure(kind_of_error(&error, &message), message);
        }
        if !self.sent_metadata && (chunk.response_id.is_some() || chunk.model_version.is_some()) {
            self.sent_metadata = true;
            out.part(StreamPart::ResponseMetadata(ResponseMetadata {
                id: chunk.response_id,
                model_id: chunk.model_version,
                ..ResponseMetadata::default()
            }));
        }
        if let Some(mut wire) = chunk.usage_metadata {
            self.service_tier = wire.tier().or(self.service_tier.take());
            let thoughts = wire.thoughts_token_count.unwrap_or(0);
            let output = wire.candidates_token_count.unwrap_or(0) + thoughts;
            let cached = wire.cached_content_token_count.unwrap_or(0);
            let input = wire.prompt_token_count.unwrap_or(0);
            let has_cache_count = wire.cached_content_token_count.is_some();
            let usage = usage(Some(input), Some(output), Some(cached), Some(thoughts));
            self.usage = Usage { has_cache_count, ..usage };
        }
        self.blocked = chunk.prompt_feedback.or(self.blocked.take());
        self.idle = true;
        let Some(candidate) = chunk.candidates.into_iter().next() else { return };
        self.saw_candidate = true;
        for part in candidate.content.into_iter().flat_map(|content| content.parts) {
            self.idle = false;
            // Content after a reason: the reason does not mark the end.
            self.reason_marks_end &= !self.end.is_known();
            self.part(part, out);
        }
        if let Some(metadata) = candidate.grounding_metadata {
            self.grounding.add(*metadata);
        }
        match candidate.finish_reason {
            Some(reason) => {
                self.end.set_word(&reason);
                self.end.add_words(&candidate.finish_message.unwrap_or_default());
                self.end.add_filters(&candidate.safety_ratings.unwrap_or_default());
            }
            None => self.reason_marks_end |= !self.end.is_known(),
        }
    }

    /// Ends the answer with the reason for which its prompt was blocked, if it was.
    fn block(&mut self) {
        let text = |key: &str| self.blocked.as_ref().and_then(|why| why.get(key)?.as_str());
        let (Some(reason), message) = (text("blockReason"), text("blockReasonMessage").unwrap_or_default()) else {
            return;
        };
        self.end.refuse(reason);
        self.end.add_words(&format!("The prompt was blocked, and the model did not see it. {message}"));
        let ratings = self.blocked.as_ref().and_then(|why| why.get("safetyRatings"));
        self.end.add_filters(ratings.unwrap_or(&Value::Null));
    }

    fn part(&mut self, part: Part, out: &mut Output) {
        let signature: Option<ProviderOptions> =
            part.thought_signature.map(|signature| metadata(self.provider, [("thoughtSignature", json!(signature))]));
        if let Some(call) = part.function_call {
            self.blocks.close(out);
            self.saw_call = true;
            return self.call(call, signature, out);
        }
        if part.server.is_set() {
            self.blocks.close(out);
            return self.server_calls.part(part.server, self.provider, signature.as_ref(), out);
        }
        if let Some(data) = part.inline_data {
            self.blocks.close(out);
            let Some(content) = data.data else { return };
            let media_type = data.mime_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            return out.part(StreamPart::File { media_type, data: content });
        }
        match (part.text, part.thought) {
            (Some(text), true) => self.blocks.reasoning(text, signature, out),
            (Some(text), _) => {
                self.grounding.text(&text);
                self.blocks.text(text, signature, out);
            }
            (None, _) => {}
        }
    }

    /// Metadata with the id of a call, which goes back with it and with its result.
    fn with_call_id(&self, mut metadata: ProviderOptions, id: String) -> ProviderOptions {
        if let Value::Object(own) = metadata.entry(self.provider).or_insert_with(|| json!({})) {
            own.insert(CALL_ID.into(), id.into());
        }
        metadata
    }

    fn call(&self, call: FunctionCall, signature: Option<ProviderOptions>, out: &mut Output) {
        let metadata = match call.id {
            Some(id) => Some(self.with_call_id(signature.unwrap_or_default(), id)),
            None => signature,
        };
        // This id connects call and result within the run. That of the service, if there is one, need not be unique.
        let id = crate::wire::output::generated_id("call");
        let input =
            call.args.filter(|args| args.get() != "null").map_or_else(|| "{}".to_owned(), |args| arguments(&args));
        let name = call.name.unwrap_or_default();
        out.part(StreamPart::ToolInputStart { id: id.clone(), tool_name: name.clone() });
        out.part(StreamPart::ToolInputDelta { id: id.clone(), delta: input.clone() });
        out.tool_call(id, name, input, metadata);
    }
}

fn arguments(args: &RawValue) -> String {
    serde_json::from_str::<Value>(args.get()).map_or_else(|_| args.get().to_owned(), |args| args.to_string())
}

impl WireDecoder for GoogleDecoder {
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output) {
        let WireEvent::Data(data) = event else { return };
        if let Some(chunk) = out.parse::<Chunk>(data) {
            self.chunk(chunk, out);
        }
    }

    // Chunks with usage may follow the finish reason; only the end of the stream is certain.
    fn complete(&self) -> bool {
        self.end.is_known()
    }

    fn is_ending(&self) -> bool {
        self.complete() && (self.idle || self.reason_marks_end)
    }

    fn finish(&mut self, out: &mut Output) {
        self.blocks.close(out);
        if self.failed {
            return;
        }
        // Feedback also comes with normal responses, with safety ratings only.
        self.block();
        if !self.end.is_known() && (self.saw_candidate || self.blocked.is_none()) {
            return out.truncated();
        }
        if self.end.fail(out) {
            return;
        }
        self.end.report(out);
        let finish_reason = match self.end.finish_reason() {
            FinishReason::Stop if self.saw_call => FinishReason::ToolCalls,
            reason => reason,
        };
        out.service_tier(self.service_tier.take());
        out.sources(self.grounding.sources());
        let usage = Usage { web_searches: self.grounding.searches(), ..self.usage };
        let provider_metadata = self.blocked.take().map(|why| metadata(self.provider, [("promptFeedback", why)]));
        out.part(StreamPart::Finish { finish_reason, usage, is_paused: false, provider_metadata });
    }
}
