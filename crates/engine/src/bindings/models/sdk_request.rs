//! The options of `doStream`, in each version of the AI SDK's interface (docs/reference/models.md#model-objects).

use rquickjs::{Array, Constructor, Ctx, Object, Result, Value};
use serde_json::json;

use crate::bindings::values::{
    from_json, from_serde,
    messages::MessageShape,
    messages::{message_to_js, output_to_js, part_to_js},
};
use lmthing_base::chat::{
    CallSettings, CallWarning, Content, ContentPart, MAX_DEFAULT_LIMIT, Message, ModelRequest, Reasoning, ToolChoice,
    ToolOutput, ToolPart,
};
use lmthing_providers::{Media, MediaSource, OwnFields};

pub(super) const UNSUPPORTED: &str = "unsupported-setting";

/// The version of the interface that a model object implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SdkVersion {
    /// Also objects that do not state a version.
    V2,
    V3,
    V4,
}

impl SdkVersion {
    pub(super) fn of(stated: Option<&str>) -> Self {
        match stated {
            Some("v4") => SdkVersion::V4,
            Some("v3") => SdkVersion::V3,
            _ => SdkVersion::V2,
        }
    }
}

/// The options of a call with these tools.
pub(super) fn call_options<'js>(
    ctx: &Ctx<'js>,
    request: &ModelRequest,
    tools: Vec<serde_json::Value>,
    version: SdkVersion,
) -> Result<Object<'js>> {
    let options = Object::new(ctx.clone())?;
    let prompt = Array::new(ctx.clone())?;
    for (index, message) in request.messages.iter().enumerate() {
        prompt.set(index, message_for(ctx, message, version)?)?;
    }
    options.set("prompt", prompt)?;
    if !tools.is_empty() {
        options.set("tools", from_json(ctx, &serde_json::Value::Array(tools))?)?;
        let choice = match request.settings.tool_choice.as_ref().unwrap_or(&ToolChoice::Auto) {
            ToolChoice::Auto => json!({ "type": "auto" }),
            ToolChoice::Required => json!({ "type": "required" }),
            ToolChoice::None => json!({ "type": "none" }),
            ToolChoice::Tool(name) => json!({ "type": "tool", "toolName": name }),
        };
        options.set("toolChoice", from_json(ctx, &choice)?)?;
    }
    put_settings(ctx, &options, &request.settings, version)?;
    options.set("includeRawChunks", false)?;
    Ok(options)
}

fn put_settings<'js>(
    ctx: &Ctx<'js>,
    options: &Object<'js>,
    settings: &CallSettings,
    version: SdkVersion,
) -> Result<()> {
    options.set("maxOutputTokens", settings.output_limit(Some(MAX_DEFAULT_LIMIT)).map(|count| count as f64))?;
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
    if let Some(reasoning) = settings.reasoning.filter(|_| version == SdkVersion::V4) {
        options.set("reasoning", reasoning_level(reasoning))?;
    }
    options.set("headers", from_serde(ctx, &settings.headers)?)?;
    options.set("providerOptions", from_serde(ctx, &settings.provider_options)?)
}

/// The settings that the interface has no place for.
pub(super) fn setting_warnings(settings: &CallSettings, version: SdkVersion) -> Vec<CallWarning> {
    let reasoning = match (settings.reasoning, version) {
        (Some(Reasoning::Tokens(tokens)), SdkVersion::V4) => {
            let level = reasoning_level(Reasoning::Tokens(tokens));
            Some(format!(
                "model objects take no number of tokens for reasoning; '{level}' was sent instead of {tokens} tokens"
            ))
        }
        (None, _) | (Some(_), SdkVersion::V4) => None,
        (Some(_), SdkVersion::V2 | SdkVersion::V3) => Some(
            "model objects of this version take no reasoning, so it was left out; set it in providerOptions".into(),
        ),
    };
    let tier =
        settings.tier.map(|_| "model objects take no tier, so it was left out; set it in providerOptions".into());
    let cache = settings.cache.as_ref().filter(|cache| cache.is_detailed()).map(|_| {
        "model objects take no settings of the cache, so they were left out; set them in providerOptions".into()
    });
    let warning = |(setting, details): (&str, Option<String>)| {
        let (kind, setting) = (UNSUPPORTED.to_owned(), Some(setting.to_owned()));
        Some(CallWarning { kind, setting, details: Some(details?) })
    };
    [("reasoning", reasoning), ("tier", tier), ("cache", cache)].into_iter().filter_map(warning).collect()
}

/// The fields of requests that no model object takes.
pub(super) fn own_field_warnings(own: &OwnFields, provider: &str) -> Vec<CallWarning> {
    let name = provider.split('.').next().unwrap_or(provider);
    let warning = |field: &str| {
        let setting = format!("providerOptions.{name}.{field}");
        let details = format!(
            "model objects do not take {setting}, so it was left out; set it with the fetch of the model's package, or \
             use a model by its name"
        );
        CallWarning { kind: UNSUPPORTED.to_owned(), setting: Some(setting), details: Some(details) }
    };
    own.names().map(warning).collect()
}

/// The level by its name in the AI SDK.
fn reasoning_level(reasoning: Reasoning) -> &'static str {
    match reasoning.nearest_level() {
        Reasoning::Off => "none",
        level => level.level().unwrap_or_default(),
    }
}

fn message_for<'js>(ctx: &Ctx<'js>, message: &Message, version: SdkVersion) -> Result<Object<'js>> {
    let Content::Parts(parts) = &message.content else { return message_to_js(ctx, message, MessageShape::Sent) };
    let object = Object::new(ctx.clone())?;
    object.set("role", message.role.as_str())?;
    let list = Array::new(ctx.clone())?;
    for (index, part) in parts.iter().enumerate() {
        let part = match (part, Media::of(part)) {
            (_, Some(media)) => file_part(ctx, &media, version)?,
            (ContentPart::ToolResult { .. }, None) => result_part(ctx, part, version)?,
            (part, None) => part_to_js(ctx, part, message.role)?,
        };
        list.set(index, part)?;
    }
    object.set("content", list)?;
    if let Some(options) = &message.provider_options {
        object.set("providerOptions", from_serde(ctx, options)?)?;
    }
    Ok(object)
}

/// A picture or file.
fn file_part<'js>(ctx: &Ctx<'js>, media: &Media<'_>, version: SdkVersion) -> Result<Value<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("type", "file")?;
    object.set("mediaType", media.media_type.as_str())?;
    object.set("data", file_data(ctx, media.source, version)?)?;
    if let Some(filename) = media.filename {
        object.set("filename", filename)?;
    }
    if let Some(options) = media.options {
        object.set("providerOptions", from_serde(ctx, options)?)?;
    }
    Ok(object.into_value())
}

fn file_data<'js>(ctx: &Ctx<'js>, source: MediaSource<'_>, version: SdkVersion) -> Result<Value<'js>> {
    let (kind, data) = match source {
        MediaSource::Base64(text) => ("data", rquickjs::String::from_str(ctx.clone(), text)?.into_value()),
        MediaSource::Url(url) => {
            let class: Constructor = ctx.globals().get("URL")?;
            ("url", class.construct((url,))?)
        }
    };
    if version != SdkVersion::V4 {
        return Ok(data);
    }
    let tagged = Object::new(ctx.clone())?;
    tagged.set("type", kind)?;
    tagged.set(kind, data)?;
    Ok(tagged.into_value())
}

fn result_part<'js>(ctx: &Ctx<'js>, part: &ContentPart, version: SdkVersion) -> Result<Value<'js>> {
    let ContentPart::ToolResult { tool_call_id, tool_name, output, provider_options, .. } = part else {
        return Ok(Value::new_undefined(ctx.clone()));
    };
    let object = Object::new(ctx.clone())?;
    object.set("type", "tool-result")?;
    object.set("toolCallId", tool_call_id.as_str())?;
    object.set("toolName", tool_name.as_str())?;
    match output {
        ToolOutput::Content(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| result_content(part, version)).collect();
            object.set("output", from_json(ctx, &json!({ "type": "content", "value": parts }))?)?;
        }
        output => object.set("output", output_to_js(ctx, output, &[])?)?,
    }
    if let Some(options) = provider_options {
        object.set("providerOptions", from_serde(ctx, options)?)?;
    }
    Ok(object.into_value())
}

fn result_content(part: &ToolPart, version: SdkVersion) -> serde_json::Value {
    match (part, version) {
        (ToolPart::Text { text }, _) => json!({ "type": "text", "text": text }),
        (ToolPart::Media { data, media_type }, SdkVersion::V4) => {
            json!({ "type": "file", "mediaType": media_type, "data": { "type": "data", "data": data } })
        }
        (ToolPart::Media { data, media_type }, version) => {
            let kind = match version {
                SdkVersion::V2 => "media",
                _ if media_type.starts_with("image/") => "image-data",
                _ => "file-data",
            };
            json!({ "type": kind, "mediaType": media_type, "data": data })
        }
    }
}
