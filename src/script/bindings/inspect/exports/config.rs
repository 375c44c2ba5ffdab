//! What is wrong with `config` but for its model: keys nobody knows, and each value by itself. Must not know what any of it is for.

use rquickjs::{Ctx, Object, Value};
use serde_json::{Value as Json, json};

use super::{
    super::fault::{Key, Weight},
    faults::{Faults, at, below, path},
    named::NamedTools,
};
use crate::{
    cost::{Limits, OwnPrices},
    script::bindings::{
        prompt::{config_keys, object::plugin_methods, options},
        run::limits,
        values::{elements, kind_of},
    },
};

/// Most wrong values are wrong for `run` as well.
const WRONG: (&str, Weight) = ("config", Weight::Error);

/// Options that are objects, and what they may hold.
const OF_OPTIONS: [(&str, &[&str]); 3] =
    [("timeout", &["total", "firstByte", "idle"]), ("reasoning", &["tokens"]), ("toolChoice", &["type", "toolName"])];

/// What nearly every provider refuses: an option, the least and the most that it may be.
const RANGES: [(&str, f64, f64); 4] =
    [("temperature", 0.0, 2.0), ("topP", 0.0, 1.0), ("presencePenalty", -2.0, 2.0), ("frequencyPenalty", -2.0, 2.0)];

/// Looks at everything in `config` but the model.
pub(super) fn look<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, config: &Object<'js>) -> NamedTools {
    let mut named = NamedTools::default();
    let place = path(&["config"]);
    let unknown = faults.read("config", &place, config_keys::unknown(config));
    for (name, advice) in unknown.into_iter().flatten() {
        faults.add(WRONG, below(&place, &name), format!("config has no '{name}'"), Some(advice));
    }
    for (name, value) in faults.properties("config", &place, config) {
        if value.is_undefined() || value.is_null() {
            continue;
        }
        match name.as_str() {
            "options" => named = look_at_options(ctx, faults, &value),
            "plugins" => look_at_plugins(ctx, faults, &value),
            "sandbox" => look_at_sandbox(ctx, faults, &value),
            "limits" => look_at_limits(ctx, faults, &value),
            "prices" => look_at_prices(ctx, faults, &value),
            "journal" => drop(faults.read("config", &below(&place, &name), config_keys::journal(ctx, config))),
            _ => {}
        }
    }
    named
}

fn look_at_options<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) -> NamedTools {
    let place = path(&["config", "options"]);
    let Some(Some(given)) = faults.read("config", &place, options::object(ctx, value)) else {
        return NamedTools::default();
    };
    for name in faults.read("config", &place, options::unknown(&given)).unwrap_or_default() {
        let hint = Some(config_keys::advice_for_option(&name));
        faults.add(WRONG, below(&place, &name), format!("config.options has no '{name}'"), hint);
    }
    faults.read_each("config", &place, &given, |single| options::read(ctx, single));
    for (option, known) in OF_OPTIONS {
        look_within(faults, &given, option, known);
    }
    for (option, least, most) in RANGES {
        let number = given.get::<_, Value>(option).ok().and_then(|value| value.as_number());
        if let Some(number) = number.filter(|number| number.is_finite() && !(least..=most).contains(number)) {
            let message = format!("config.options.{option} is {number}; models take {least} to {most}");
            faults.add(("config", Weight::Warning), below(&place, option), message, None);
        }
    }
    NamedTools::of(&given)
}

/// Keys that an option does not have, which would be passed over.
fn look_within<'js>(faults: &mut Faults<'_, 'js>, options: &Object<'js>, option: &str, known: &[&'static str]) {
    let place = path(&["config", "options", option]);
    let Ok(value) = options.get::<_, Value>(option) else { return };
    let Some(object) = value.as_object().filter(|_| !value.is_array() && !value.is_function()) else { return };
    // One that is refused as a whole has been told of.
    if faults.found.iter().any(|fault| fault.place == place) {
        return;
    }
    for (name, _) in faults.properties("config", &place, object) {
        if !known.contains(&name.as_str()) {
            let hint = Some(crate::script::warn::suggestion(&name, known));
            let message = format!("config.options.{option} has no '{name}'");
            faults.add(WRONG, below(&place, &name), message, hint);
        }
    }
}

fn look_at_plugins<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) {
    let place = path(&["config", "plugins"]);
    let Some(list) = value.as_array() else {
        let message = format!("config.plugins must be an array of plugin objects, got {}", kind_of(value));
        faults.add(WRONG, place, message, Some("put it in brackets: plugins: [plugin]".to_owned()));
        return;
    };
    let Some(plugins) = faults.read("config", &place, elements(list)) else { return };
    for (index, plugin) in plugins.iter().enumerate() {
        let (name, place) = (format!("config.plugins[{index}]"), at(&place, index));
        let Some(methods) = faults.read("config", &place, plugin_methods(ctx, plugin, &name)) else {
            if let Some(fault) = faults.found.last_mut().filter(|_| plugin.is_array()) {
                fault.hint = Some("spread a list of plugins: plugins: [...list]".to_owned());
            }
            continue;
        };
        if methods.is_empty() {
            look_at_empty_plugin(faults, plugin, &name, place);
        }
    }
}

/// A plugin without methods adds nothing.
fn look_at_empty_plugin<'js>(faults: &mut Faults<'_, 'js>, plugin: &Value<'js>, name: &str, place: Vec<Key>) {
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
    faults.add(("config", Weight::Warning), place, format!("{name} has no functions"), Some(hint.to_owned()));
}

fn look_at_sandbox<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) {
    let place = path(&["config", "sandbox"]);
    match value.as_object().filter(|_| !value.is_array() && !value.is_function()) {
        Some(given) => faults.read_each("config", &place, given, |single| options::sandbox(ctx, single.as_value())),
        None => drop(faults.read("config", &place, options::sandbox(ctx, value))),
    }
}

fn look_at_limits<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) {
    let place = path(&["config", "limits"]);
    let Some(given) = faults.read("config", &place, limits::plain(ctx, value)) else { return };
    for (name, limits) in entries(&given) {
        let place = name.map_or(place.clone(), |name| below(&place, name));
        match Limits::from_json(&limits) {
            Err(error) => faults.add(WRONG, place, error.to_string(), None),
            Ok((_, unknown)) => {
                for line in unknown {
                    let (what, advice) = line.split_once("; ").unwrap_or((line.as_str(), ""));
                    let hint = (!advice.is_empty()).then(|| advice.to_owned());
                    faults.add(WRONG, place.clone(), what, hint);
                }
            }
        }
    }
}

fn look_at_prices<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) {
    let place = path(&["config", "prices"]);
    let Some(given) = faults.read("config", &place, limits::plain(ctx, value)) else { return };
    for (name, prices) in entries(&given) {
        let place = name.map_or(place.clone(), |name| below(&place, name));
        if let Err(error) = OwnPrices::from_json("config.prices", &prices) {
            // What was handed over is a table of one entry.
            let place =
                error.path.get(1).map_or(place.clone(), |field| [&place[..], std::slice::from_ref(field)].concat());
            faults.add(WRONG, place, error.to_string(), None);
        }
    }
}

/// An object entry by entry, each as an object; anything else as it is.
fn entries(given: &Json) -> Vec<(Option<&str>, Json)> {
    match given {
        Json::Object(entries) => {
            entries.iter().map(|(name, value)| (Some(name.as_str()), json!({ name.as_str(): value }))).collect()
        }
        other => vec![(None, other.clone())],
    }
}
