//! Names of options that a prompt file may have mistyped. A name that is ignored is reported; if it was probably meant to
//! limit the run or to ask for approval, it is an error, as the file would run without that protection.

use std::{cell::RefCell, collections::HashSet, sync::LazyLock};

use rquickjs::{Ctx, Error, JsLifetime, Object, Result, Value, object::Filter};

use crate::bindings::values::type_error;
use lmthing_node::{user_data, warn};

/// The keys of `config.options`.
pub(crate) const OPTIONS: &[&str] = &[
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
    "reasoning",
    "tier",
    "cache",
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
    "outputRetries",
    "instructions",
    "onStepEnd",
    "onEnd",
];

/// Other names of options, as in version 7 of the AI SDK, with the names that are used here.
const OTHER_NAMES: [(&str, &str); 3] =
    [("instructions", "system"), ("onStepEnd", "onStepFinish"), ("onEnd", "onFinish")];

/// The name under which an option is read.
pub(crate) fn usual_name(name: &str) -> &str {
    OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, usual)| usual)
}

/// The same options under the names that are used here. `undefined` and `null` count as unset.
pub(crate) fn with_usual_names<'js>(ctx: &Ctx<'js>, given: &Object<'js>, place: &str) -> Result<Object<'js>> {
    if !OTHER_NAMES.iter().any(|(other, _)| given.contains_key(*other).unwrap_or(false)) {
        return Ok(given.clone());
    }
    let options = Object::new(ctx.clone())?;
    for entry in given.own_props::<String, Value>(Filter::new().string().enum_only()) {
        let (name, value) = entry?;
        let usual = usual_name(&name);
        let is_unset = |value: &Value<'js>| value.is_undefined() || value.is_null();
        if !is_unset(&options.get(usual)?) {
            if is_unset(&value) {
                continue;
            }
            let other = OTHER_NAMES.iter().find(|(_, of)| *of == usual).map_or(usual, |(other, _)| other);
            return Err(type_error(ctx, format!("{place} has {usual} and {other}, which are two names of one option")));
        }
        options.set(usual, value)?;
    }
    Ok(options)
}

/// Options of tools, of functions, and of methods.
const CALLABLE: &[&str] =
    &["responseSchema", "needsApproval", "beforeCall", "onSuccess", "onError", "repeat", "providerOptions"];

/// Keys of a member of an array form.
const MEMBER: &[&str] = &["name", "description", "inputSchema", "execute", "options"];

/// Those of agents: an agent is called as a tool is, and its own prompt has settings.
static OF_AGENTS: LazyLock<Vec<&str>> = LazyLock::new(|| [CALLABLE, OPTIONS, &["model", "plugins"]].concat());

/// Options that protect the user.
const GUARDS: &[&str] = &["needsApproval", "limits", "maxSteps", "maxAgentDepth", "maxOutputTokens", "sandbox"];

/// Beginnings of words that mean a protection, whatever the option is called.
const GUARD_WORDS: &[&str] = &[
    "approv", "confirm", "consent", "permi", "limit", "max", "budget", "quota", "timeout", "restrict", "allow", "deny",
];

/// Checks the options of a definition. `helper` is the function that makes such a member of an array form: `tool`.
pub(crate) fn check_definition<'js>(ctx: &Ctx<'js>, options: &Value<'js>, place: &str, helper: &str) -> Result<()> {
    let Some(given) = options.as_object() else { return Ok(()) };
    check(ctx, given, &format!("{place}: options"), of_definition(helper))
}

fn of_definition(helper: &str) -> &'static [&'static str] {
    if matches!(helper, "agent" | "funcAgent") { &OF_AGENTS } else { CALLABLE }
}

/// Checks the names in a member of an array form: `tool('a', …)`, or an object like it.
pub(crate) fn check_member<'js>(ctx: &Ctx<'js>, member: &Object<'js>, place: &str, helper: &str) -> Result<()> {
    check_definition(ctx, &member.get("options")?, place, helper)?;
    for name in names(member) {
        let name = name?;
        if !MEMBER.contains(&name.as_str()) {
            let is_option = of_definition(helper).contains(&name.as_str());
            let advice = match is_option {
                true => format!("it belongs in options: {{ options: {{ {name}: … }} }}"),
                false => warn::suggestion(&name, MEMBER),
            };
            report(ctx, place, &name, of_definition(helper), &advice)?;
        }
    }
    Ok(())
}

/// Checks the names in an options object.
///
/// # Errors
/// An unknown name that was probably meant as a protection. Other unknown names are warnings.
pub(crate) fn check<'js>(ctx: &Ctx<'js>, given: &Object<'js>, place: &str, known: &[&'static str]) -> Result<()> {
    for name in names(given) {
        let name = name?;
        if !known.contains(&name.as_str()) {
            report(ctx, place, &name, known, &warn::suggestion(&name, known))?;
        }
    }
    Ok(())
}

/// Reports one unknown name. `known` are the names that are possible there.
pub(crate) fn report(ctx: &Ctx<'_>, place: &str, name: &str, known: &[&'static str], advice: &str) -> Result<()> {
    if is_guard(name, known) {
        return Err(refusal(ctx, place, name, advice));
    }
    match is_new(ctx, format!("{place} {name}"))? {
        true => warn::ignored_name(ctx, place, name, advice),
        false => Ok(()),
    }
}

pub(crate) fn refusal(ctx: &Ctx<'_>, place: &str, name: &str, advice: &str) -> Error {
    type_error(ctx, format!("{place} has no '{name}'; {advice}"))
}

fn names<'js>(given: &Object<'js>) -> impl Iterator<Item = Result<String>> {
    given.own_keys::<String>(Filter::new().string().enum_only())
}

/// Names that were reported: the prompt function defines the same things before every step.
#[derive(Default, JsLifetime)]
struct Reported(RefCell<HashSet<String>>);

fn is_new(ctx: &Ctx<'_>, name: String) -> Result<bool> {
    if ctx.userdata::<Reported>().is_none() {
        user_data::store(ctx, Reported::default())?;
    }
    Ok(user_data::read::<Reported>(ctx)?.0.borrow_mut().insert(name))
}

fn is_guard(name: &str, known: &[&'static str]) -> bool {
    let words = warn::words(name);
    words.iter().any(|word| GUARD_WORDS.iter().any(|guard| word.starts_with(guard)))
        || warn::closest_name(name, known).is_some_and(|near| GUARDS.contains(&near))
}
