//! Models written in JavaScript: objects with the AI SDK's `doStream`, in all versions of that interface
//! (docs/reference/models.md).

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use rquickjs::{Array, Ctx, Function, IntoJs, Object, Result, Value, atom::PredefinedAtom, function::This};
use serde_json::json;

use crate::bindings::values::{
    call_async, from_json, from_serde, message_of,
    messages::{MessageShape, message_to_js},
    property, settle, thrown_message, to_json, type_error,
};
use lmthing_base::{
    chat::{FinishReason, ModelRequest, StreamPart, ToolChoice, Usage, token_count},
    diagnostic::Location,
};
use lmthing_node::{
    PendingAnswer, PendingAnswerGuard, WaitingForScript, enable_async_values, location_of_function, with_async_values,
};
use lmthing_providers::{LanguageModel, PartStream, ProviderError, ProviderErrorKind};

/// Key of the async context value that is set while a script answers as a model.
pub(crate) const ANSWERING: &str = "lmthing:answering";

pub(crate) struct JsModel<'js> {
    ctx: Ctx<'js>,
    object: Object<'js>,
    provider: String,
    model_id: String,
    location: Option<Location>,
}

impl<'js> JsModel<'js> {
    /// Without `provider` and `modelId` it is `custom:custom`.
    pub(crate) fn new(ctx: &Ctx<'js>, object: Object<'js>) -> Result<Self> {
        let text = |key: &str| -> Result<String> {
            Ok(object
                .get::<_, Value>(key)?
                .as_string()
                .map(rquickjs::String::to_string)
                .transpose()?
                .unwrap_or_else(|| "custom".into()))
        };
        let (provider, model_id) = (text("provider")?, text("modelId")?);
        let do_stream = property(&object, "doStream")?.and_then(Value::into_function);
        let location = do_stream.and_then(|function| location_of_function(ctx, &function));
        Ok(JsModel { ctx: ctx.clone(), object, provider, model_id, location })
    }

    fn failed(&self, error: rquickjs::Error) -> ProviderError {
        let message = message_of(&self.ctx, error);
        ProviderError::new(ProviderErrorKind::Stream, &self.provider, &self.model_id, message)
    }

    /// Awaits an answer of the script in such a way that the event loop can detect a deadlock.
    async fn wait_for_answer<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        let location = self.location.clone();
        let responder = format!("the model {}:{}", self.provider, self.model_id);
        let _pending = PendingAnswerGuard::new(&self.ctx, PendingAnswer { responder, location })?;
        let _waiting = WaitingForScript::new(&self.ctx)?;
        answer.await
    }

    /// Marks the prompts that the script runs for its answer.
    async fn run_as_answer<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        enable_async_values(&self.ctx)?;
        let answering = true.into_js(&self.ctx)?;
        with_async_values(&self.ctx, [(ANSWERING, Some(answering))], work).await
    }

    async fn open(&self, request: ModelRequest) -> Result<PartSource<'js>> {
        let options = call_options(&self.ctx, &request)?;
        let do_stream: Function = self.object.get("doStream")?;
        let answer = do_stream.call::<_, Value>((This(self.object.clone()), options))?;
        let answer = self.wait_for_answer(settle(answer)).await?;
        let stream = match answer.as_object() {
            Some(object) => property(object, "stream")?,
            None => None,
        };
        match stream.and_then(Value::into_object) {
            Some(stream) => PartSource::new(&self.ctx, stream),
            None => Err(type_error(&self.ctx, "doStream must return {stream}, a stream of parts")),
        }
    }

    async fn next(&self, source: &PartSource<'js>) -> Result<Option<StreamPart>> {
        loop {
            let Some(value) = self.wait_for_answer(source.next()).await? else { return Ok(None) };
            if let Some(error) = error_of(&value)? {
                // An `Error` has no fields in JSON.
                let message = serde_json::Value::String(thrown_message(&self.ctx, &error));
                return Ok(Some(StreamPart::Error { error: message }));
            }
            // Unknown kinds of later versions are skipped.
            if let Some(part) = part_from_json(to_json(&self.ctx, &value)?) {
                return Ok(Some(part));
            }
        }
    }
}

impl LanguageModel for JsModel<'_> {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn stream<'a>(
        &'a self,
        request: ModelRequest,
    ) -> LocalBoxFuture<'a, std::result::Result<PartStream<'a>, ProviderError>> {
        async move {
            let source = self.run_as_answer(self.open(request)).await.map_err(|error| self.failed(error))?;
            let parts = stream::unfold(Some(source), move |source| async move {
                let source = source?;
                match self.run_as_answer(self.next(&source)).await {
                    Ok(Some(part)) => Some((Ok(part), Some(source))),
                    Ok(None) => None,
                    Err(error) => Some((Err(self.failed(error)), None)),
                }
            });
            Ok(parts.boxed_local())
        }
        .boxed_local()
    }
}

struct PartSource<'js> {
    next: Function<'js>,
    this: Object<'js>,
}

impl<'js> PartSource<'js> {
    fn new(ctx: &Ctx<'js>, stream: Object<'js>) -> Result<Self> {
        if let Some(get_reader) = property(&stream, "getReader")?.and_then(Value::into_function) {
            let reader: Object = get_reader.call((This(stream),))?;
            return Ok(PartSource { next: reader.get("read")?, this: reader });
        }
        let symbol: Object = ctx.globals().get("Symbol")?;
        let async_iterator: Value = symbol.get("asyncIterator")?;
        let mut make: Value = stream.get(rquickjs::Atom::from_value(ctx.clone(), &async_iterator)?)?;
        if !make.is_function() {
            make = stream.get(PredefinedAtom::SymbolIterator)?;
        }
        let Some(make) = make.into_function() else {
            return Err(type_error(ctx, "doStream's stream must be a ReadableStream or an async iterable"));
        };
        let iterator: Object = make.call((This(stream),))?;
        Ok(PartSource { next: iterator.get("next")?, this: iterator })
    }

    async fn next(&self) -> Result<Option<Value<'js>>> {
        let answer = call_async(&self.next, (This(self.this.clone()),)).await?;
        let Some(answer) = answer.as_object() else { return Ok(None) };
        if answer.get::<_, Option<bool>>("done")?.unwrap_or(false) {
            return Ok(None);
        }
        answer.get("value").map(Some)
    }
}

fn error_of<'js>(part: &Value<'js>) -> Result<Option<Value<'js>>> {
    let Some(object) = part.as_object() else { return Ok(None) };
    let kind: Value = object.get("type")?;
    let is_error = kind.as_string().map(rquickjs::String::to_string).transpose()?.as_deref() == Some("error");
    if is_error { object.get("error").map(Some) } else { Ok(None) }
}

fn call_options<'js>(ctx: &Ctx<'js>, request: &ModelRequest) -> Result<Object<'js>> {
    let prompt = Array::new(ctx.clone())?;
    for (index, message) in request.messages.iter().enumerate() {
        prompt.set(index, message_to_js(ctx, message, MessageShape::Sent)?)?;
    }
    let options = Object::new(ctx.clone())?;
    options.set("prompt", prompt)?;
    if !request.tools.is_empty() {
        let tools: Vec<_> = request
            .tools
            .iter()
            .map(|tool| {
                let mut spec = json!({
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "inputSchema": tool.input_schema,
                });
                if let Some(options) = &tool.provider_options {
                    spec["providerOptions"] = serde_json::Value::Object(options.clone());
                }
                spec
            })
            .collect();
        options.set("tools", from_json(ctx, &serde_json::Value::Array(tools))?)?;
        let choice = match request.settings.tool_choice.as_ref().unwrap_or(&ToolChoice::Auto) {
            ToolChoice::Auto => json!({ "type": "auto" }),
            ToolChoice::Required => json!({ "type": "required" }),
            ToolChoice::None => json!({ "type": "none" }),
            ToolChoice::Tool(name) => json!({ "type": "tool", "toolName": name }),
        };
        options.set("toolChoice", from_json(ctx, &choice)?)?;
    }
    let settings = &request.settings;
    options.set("maxOutputTokens", settings.output_limit().map(|count| count as f64))?;
    options.set("temperature", settings.temperature)?;
    options.set("topP", settings.top_p)?;
    options.set("topK", settings.top_k)?;
    options.set("presencePenalty", settings.presence_penalty)?;
    options.set("frequencyPenalty", settings.frequency_penalty)?;
    options.set("stopSequences", settings.stop_sequences.clone())?;
    options.set("seed", settings.seed.map(|seed| seed as f64))?;
    if let Some(format) = &settings.response_format {
        options.set("responseFormat", from_json(ctx, &format.to_json())?)?;
    }
    options.set("headers", from_serde(ctx, &settings.headers)?)?;
    options.set("providerOptions", from_serde(ctx, &settings.provider_options)?)?;
    options.set("includeRawChunks", false)?;
    Ok(options)
}

/// Reads a part of any AI SDK version; `None` for kinds that the step loop does not use.
fn part_from_json(mut part: serde_json::Value) -> Option<StreamPart> {
    match part["type"].as_str()? {
        // Arguments should be text, but some models have the value, or put it under `args`.
        "tool-call" if !part["input"].is_string() => {
            let input = part.get("input").or_else(|| part.get("args")).filter(|input| !input.is_null());
            part["input"] = input
                .map_or_else(String::new, |input| match input {
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                })
                .into();
        }
        "text-delta" | "reasoning-delta" => {
            // Older names of `delta`.
            for other_name in ["textDelta", "text"] {
                if part["delta"].is_null() && !part[other_name].is_null() {
                    part["delta"] = part[other_name].take();
                }
            }
            if part["id"].is_null() {
                // Older versions have no blocks; all text is one.
                part["id"] = json!("0");
            }
        }
        "finish" => {
            return Some(StreamPart::Finish {
                finish_reason: finish_reason(&part["finishReason"]),
                usage: usage(&part["usage"]),
                is_paused: false,
                provider_metadata: part["providerMetadata"].as_object().cloned(),
            });
        }
        // A Date arrives as text; only milliseconds are supported.
        "response-metadata" if part["timestamp"].is_string() => drop(part["timestamp"].take()),
        "stream-start" => {
            let warnings = part["warnings"].as_array().cloned().unwrap_or_default();
            part["warnings"] = warnings.into_iter().filter_map(warning).collect();
        }
        _ => {}
    }
    serde_json::from_value(part).ok()
}

/// A string, or `{unified, raw}` in later versions.
fn finish_reason(value: &serde_json::Value) -> FinishReason {
    let name = if value.is_object() { &value["unified"] } else { value };
    serde_json::from_value(name.clone()).unwrap_or_default()
}

/// Flat counts, or in later versions `{inputTokens: {total, cacheRead, cacheWrite}, outputTokens: {total,
/// reasoning}}`. Some versions have details in separate fields.
fn usage(value: &serde_json::Value) -> Usage {
    let (input, output) = (&value["inputTokens"], &value["outputTokens"]);
    let (input_details, output_details) = (&value["inputTokenDetails"], &value["outputTokenDetails"]);
    let first = |values: &[&serde_json::Value]| values.iter().find_map(|value| token_count(value));
    let mut usage = Usage::new(first(&[&input["total"], input]), first(&[&output["total"], output]));
    usage.total_tokens = token_count(&value["totalTokens"]).or(usage.total_tokens);
    usage.reasoning_tokens =
        first(&[&value["reasoningTokens"], &output["reasoning"], &output_details["reasoningTokens"]]);
    usage.cached_input_tokens =
        first(&[&value["cachedInputTokens"], &input["cacheRead"], &input_details["cacheReadTokens"]]);
    usage.cache_write_tokens =
        first(&[&value["cacheWriteTokens"], &input["cacheWrite"], &input_details["cacheWriteTokens"]]);
    usage
}

/// Renames fields of later versions.
fn warning(mut warning: serde_json::Value) -> Option<serde_json::Value> {
    for (name, other_name) in [("setting", "feature"), ("setting", "tool"), ("details", "message")] {
        if warning.is_object() && !warning[name].is_string() {
            warning[name] = warning[other_name].as_str().map(str::to_owned).into();
        }
    }
    warning["type"].is_string().then_some(warning)
}
