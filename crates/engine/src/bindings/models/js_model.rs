//! Models written in JavaScript: objects with the AI SDK's `doStream`, in all versions of that interface
//! (docs/reference/models.md).

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use rquickjs::{Ctx, Function, IntoJs, Object, Result, Value, atom::PredefinedAtom, function::This};

use super::{
    sdk_parts::PartReader,
    sdk_request::{self, SdkVersion},
    sdk_searches::Searches,
    sdk_tools,
};
use crate::bindings::values::{
    call_async, message_of, messages::base64_of, property, settle, thrown_message, to_json, type_error,
};
use lmthing_base::{
    cache::CacheRules,
    chat::{CacheOption, CallSettings, ModelRequest, StreamPart, ToolSpec},
    diagnostic::Location,
};
use lmthing_node::{
    PendingAnswer, PendingAnswerGuard, WaitingForScript, enable_async_values, location_of_function, with_async_values,
};
use lmthing_providers::{LanguageModel, ModelIdentity, OwnFields, PartStream, ProviderError, ProviderErrorKind};

/// Key of the async context value that is set while a script answers as a model.
pub(crate) const ANSWERING: &str = "lmthing:answering";

pub(crate) struct JsModel<'js> {
    ctx: Ctx<'js>,
    object: Object<'js>,
    provider: String,
    model_id: String,
    version: SdkVersion,
    location: Option<Location>,
}

impl<'js> JsModel<'js> {
    /// Without `provider` and `modelId` it is `custom:custom`.
    pub(crate) fn new(ctx: &Ctx<'js>, object: Object<'js>) -> Result<Self> {
        let text = |key: &str| object.get::<_, Value>(key)?.as_string().map(rquickjs::String::to_string).transpose();
        let name = |key: &str| Ok::<_, rquickjs::Error>(text(key)?.unwrap_or_else(|| "custom".into()));
        let (provider, model_id) = (name("provider")?, name("modelId")?);
        let version = SdkVersion::of(text("specificationVersion")?.as_deref());
        let do_stream = property(&object, "doStream")?.and_then(Value::into_function);
        let location = do_stream.and_then(|function| location_of_function(ctx, &function));
        Ok(JsModel { ctx: ctx.clone(), object, provider, model_id, version, location })
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

    async fn open(&self, request: &ModelRequest, tools: Vec<serde_json::Value>) -> Result<PartSource<'js>> {
        let options = sdk_request::call_options(&self.ctx, request, tools, self.version)?;
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

    /// What is asked of the model, and how its answer is read.
    async fn begin(&self, mut request: ModelRequest) -> std::result::Result<Answering<'js>, ProviderError> {
        let tools = sdk_tools::tools(&request.tools, &self.provider, self.version).map_err(|lacking| {
            let message = lacking.message(&self.provider, &self.model_id);
            ProviderError::new(ProviderErrorKind::BadRequest, &self.provider, &self.model_id, message)
        })?;
        let own = OwnFields::take(&sdk_tools::provider_names(&self.provider), &mut request.settings);
        let mut warnings = sdk_request::setting_warnings(&request.settings, self.version);
        warnings.extend(sdk_request::own_field_warnings(&own, &self.provider));
        warnings.extend(sdk_tools::search_warnings(&request.tools, &self.provider));
        let start = (!warnings.is_empty()).then_some(StreamPart::StreamStart { warnings });
        let searches = Searches::new(sdk_tools::search(&request.tools, &self.provider));
        let parts = PartReader::new(searches, start.into_iter().collect());
        let source = self.run_as_answer(self.open(&request, tools)).await.map_err(|error| self.failed(error))?;
        Ok(Answering { source, parts })
    }

    async fn next(&self, Answering { source, parts }: &mut Answering<'js>) -> Result<Option<StreamPart>> {
        loop {
            if let Some(part) = parts.read.pop_front() {
                return Ok(Some(part));
            }
            let Some(value) = self.wait_for_answer(source.next()).await? else { return Ok(None) };
            if let Some(error) = error_of(&value)? {
                // An `Error` has no fields in JSON.
                let message = serde_json::Value::String(thrown_message(&self.ctx, &error));
                return Ok(Some(StreamPart::Error { error: message }));
            }
            parts.add(part_json(&self.ctx, &value)?);
        }
    }
}

struct Answering<'js> {
    source: PartSource<'js>,
    parts: PartReader,
}

/// A part as JSON, with the bytes of a file as base64.
fn part_json<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<serde_json::Value> {
    let data = value.as_object().map(|part| property(part, "data")).transpose()?.flatten();
    let Some(data) = data else { return to_json(ctx, value) };
    let inner = data.as_object().map(|tagged| property(tagged, "data")).transpose()?.flatten();
    let bytes = [Some(data), inner].into_iter().flatten().map(|data| base64_of(ctx, &data));
    let Some(bytes) = bytes.collect::<Result<Vec<_>>>()?.into_iter().flatten().next() else {
        return to_json(ctx, value);
    };
    // Bytes as JSON are an object with a member for each.
    let copy = Object::new(ctx.clone())?;
    for key in ["type", "mediaType"] {
        if let Some(part) = value.as_object() {
            copy.set(key, part.get::<_, Value>(key)?)?;
        }
    }
    copy.set("data", bytes)?;
    to_json(ctx, copy.as_value())
}

impl LanguageModel for JsModel<'_> {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn searching_models(&self, tools: &[ToolSpec]) -> Vec<ModelIdentity> {
        if sdk_tools::search(tools, &self.provider).is_some() { self.model_identities() } else { Vec::new() }
    }

    fn refusal(&self, tools: &[ToolSpec]) -> Option<String> {
        let lacking = sdk_tools::tools(tools, &self.provider, self.version).err()?;
        Some(lacking.message(&self.provider, &self.model_id))
    }

    fn cache_rules(&self, settings: &CallSettings) -> CacheRules {
        // The packages of the AI SDK place no marks.
        let settings = CallSettings { cache: Some(CacheOption::Off), ..settings.clone() };
        lmthing_providers::cache_rules(&self.provider, &self.model_id, &settings)
    }

    fn stream<'a>(
        &'a self,
        request: ModelRequest,
    ) -> LocalBoxFuture<'a, std::result::Result<PartStream<'a>, ProviderError>> {
        async move {
            let answering = self.begin(request).await?;
            let parts = stream::unfold(Some(answering), move |answering| async move {
                let mut answering = answering?;
                match self.run_as_answer(self.next(&mut answering)).await {
                    Ok(Some(part)) => Some((Ok(part), Some(answering))),
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
