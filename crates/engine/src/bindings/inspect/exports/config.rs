//! Faults in `config`, except in its model.

use rquickjs::{Ctx, Object, Value};
use serde_json::{Value as Json, json};

use super::{
    super::fault::{FaultSeverity, PathKey},
    faults::{Faults, at_index, at_key, path},
    named_tools::NamedTools,
};
use crate::bindings::{
    prompt::{config_keys, object::plugin_methods, options},
    run::limits,
    values::{elements, kind_of},
};
use lmthing_base::cost::{InvalidLimit, Limits, OwnPrices};

const WRONG: (&str, FaultSeverity) = ("config", FaultSeverity::Error);

const OPTION_KEYS: [(&str, &[&str]); 3] =
    [("timeout", &["total", "firstByte", "idle"]), ("reasoning", &["tokens"]), ("toolChoice", &["type", "toolName"])];

/// Options with the range that nearly all providers accept.
const RANGES: [(&str, f64, f64); 4] =
    [("temperature", 0.0, 2.0), ("topP", 0.0, 1.0), ("presencePenalty", -2.0, 2.0), ("frequencyPenalty", -2.0, 2.0)];

pub(super) fn check<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, config: &Object<'js>) -> NamedTools {
    let mut named = NamedTools::default();
    let place = path(&["config"]);
    let unknown = faults.read("config", &place, config_keys::unknown(config));
    for (name, advice) in unknown.into_iter().flatten() {
        faults.add(WRONG, at_key(&place, &name), format!("config has no '{name}'"), Some(advice));
    }
    for (name, value) in faults.properties("config", &place, config) {
        if value.is_undefined() || value.is_null() {
            continue;
        }
        match name.as_str() {
            "options" => named = check_options(ctx, faults, &value),
            "plugins" => check_plugins(ctx, faults, &value),
            "sandbox" => check_sandbox(ctx, faults, &value),
            "limits" => check_limits(ctx, faults, &value),
            "prices" => check_prices(ctx, faults, &value),
            "journal" => drop(faults.read("config", &at_key(&place, &name), config_keys::journal(ctx, config))),
            _ => {}
        }
    }
    named
}

fn check_options<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) -> NamedTools {
    let place = path(&["config", "options"]);
    let Some(Some(given)) = faults.read("config", &place, options::object(ctx, value)) else {
        return NamedTools::default();
    };
    for name in faults.read("config", &place, options::unknown(&given)).unwrap_or_default() {
        let hint = Some(config_keys::advice_for_option(&name));
        faults.add(WRONG, at_key(&place, &name), format!("config.options has no '{name}'"), hint);
    }
    faults.read_each("config", &place, &given, |single| options::read(ctx, single));
    for (option, known) in OPTION_KEYS {
        check_option_keys(faults, &given, option, known);
    }
    for (option, least, most) in RANGES {
        let number = given.get::<_, Value>(option).ok().and_then(|value| value.as_number());
        if let Some(number) = number.filter(|number| number.is_finite() && !(least..=most).contains(number)) {
            let message = format!("config.options.{option} is {number}; models take {least} to {most}");
            faults.add(("config", FaultSeverity::Warning), at_key(&place, option), message, None);
        }
    }
    NamedTools::of(&given)
}

fn check_option_keys<'js>(faults: &mut Faults<'_, 'js>, options: &Object<'js>, option: &str, known: &[&'static str]) {
    let place = path(&["config", "options", option]);
    let Ok(value) = options.get::<_, Value>(option) else { return };
    let Some(object) = value.as_object().filter(|_| !value.is_array() && !value.is_function()) else { return };
    // The option as a whole was reported already.
    if faults.list.iter().any(|fault| fault.place == place) {
        return;
    }
    for (name, _) in faults.properties("config", &place, object) {
        if !known.contains(&name.as_str()) {
            let hint = Some(lmthing_node::warn::suggestion(&name, known));
            let message = format!("config.options.{option} has no '{name}'");
            faults.add(WRONG, at_key(&place, &name), message, hint);
        }
    }
}

fn check_plugins<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) {
    let place = path(&["config", "plugins"]);
    let Some(list) = value.as_array() else {
        let message = format!("config.plugins must be an array of plugin objects, got {}", kind_of(value));
        faults.add(WRONG, place, message, Some("put it in brackets: plugins: [plugin]".to_owned()));
        return;
    };
    let Some(plugins) = faults.read("config", &place, elements(list)) else { return };
    for (index, plugin) in plugins.iter().enumerate() {
        let (name, place) = (format!("config.plugins[{index}]"), at_index(&place, index));
        let Some(methods) = faults.read("config", &place, plugin_methods(ctx, plugin, &name)) else {
            if let Some(fault) = faults.list.last_mut().filter(|_| plugin.is_array()) {
                fault.hint = Some("spread a list of plugins: plugins: [...list]".to_owned());
            }
            continue;
        };
        if methods.is_empty() {
            check_empty_plugin(faults, plugin, &name, place);
        }
    }
}

fn check_empty_plugin<'js>(faults: &mut Faults<'_, 'js>, plugin: &Value<'js>, name: &str, place: Vec<PathKey>) {
    if plugin.is_function() {
        let hint = "a plugin is an object of functions: { defGlossary(words) { … } }; a function that makes one has to be called";
        faults.add(
            WRONG,
            place,
            format!("{name} must be an object of functions, got a function"),
            Some(hint.to_owned()),
        );
        return;
    }
    let hint = "its functions must be properties of its own: the methods of a class are not";
    faults.add(("config", FaultSeverity::Warning), place, format!("{name} has no functions"), Some(hint.to_owned()));
}

fn check_sandbox<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) {
    let place = path(&["config", "sandbox"]);
    match value.as_object().filter(|_| !value.is_array() && !value.is_function()) {
        Some(given) => faults.read_each("config", &place, given, |single| options::sandbox(ctx, single.as_value())),
        None => drop(faults.read("config", &place, options::sandbox(ctx, value))),
    }
}

fn check_limits<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) {
    let place = path(&["config", "limits"]);
    let Some(given) = faults.read("config", &place, limits::to_plain_json(ctx, value)) else { return };
    for (name, limits) in entries(&given) {
        let place = name.map_or(place.clone(), |name| at_key(&place, name));
        match Limits::from_json(&limits) {
            Ok(_) => {}
            Err(InvalidLimit::Key { place: key, advice }) => {
                faults.add(WRONG, place, format!("{key} is not known"), Some(advice));
            }
            Err(error) => faults.add(WRONG, place, error.to_string(), None),
        }
    }
}

fn check_prices<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) {
    let place = path(&["config", "prices"]);
    let Some(given) = faults.read("config", &place, limits::to_plain_json(ctx, value)) else { return };
    for (name, prices) in entries(&given) {
        let place = name.map_or(place.clone(), |name| at_key(&place, name));
        if let Err(error) = OwnPrices::from_json("config.prices", &prices) {
            // The value is a table with one entry, which the path of the error includes.
            let place =
                error.path.get(1).map_or(place.clone(), |field| [&place[..], std::slice::from_ref(field)].concat());
            faults.add(WRONG, place, error.to_string(), None);
        }
    }
}

/// The entries of an object, each as an object; other values as they are.
fn entries(given: &Json) -> Vec<(Option<&str>, Json)> {
    match given {
        Json::Object(entries) => {
            entries.iter().map(|(name, value)| (Some(name.as_str()), json!({ name.as_str(): value }))).collect()
        }
        other => vec![(None, other.clone())],
    }
}
