//! `config.options`, `config.sandbox`, `config.functions` and `config.mcpServers` as plain data.

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result, Value, object::Filter};

use super::{
    config_keys,
    known_options::{self, OPTIONS},
    object::PromptObject,
    option_reader::OptionReader,
};
use crate::{
    bindings::values::{kind_of, messages::provider_options, property, to_json, type_error},
    prompt::RunSettings,
};
use lmthing_base::{
    chat::{CallSettings, OWN_FIELDS, ProviderOptions},
    diagnostic::{PathKey, json_kind, path_text},
};
use lmthing_node::warn;
use lmthing_typescript::sandbox::SandboxConfig;

/// Options of one prompt that its agents do not inherit.
pub(crate) const NOT_INHERITED: &[&str] =
    &["system", "activeTools", "toolChoice", "stopWhen", "maxSteps", "onStepFinish", "onFinish", "outputRetries"];

/// Sets the options of a prompt; warns of unknown ones. Their values are checked when a run begins, as agents inherit
/// them unchecked.
pub(crate) fn set<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, given: &Value<'js>) -> Result<()> {
    let Some(object) = object(ctx, given)? else { return Ok(()) };
    for name in unknown(&object)? {
        known_options::report(ctx, "config.options", &name, OPTIONS, &config_keys::advice_for_option(&name))?;
    }
    prompt.borrow().bag.set_options(object);
    Ok(())
}

pub(crate) fn object<'js>(ctx: &Ctx<'js>, given: &Value<'js>) -> Result<Option<Object<'js>>> {
    const PLACE: &str = "config.options";
    let given = object_at(ctx, given, PLACE)?;
    given.map(|given| known_options::with_usual_names(ctx, &given, PLACE)).transpose()
}

fn object_at<'js>(ctx: &Ctx<'js>, given: &Value<'js>, place: &str) -> Result<Option<Object<'js>>> {
    if given.is_undefined() || given.is_null() {
        return Ok(None);
    }
    match given.as_object().filter(|_| !given.is_array() && !given.is_function()) {
        Some(object) => Ok(Some(object.clone())),
        None => Err(type_error(ctx, format!("{place} must be an object, got {}", kind_of(given)))),
    }
}

pub(crate) fn sandbox<'js>(ctx: &Ctx<'js>, given: &Value<'js>) -> Result<SandboxConfig> {
    if given.is_undefined() || given.is_null() {
        return Ok(SandboxConfig::default());
    }
    if given.as_object().is_none_or(|_| given.is_array() || given.is_function()) {
        return Err(type_error(ctx, format!("config.sandbox must be an object, got {}", kind_of(given))));
    }
    let given = to_json(ctx, given)?;
    let config: SandboxConfig =
        serde_json::from_value(given.clone()).map_err(|error| type_error(ctx, sandbox_problem(&given, &error)))?;
    config.validate().map_err(|problem| type_error(ctx, problem.to_string()))?;
    Ok(config)
}

pub(crate) fn function_bytes<'js>(ctx: &Ctx<'js>, given: &Value<'js>) -> Result<Option<usize>> {
    let Some(object) = object_at(ctx, given, "config.functions")? else { return Ok(None) };
    for name in object.own_keys::<String>(Filter::new().string().enum_only()) {
        let name = name?;
        if name != "promptBytes" {
            warn::unknown_name(ctx, "config.functions", &name, &["promptBytes"])?;
        }
    }
    let place = PathKey::path(&["config", "functions"]);
    let bytes = OptionReader { ctx, options: &object, place: &place }.count("promptBytes")?;
    Ok(bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)))
}

pub(crate) fn mcp_servers<'js>(
    ctx: &Ctx<'js>,
    given: &Value<'js>,
) -> Result<serde_json::Map<String, serde_json::Value>> {
    if given.is_undefined() || given.is_null() {
        return Ok(serde_json::Map::new());
    }
    match to_json(ctx, given)? {
        serde_json::Value::Object(servers) if !given.is_function() => Ok(servers),
        _ => {
            let message = format!("config.mcpServers must be an object of servers, got {}", kind_of(given));
            Err(type_error(ctx, message))
        }
    }
}

fn sandbox_problem(given: &serde_json::Value, error: &serde_json::Error) -> String {
    let Some(name) = wrong_field(given) else { return format!("config.sandbox: {error}") };
    if !SandboxConfig::FIELDS.contains(&name) {
        return format!("config.sandbox has no '{name}'; {}", warn::suggestion(name, &SandboxConfig::FIELDS));
    }
    let wanted = if name == "check" { "'strict', 'essential' or 'off'" } else { "a whole number of at least 0" };
    format!("config.sandbox.{name} must be {wanted}, got {}", given[name])
}

/// The first invalid field. serde reports what is wrong, but not where.
fn wrong_field(given: &serde_json::Value) -> Option<&str> {
    let is_wrong = |(name, value): &(&String, &serde_json::Value)| {
        serde_json::from_value::<SandboxConfig>(serde_json::json!({ name.as_str(): value })).is_err()
    };
    given.as_object()?.iter().find(is_wrong).map(|(name, _)| name.as_str())
}

/// Reads `config.options`. `timeout` is in milliseconds, a number for the whole call or `{total, firstByte, idle}`.
/// `undefined` and `null` count as unset.
pub(crate) fn read<'js>(ctx: &Ctx<'js>, options: &Object<'js>) -> Result<RunSettings> {
    let place = PathKey::path(&["config", "options"]);
    let reader = OptionReader { ctx, options, place: &place };
    // Used later, but a mistake should show before the first request.
    for name in ["stopWhen", "onStepFinish", "onFinish"] {
        reader.check_callback(name)?;
    }
    let call = CallSettings {
        max_output_tokens: reader.count("maxOutputTokens")?,
        output_left: None,
        is_unwatched: false,
        continued_model: None,
        temperature: reader.number("temperature")?,
        top_p: reader.number("topP")?,
        top_k: reader.number("topK")?,
        presence_penalty: reader.number("presencePenalty")?,
        frequency_penalty: reader.number("frequencyPenalty")?,
        stop_sequences: reader.strings("stopSequences")?,
        seed: reader.number("seed")?.map(|seed| seed as i64),
        tool_choice: reader.tool_choice()?,
        reasoning: reader.reasoning()?,
        tier: reader.tier()?,
        cache: reader.cache()?,
        // Set from a schema: `output`, or `responseSchema` of an agent.
        response_format: None,
        max_retries: reader.count("maxRetries")?.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        headers: reader.headers()?,
        timeouts: reader.timeouts()?,
        provider_options: match property(options, "providerOptions")? {
            Some(value) => {
                own_fields_checked(ctx, provider_options(ctx, &value, &path_text(&place))?.unwrap_or_default())?
            }
            None => serde_json::Map::new(),
        },
    };
    Ok(RunSettings {
        call: Rc::new(call),
        system: reader.text("system")?,
        active_tools: reader.strings("activeTools")?,
        max_steps: reader.count("maxSteps")?.map(|count| usize::try_from(count).unwrap_or(usize::MAX)),
        output_retries: reader.count("outputRetries")?.map(|count| usize::try_from(count).unwrap_or(usize::MAX)),
    })
}

fn own_fields_checked(ctx: &Ctx<'_>, options: ProviderOptions) -> Result<ProviderOptions> {
    for (provider, options) in &options {
        for field in OWN_FIELDS {
            if let Some(value) = options.get(field).filter(|value| !value.is_object()) {
                let place = format!("config.options.providerOptions.{provider}.{field}");
                // Without the value, which may be a key.
                return Err(type_error(ctx, format!("{place} must be an object, got {}", json_kind(value))));
            }
        }
    }
    Ok(options)
}

pub(crate) fn unknown<'js>(options: &Object<'js>) -> Result<Vec<String>> {
    let keys: Vec<String> = options.own_keys(Filter::new().string().enum_only()).collect::<Result<_>>()?;
    Ok(keys.into_iter().filter(|key| !OPTIONS.contains(&key.as_str())).collect())
}
