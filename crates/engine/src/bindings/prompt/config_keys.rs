//! The known keys of `config` and `config.options`, and advice for unknown ones.

use rquickjs::{Ctx, Object, Result, Value, object::Filter};

use super::known_options::{self, OPTIONS};
use crate::bindings::values::{kind_of, type_error};
use lmthing_node::warn;
use lmthing_typescript::sandbox::SandboxConfig;

const KNOWN: &[&str] =
    &["model", "options", "plugins", "limits", "prices", "sandbox", "journal", "mcpServers", "functions"];

const EXPORTS: [&str; 4] = ["mock", "input", "output", "description"];

const LIMITS: [&str; 5] = ["steps", "tokens", "cost", "time", "parallel"];

pub(crate) fn unknown(config: &Object<'_>) -> Result<Vec<(String, String)>> {
    let keys: Vec<String> = config.own_keys(Filter::new().string().enum_only()).collect::<Result<_>>()?;
    let unknown = keys.into_iter().filter(|key| !KNOWN.contains(&key.as_str()));
    Ok(unknown.map(|key| (key.clone(), advice(&key))).collect())
}

/// Checks the second argument of `runPrompt` with a function: `config`, and values of this run.
pub(crate) fn check_of_call<'js>(ctx: &Ctx<'js>, config: &Object<'js>) -> Result<()> {
    let is_value = |name: &str| matches!(name, "input" | "output");
    let unknown = unknown(config)?.into_iter().filter(|(name, _)| !is_value(name));
    unknown.into_iter().try_for_each(|(name, advice)| known_options::report(ctx, "runPrompt", &name, KNOWN, &advice))
}

pub(crate) fn journal<'js>(ctx: &Ctx<'js>, config: &Object<'js>) -> Result<Option<bool>> {
    let value: Value = config.get("journal")?;
    match value.as_bool() {
        None if !value.is_undefined() && !value.is_null() => {
            Err(type_error(ctx, format!("config.journal must be true or false, got {}", kind_of(&value))))
        }
        journal => Ok(journal),
    }
}

pub(crate) fn warn_unknown<'js>(ctx: &Ctx<'js>, config: &Object<'js>) -> Result<()> {
    unknown(config)?.iter().try_for_each(|(name, advice)| known_options::report(ctx, "config", name, KNOWN, advice))
}

fn advice(name: &str) -> String {
    if OPTIONS.contains(&name) {
        return format!("it belongs in options: config = {{ options: {{ {name}: … }} }}");
    }
    if let Some(known) = warn::closest_name(name, KNOWN) {
        return format!("did you mean '{known}'?");
    }
    if EXPORTS.contains(&name) {
        return format!("it is an export of its own: export const {name} = …");
    }
    if LIMITS.contains(&name) {
        return format!("it belongs in limits: config = {{ limits: {{ {name}: … }} }}");
    }
    if SandboxConfig::FIELDS.contains(&name) {
        return format!("it belongs in sandbox: config = {{ sandbox: {{ {name}: … }} }}");
    }
    match warn::closest_name(name, OPTIONS) {
        Some(option) => format!("did you mean the option '{option}'? config = {{ options: {{ {option}: … }} }}"),
        None => warn::suggestion(name, KNOWN),
    }
}

pub(crate) fn advice_for_option(name: &str) -> String {
    if KNOWN.contains(&name) {
        return format!("it belongs beside options: config = {{ {name}: … }}");
    }
    warn::suggestion(name, OPTIONS)
}
