//! The known keys of `config` and `config.options`, and advice for unknown ones.

use rquickjs::{Ctx, Object, Result, Value, object::Filter};

use super::known_options::{self, OPTIONS};
use crate::bindings::values::{kind_of, type_error};
use lmthing_base::cost::Limits;
use lmthing_node::warn;
use lmthing_typescript::sandbox::SandboxConfig;

const KNOWN: &[&str] =
    &["model", "options", "plugins", "limits", "prices", "sandbox", "journal", "mcpServers", "functions"];

const EXPORTS: [&str; 4] = ["mock", "input", "output", "description"];

pub(crate) fn unknown(config: &Object<'_>) -> Result<Vec<(String, String)>> {
    let keys: Vec<String> = config.own_keys(Filter::new().string().enum_only()).collect::<Result<_>>()?;
    let unknown = keys.into_iter().filter(|key| !KNOWN.contains(&key.as_str()));
    Ok(unknown.map(|key| (key.clone(), advice(&key))).collect())
}

/// Checks the second argument of `runPrompt` with a function: `config`, and values of this run.
pub(crate) fn check_of_call<'js>(ctx: &Ctx<'js>, config: &Object<'js>) -> Result<()> {
    let is_value = |name: &str| matches!(name, "input" | "output");
    let unknown = unknown(config)?.into_iter().filter(|(name, _)| !is_value(name));
    unknown.into_iter().try_for_each(|(name, advice)| report(ctx, "runPrompt", &name, &advice))?;
    let Some(limits) = config.get::<_, Value>("limits")?.into_object() else { return Ok(()) };
    let mut names = limits.own_keys::<String>(Filter::new().string().enum_only());
    names.try_for_each(|name| match name? {
        name if Limits::KEYS.contains(&name.as_str()) => Ok(()),
        name => Err(known_options::refusal(ctx, "runPrompt: limits", &name, &warn::suggestion(&name, &Limits::KEYS))),
    })
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
    unknown(config)?.iter().try_for_each(|(name, advice)| report(ctx, "config", name, advice))
}

fn report(ctx: &Ctx<'_>, place: &str, name: &str, advice: &str) -> Result<()> {
    match Limits::KEYS.contains(&name) {
        true => Err(known_options::refusal(ctx, place, name, advice)),
        false => known_options::report(ctx, place, name, KNOWN, advice),
    }
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
    if let Some(limit) = limit_of(name) {
        return format!("it belongs in limits: config = {{ limits: {{ {limit}: … }} }}");
    }
    if SandboxConfig::FIELDS.contains(&name) {
        return format!("it belongs in sandbox: config = {{ sandbox: {{ {name}: … }} }}");
    }
    match warn::closest_name(name, OPTIONS) {
        Some(option) => format!("did you mean the option '{option}'? config = {{ options: {{ {option}: … }} }}"),
        None => warn::suggestion(name, KNOWN),
    }
}

/// `cost` of `cost` and `maxCost`.
fn limit_of(name: &str) -> Option<&'static str> {
    let bare = name.strip_prefix("max").unwrap_or(name);
    Limits::KEYS.into_iter().find(|limit| limit.eq_ignore_ascii_case(bare))
}

pub(crate) fn advice_for_option(name: &str) -> String {
    if KNOWN.contains(&name) {
        return format!("it belongs beside options: config = {{ {name}: … }}");
    }
    warn::suggestion(name, OPTIONS)
}
