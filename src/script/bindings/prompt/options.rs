//! `config.options` and `config.sandbox` as plain data (docs/reference.md, "Call settings", "Code mode"). Hooks stay in
//! the JavaScript object. Must not know what a setting does.

use std::{collections::BTreeMap, rc::Rc, time::Duration};

use rquickjs::{Ctx, Object, Result, Value, object::Filter};

use super::object::PromptObject;
use crate::{
    chat::{CallSettings, Timeouts, ToolChoice},
    prompt::RunSettings,
    sandbox::SandboxConfig,
    script::{
        bindings::values::{elements, kind_of, messages::provider_options, property, to_json, type_error},
        warn,
    },
};

/// Every option there is; anything else is most likely a slip of the pen.
const KNOWN: &[&str] = &[
    "system",
    "maxOutputTokens",
    "temperature",
    "topP",
    "topK",
    "presencePenalty",
    "frequencyPenalty",
    "stopSequences",
    "seed",
    "toolChoice",
    "activeTools",
    "maxRetries",
    "headers",
    "timeout",
    "abortSignal",
    "providerOptions",
    "stopWhen",
    "maxSteps",
    "onStepFinish",
    "onFinish",
    "maxAgentDepth",
];

/// Options that belong to one prompt and are not handed down to its agents.
pub(crate) const NOT_INHERITED: &[&str] =
    &["system", "activeTools", "toolChoice", "stopWhen", "maxSteps", "onStepFinish", "onFinish"];

/// Keeps an options object with its prompt; options nobody knows are reported on stderr. Throws a `TypeError` when it
/// is no object. What the options hold is read when a run begins: agents inherit it unread.
pub(crate) fn keep<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, given: &Value<'js>) -> Result<()> {
    if given.is_undefined() || given.is_null() {
        return Ok(());
    }
    let Some(object) = given.as_object().filter(|_| !given.is_array() && !given.is_function()) else {
        return Err(type_error(ctx, format!("config.options must be an object, got {}", kind_of(given))));
    };
    for name in unknown(object)? {
        warn::unknown_name(ctx, "config.options", &name, KNOWN)?;
    }
    prompt.borrow().bag.set_options(object.clone());
    Ok(())
}

/// The settings of `config.sandbox`. Throws a `TypeError` that names the field.
pub(crate) fn sandbox<'js>(ctx: &Ctx<'js>, given: &Value<'js>) -> Result<SandboxConfig> {
    if given.is_undefined() || given.is_null() {
        return Ok(SandboxConfig::default());
    }
    let given = to_json(ctx, given)?;
    let config: SandboxConfig = serde_json::from_value(given.clone()).map_err(|error| {
        let field = wrong_field(&given).map_or_else(String::new, |name| format!(".{name}"));
        type_error(ctx, format!("config.sandbox{field}: {error}"))
    })?;
    config.validate().map_err(|problem| type_error(ctx, problem))?;
    Ok(config)
}

/// The first field that makes the whole unreadable: the reader itself says what is wrong, but not where.
fn wrong_field(given: &serde_json::Value) -> Option<&str> {
    let is_wrong = |(name, value): &(&String, &serde_json::Value)| {
        serde_json::from_value::<SandboxConfig>(serde_json::json!({ name.as_str(): value })).is_err()
    };
    given.as_object()?.iter().find(is_wrong).map(|(name, _)| name.as_str())
}

/// Reads an options object. `place` opens error messages, e.g. `config.options`.
///
/// Units: `timeout` is milliseconds, a number for the whole call or `{total, firstByte, idle}`. `undefined` and `null`
/// count as unset. Throws a `TypeError` that names the option.
pub(crate) fn read<'js>(ctx: &Ctx<'js>, options: &Object<'js>, place: &str) -> Result<RunSettings> {
    let reader = Reader { ctx, options, place };
    // They are fetched when they are due. A slip should show before the first request, not after the last.
    for name in ["stopWhen", "onStepFinish", "onFinish"] {
        reader.check_callback(name)?;
    }
    let call = CallSettings {
        max_output_tokens: reader.count("maxOutputTokens")?,
        temperature: reader.number("temperature")?,
        top_p: reader.number("topP")?,
        top_k: reader.number("topK")?,
        presence_penalty: reader.number("presencePenalty")?,
        frequency_penalty: reader.number("frequencyPenalty")?,
        stop_sequences: reader.strings("stopSequences")?,
        seed: reader.number("seed")?.map(|seed| seed as i64),
        tool_choice: reader.tool_choice()?,
        max_retries: reader.count("maxRetries")?.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        headers: reader.headers()?,
        timeouts: reader.timeouts()?,
        provider_options: match property(options, "providerOptions")? {
            Some(value) => provider_options(ctx, &value, place)?.unwrap_or_default(),
            None => serde_json::Map::new(),
        },
    };
    Ok(RunSettings {
        call: Rc::new(call),
        system: reader.text("system")?,
        active_tools: reader.strings("activeTools")?,
        max_steps: reader.count("maxSteps")?.map(|count| usize::try_from(count).unwrap_or(usize::MAX)),
    })
}

/// The options nobody knows, in order.
fn unknown<'js>(options: &Object<'js>) -> Result<Vec<String>> {
    let keys: Vec<String> = options.own_keys(Filter::new().string().enum_only()).collect::<Result<_>>()?;
    Ok(keys.into_iter().filter(|key| !KNOWN.contains(&key.as_str())).collect())
}

struct Reader<'a, 'js> {
    ctx: &'a Ctx<'js>,
    options: &'a Object<'js>,
    place: &'a str,
}

impl<'js> Reader<'_, 'js> {
    fn wrong<T>(&self, name: &str, wanted: &str, value: &Value<'js>) -> Result<T> {
        let got = match value.as_string() {
            Some(text) => format!("'{}'", text.to_string()?),
            None if value.is_number() => to_json(self.ctx, value)?.to_string(),
            None => kind_of(value).to_owned(),
        };
        Err(type_error(self.ctx, format!("{}.{name} must be {wanted}, got {got}", self.place)))
    }

    fn number(&self, name: &str) -> Result<Option<f64>> {
        match property(self.options, name)? {
            None => Ok(None),
            Some(value) => match value.as_number().filter(|number| number.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => self.wrong(name, "a number", &value),
            },
        }
    }

    fn count(&self, name: &str) -> Result<Option<u64>> {
        match self.number(name)? {
            None => Ok(None),
            Some(number) if number >= 0.0 && number.fract() == 0.0 => Ok(Some(number as u64)),
            Some(_) => self.wrong(name, "a whole number of at least 0", &self.options.get(name)?),
        }
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        match property(self.options, name)? {
            None => Ok(None),
            Some(value) => match value.as_string() {
                Some(text) => text.to_string().map(Some),
                None => self.wrong(name, "a string", &value),
            },
        }
    }

    fn strings(&self, name: &str) -> Result<Option<Vec<String>>> {
        let Some(value) = property(self.options, name)? else { return Ok(None) };
        let Some(list) = value.as_array() else { return self.wrong(name, "an array of strings", &value) };
        let mut texts = Vec::with_capacity(list.len());
        for item in elements(list)? {
            match item.as_string() {
                Some(text) => texts.push(text.to_string()?),
                None => return self.wrong(name, "an array of strings", &item),
            }
        }
        Ok(Some(texts))
    }

    fn check_callback(&self, name: &str) -> Result<()> {
        let Some(value) = property(self.options, name)? else { return Ok(()) };
        let is_list = name == "stopWhen"
            && value.as_array().map(elements).transpose()?.is_some_and(|items| items.iter().all(Value::is_function));
        if value.is_function() || is_list {
            return Ok(());
        }
        let wanted = if name == "stopWhen" { "a function or an array of functions" } else { "a function" };
        self.wrong(name, wanted, &value)
    }

    fn tool_choice(&self) -> Result<Option<ToolChoice>> {
        let wanted = "'auto', 'required', 'none' or {type: 'tool', toolName}";
        let Some(value) = property(self.options, "toolChoice")? else { return Ok(None) };
        let choice = match value.as_string().map(rquickjs::String::to_string).transpose()?.as_deref() {
            Some("auto") => ToolChoice::Auto,
            Some("required") => ToolChoice::Required,
            Some("none") => ToolChoice::None,
            Some(_) => return self.wrong("toolChoice", wanted, &value),
            None => {
                match value.as_object().map(|object| object.get::<_, Option<String>>("toolName")).transpose()?.flatten()
                {
                    Some(name) => ToolChoice::Tool(name),
                    None => return self.wrong("toolChoice", wanted, &value),
                }
            }
        };
        Ok(Some(choice))
    }

    fn headers(&self) -> Result<BTreeMap<String, String>> {
        let Some(value) = property(self.options, "headers")? else { return Ok(BTreeMap::new()) };
        let headers = match to_json(self.ctx, &value)? {
            serde_json::Value::Object(map) => map,
            _ => return self.wrong("headers", "an object of strings", &value),
        };
        let read = |(name, value): (String, serde_json::Value)| match value {
            serde_json::Value::String(text) => Some((name, text)),
            // A number is as good as its digits in a header.
            serde_json::Value::Number(number) => Some((name, number.to_string())),
            _ => None,
        };
        match headers.into_iter().map(read).collect() {
            Some(headers) => Ok(headers),
            None => self.wrong("headers", "an object of strings", &value),
        }
    }

    fn timeouts(&self) -> Result<Timeouts> {
        let Some(value) = property(self.options, "timeout")? else { return Ok(Timeouts::default()) };
        if let Some(total) = value.as_number() {
            return Ok(Timeouts { total: self.duration("timeout", total)?, ..Timeouts::default() });
        }
        let Some(object) = value.as_object() else {
            return self.wrong("timeout", "milliseconds or {total, firstByte, idle}", &value);
        };
        let place = format!("{}.timeout", self.place);
        let inner = Reader { ctx: self.ctx, options: object, place: &place };
        let part = |name: &str| match inner.number(name)? {
            Some(milliseconds) => inner.duration(name, milliseconds),
            None => Ok(None),
        };
        Ok(Timeouts { total: part("total")?, first_byte: part("firstByte")?, idle: part("idle")? })
    }

    fn duration(&self, name: &str, milliseconds: f64) -> Result<Option<Duration>> {
        match Duration::try_from_secs_f64(milliseconds / 1000.0) {
            Ok(duration) => Ok(Some(duration)),
            Err(_) => self.wrong(name, "milliseconds of at least 0", &self.options.get(name)?),
        }
    }
}
