//! A model written in JavaScript: any object with the AI SDK's `doStream` (docs/reference.md, "Models").
//!
//! Owns both directions of that interface, in every shape that its versions gave to it. Must not know prompts.

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use rquickjs::{Array, Ctx, Function, IntoJs, Object, Result, Value, atom::PredefinedAtom, function::This};
use serde_json::json;

use crate::{
    chat::{FinishReason, ModelRequest, StreamPart, ToolChoice, Usage, token_count},
    diagnostic::Location,
    provider::{LanguageModel, PartStream, ProviderError, ProviderErrorKind},
    script::{
        Asked, Asking, WaitingForScript,
        bindings::values::{
            call_async, from_json, from_serde, message_of,
            messages::{Shape, message_to_js},
            property, settle, thrown_message, to_json, type_error,
        },
        enable_async_values, location_of_function, with_async_values,
    },
};

/// Carried along by what a script does to answer as a model.
pub(crate) const ANSWERING: &str = "lmthing:answering";

/// The adapter around such an object.
pub(crate) struct JsModel<'js> {
    ctx: Ctx<'js>,
    object: Object<'js>,
    provider: String,
    model_id: String,
    /// Where its `doStream` is written.
    location: Option<Location>,
}

impl<'js> JsModel<'js> {
    /// Wraps an object with `doStream`. Without names of its own it is `custom:custom`.
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

    /// Waits for an answer of the script's; one that cannot come any more is found out meanwhile.
    async fn answer<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        let location = self.location.clone();
        let who = format!("the model {}:{}", self.provider, self.model_id);
        let _asking = Asking::new(&self.ctx, Asked { who, location })?;
        let _waiting = WaitingForScript::new(&self.ctx)?;
        answer.await
    }

    /// Lets the script work on its answer: prompts that it runs meanwhile are part of that.
    async fn answering<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        enable_async_values(&self.ctx)?;
        let answering = true.into_js(&self.ctx)?;
        with_async_values(&self.ctx, [(ANSWERING, Some(answering))], work).await
    }

    async fn open(&self, request: ModelRequest) -> Result<Source<'js>> {
        let options = call_options(&self.ctx, &request)?;
        let do_stream: Function = self.object.get("doStream")?;
        let answer = do_stream.call::<_, Value>((This(self.object.clone()), options))?;
        let answer = self.answer(settle(answer)).await?;
        let stream = match answer.as_object() {
            Some(object) => property(object, "stream")?,
            None => None,
        };
        match stream.and_then(Value::into_object) {
            Some(stream) => Source::new(&self.ctx, stream),
            None => Err(type_error(&self.ctx, "doStream must return {stream}, a stream of parts")),
        }
    }

    async fn next(&self, source: &Source<'js>) -> Result<Option<StreamPart>> {
        loop {
            let Some(value) = self.answer(source.next()).await? else { return Ok(None) };
            if let Some(error) = error_of(&value)? {
                // An Error has no fields that JSON would show.
                let message = serde_json::Value::String(thrown_message(&self.ctx, &error));
                return Ok(Some(StreamPart::Error { error: message }));
            }
            // Kinds that later versions of the interface may bring are passed over.
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
            let source = self.answering(self.open(request)).await.map_err(|error| self.failed(error))?;
            let parts = stream::unfold(Some(source), move |source| async move {
                let source = source?;
                match self.answering(self.next(&source)).await {
                    Ok(Some(part)) => Some((Ok(part), Some(source))),
                    Ok(None) => None,
                    // A reader that threw once is not asked again.
                    Err(error) => Some((Err(self.failed(error)), None)),
                }
            });
            Ok(parts.boxed_local())
        }
        .boxed_local()
    }
}

/// A `ReadableStream` or anything that can be iterated, asynchronously or not.
struct Source<'js> {
    next: Function<'js>,
    this: Object<'js>,
}

impl<'js> Source<'js> {
    fn new(ctx: &Ctx<'js>, stream: Object<'js>) -> Result<Self> {
        if let Some(get_reader) = property(&stream, "getReader")?.and_then(Value::into_function) {
            let reader: Object = get_reader.call((This(stream),))?;
            return Ok(Source { next: reader.get("read")?, this: reader });
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
        Ok(Source { next: iterator.get("next")?, this: iterator })
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

/// The `error` of an error part.
fn error_of<'js>(part: &Value<'js>) -> Result<Option<Value<'js>>> {
    let Some(object) = part.as_object() else { return Ok(None) };
    let kind: Value = object.get("type")?;
    let is_error = kind.as_string().map(rquickjs::String::to_string).transpose()?.as_deref() == Some("error");
    if is_error { object.get("error").map(Some) } else { Ok(None) }
}

/// The options `doStream` is called with.
fn call_options<'js>(ctx: &Ctx<'js>, request: &ModelRequest) -> Result<Object<'js>> {
    let prompt = Array::new(ctx.clone())?;
    for (index, message) in request.messages.iter().enumerate() {
        prompt.set(index, message_to_js(ctx, message, Shape::Sent)?)?;
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

/// A part as the AI SDK's models give it, in any of its versions; `None` for kinds the step loop has no use for.
fn part_from_json(mut part: serde_json::Value) -> Option<StreamPart> {
    match part["type"].as_str()? {
        // Parts hold arguments as text; there are models that give the value, or have it under `args`.
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
            // Two older names of the same.
            for other_name in ["textDelta", "text"] {
                if part["delta"].is_null() && !part[other_name].is_null() {
                    part["delta"] = part[other_name].take();
                }
            }
            if part["id"].is_null() {
                // Older versions know no blocks: all text is one.
                part["id"] = json!("0");
            }
        }
        "finish" => {
            return Some(StreamPart::Finish {
                finish_reason: finish_reason(&part["finishReason"]),
                usage: usage(&part["usage"]),
                provider_metadata: part["providerMetadata"].as_object().cloned(),
            });
        }
        // A Date comes as text; only milliseconds are kept.
        "response-metadata" if part["timestamp"].is_string() => drop(part["timestamp"].take()),
        "stream-start" => {
            let warnings = part["warnings"].as_array().cloned().unwrap_or_default();
            part["warnings"] = warnings.into_iter().filter_map(warning).collect();
        }
        _ => {}
    }
    serde_json::from_value(part).ok()
}

/// A name, or `{unified, raw}` in later versions of the AI SDK.
fn finish_reason(value: &serde_json::Value) -> FinishReason {
    // `raw` is the provider's word; the step loop goes by the common one.
    let name = if value.is_object() { &value["unified"] } else { value };
    serde_json::from_value(name.clone()).unwrap_or_default()
}

/// Flat counts, or in later versions `{inputTokens: {total, cacheRead, cacheWrite}, outputTokens: {total, reasoning}}`;
/// in between, details stood in fields of their own.
fn usage(value: &serde_json::Value) -> Usage {
    let (input, output) = (&value["inputTokens"], &value["outputTokens"]);
    let (of_input, of_output) = (&value["inputTokenDetails"], &value["outputTokenDetails"]);
    let first = |values: &[&serde_json::Value]| values.iter().find_map(|value| token_count(value));
    let mut usage = Usage::new(first(&[&input["total"], input]), first(&[&output["total"], output]));
    usage.total_tokens = token_count(&value["totalTokens"]).or(usage.total_tokens);
    usage.reasoning_tokens = first(&[&value["reasoningTokens"], &output["reasoning"], &of_output["reasoningTokens"]]);
    usage.cached_input_tokens =
        first(&[&value["cachedInputTokens"], &input["cacheRead"], &of_input["cacheReadTokens"]]);
    usage.cache_write_tokens =
        first(&[&value["cacheWriteTokens"], &input["cacheWrite"], &of_input["cacheWriteTokens"]]);
    usage
}

/// A warning as lmthing has it: later versions of the AI SDK have other names for two of its fields.
fn warning(mut warning: serde_json::Value) -> Option<serde_json::Value> {
    for (name, other_name) in [("setting", "feature"), ("setting", "tool"), ("details", "message")] {
        if warning.is_object() && !warning[name].is_string() {
            warning[name] = warning[other_name].as_str().map(str::to_owned).into();
        }
    }
    warning["type"].is_string().then_some(warning)
}
