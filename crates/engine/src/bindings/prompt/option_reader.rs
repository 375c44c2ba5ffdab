//! Typed access to the fields of an options object, with errors that name field and value.

use std::{collections::BTreeMap, time::Duration};

use rquickjs::{Ctx, Object, Result, Value, object::Filter};

use crate::bindings::values::{elements, kind_of, property, to_json};
use lmthing_base::{
    chat::{CacheOption, CacheTtl, Reasoning, Tier, Timeouts, ToolChoice},
    diagnostic::{PathKey, path_text},
};
use lmthing_node::{ScriptError, warn};

pub(super) struct OptionReader<'a, 'js> {
    pub(super) ctx: &'a Ctx<'js>,
    pub(super) options: &'a Object<'js>,
    /// The path to the object for error messages, such as `config.options`.
    pub(super) place: &'a [PathKey],
}

impl<'js> OptionReader<'_, 'js> {
    fn wrong<T>(&self, name: &str, wanted: &str, value: &Value<'js>) -> Result<T> {
        let got = match value.as_string() {
            Some(text) => format!("'{}'", text.to_string()?),
            None if value.is_number() => to_json(self.ctx, value)?.to_string(),
            None => kind_of(value).to_owned(),
        };
        let place = self.below(name);
        let error = ScriptError::type_error(format!("{} must be {wanted}, got {got}", path_text(&place)));
        Err(error.about(&place).throw(self.ctx))
    }

    fn below(&self, name: &str) -> Vec<PathKey> {
        [self.place, &[PathKey::Name(name.to_owned())]].concat()
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>> {
        match property(self.options, name)? {
            None => Ok(None),
            Some(value) => match value.as_number().filter(|number| number.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => self.wrong(name, "a number", &value),
            },
        }
    }

    pub(super) fn count(&self, name: &str) -> Result<Option<u64>> {
        match self.number(name)? {
            None => Ok(None),
            Some(number) if number >= 0.0 && number.fract() == 0.0 => Ok(Some(number as u64)),
            Some(_) => self.wrong(name, "a whole number of at least 0", &self.options.get(name)?),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<String>> {
        match property(self.options, name)? {
            None => Ok(None),
            Some(value) => match value.as_string() {
                Some(text) => text.to_string().map(Some),
                None => self.wrong(name, "a string", &value),
            },
        }
    }

    pub(super) fn strings(&self, name: &str) -> Result<Option<Vec<String>>> {
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

    pub(super) fn check_callback(&self, name: &str) -> Result<()> {
        let Some(value) = property(self.options, name)? else { return Ok(()) };
        let is_list = name == "stopWhen"
            && value.as_array().map(elements).transpose()?.is_some_and(|items| items.iter().all(Value::is_function));
        if value.is_function() || is_list {
            return Ok(());
        }
        let wanted = if name == "stopWhen" { "a function or an array of functions" } else { "a function" };
        self.wrong(name, wanted, &value)
    }

    pub(super) fn tool_choice(&self) -> Result<Option<ToolChoice>> {
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

    pub(super) fn headers(&self) -> Result<BTreeMap<String, String>> {
        let Some(value) = property(self.options, "headers")? else { return Ok(BTreeMap::new()) };
        let headers = match to_json(self.ctx, &value)? {
            serde_json::Value::Object(map) => map,
            _ => return self.wrong("headers", "an object of strings", &value),
        };
        let read = |(name, value): (String, serde_json::Value)| match value {
            serde_json::Value::String(text) => Some((name, text)),
            serde_json::Value::Number(number) => Some((name, number.to_string())),
            _ => None,
        };
        match headers.into_iter().map(read).collect() {
            Some(headers) => Ok(headers),
            None => self.wrong("headers", "an object of strings", &value),
        }
    }

    pub(super) fn timeouts(&self) -> Result<Timeouts> {
        let Some(value) = property(self.options, "timeout")? else { return Ok(Timeouts::default()) };
        if let Some(total) = value.as_number() {
            return Ok(Timeouts { total: self.duration("timeout", total)?, ..Timeouts::default() });
        }
        let Some(object) = value.as_object() else {
            return self.wrong("timeout", "milliseconds or {total, firstByte, idle}", &value);
        };
        let place = self.below("timeout");
        let inner = OptionReader { ctx: self.ctx, options: object, place: &place };
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

    pub(super) fn cache(&self) -> Result<Option<CacheOption>> {
        const MEMBERS: [&str; 2] = ["ttl", "key"];
        let Some(value) = property(self.options, "cache")? else { return Ok(None) };
        if let Some(is_on) = value.as_bool() {
            return Ok(Some(if is_on { CacheOption::On { ttl: None, key: None } } else { CacheOption::Off }));
        }
        let Some(object) = value.as_object().filter(|_| !value.is_array() && !value.is_function()) else {
            return self.wrong("cache", "true, false or {ttl: '5m' | '1h' | 'long', key}", &value);
        };
        let place = self.below("cache");
        for name in object.own_keys::<String>(Filter::new().string().enum_only()) {
            let name = name?;
            if !MEMBERS.contains(&name.as_str()) {
                let path = path_text(&place);
                let message = format!("{path} has no '{name}'; {}", warn::suggestion(&name, &MEMBERS));
                return Err(ScriptError::type_error(message).about(&place).throw(self.ctx));
            }
        }
        let inner = OptionReader { ctx: self.ctx, options: object, place: &place };
        Ok(Some(CacheOption::On { ttl: inner.cache_ttl()?, key: inner.cache_key()? }))
    }

    fn cache_ttl(&self) -> Result<Option<CacheTtl>> {
        let Some(value) = property(self.options, "ttl")? else { return Ok(None) };
        let name = value.as_string().map(rquickjs::String::to_string).transpose()?;
        match name.as_deref().and_then(CacheTtl::from_name) {
            Some(ttl) => Ok(Some(ttl)),
            None => self.wrong("ttl", "'5m', '1h' or 'long'", &value),
        }
    }

    fn cache_key(&self) -> Result<Option<String>> {
        let wanted = format!("a string of 1 to {} characters", CacheOption::MAX_KEY);
        let Some(value) = property(self.options, "key")? else { return Ok(None) };
        match value.as_string().map(rquickjs::String::to_string).transpose()? {
            Some(key) if (1..=CacheOption::MAX_KEY).contains(&key.chars().count()) => Ok(Some(key)),
            _ => self.wrong("key", &wanted, &value),
        }
    }

    pub(super) fn reasoning(&self) -> Result<Option<Reasoning>> {
        let wanted = "'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max' or {tokens}";
        let Some(value) = property(self.options, "reasoning")? else { return Ok(None) };
        if let Some(object) = value.as_object().filter(|_| !value.is_array() && !value.is_function()) {
            let place = self.below("reasoning");
            let tokens = OptionReader { ctx: self.ctx, options: object, place: &place }.count("tokens")?;
            // A budget of zero turns thinking off.
            return match tokens {
                Some(0) => Ok(Some(Reasoning::Off)),
                Some(tokens) => Ok(Some(Reasoning::Tokens(tokens))),
                None => self.wrong("reasoning", wanted, &value),
            };
        }
        let name = value.as_string().map(rquickjs::String::to_string).transpose()?;
        match Reasoning::LEVELS.iter().find(|(level, _)| name.as_deref() == Some(*level)) {
            Some((_, level)) => Ok(Some(*level)),
            None => self.wrong("reasoning", wanted, &value),
        }
    }

    pub(super) fn tier(&self) -> Result<Option<Tier>> {
        let Some(value) = property(self.options, "tier")? else { return Ok(None) };
        let name = value.as_string().map(rquickjs::String::to_string).transpose()?;
        match name.as_deref().and_then(Tier::from_name) {
            Some(tier) => Ok(Some(tier)),
            None => self.wrong("tier", "'flex', 'standard', 'priority' or 'fast'", &value),
        }
    }
}
