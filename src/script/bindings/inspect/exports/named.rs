//! The tools that options name, `activeTools` and `toolChoice`, against those of the first render. Must not know what naming them
//! does.

use rquickjs::{Object, Value};

use super::{
    super::fault::{Fault, Key, Rendered, Weight},
    faults::{at, below, path},
};
use crate::{diagnostic::closest, script::bindings::values::elements};

/// Names of tools, each with its place.
#[derive(Debug, Default)]
pub(crate) struct NamedTools(Vec<(Vec<Key>, String)>);

impl NamedTools {
    /// Those of an options object; what is no name has been told of.
    pub(super) fn of(options: &Object<'_>) -> Self {
        let place = path(&["config", "options"]);
        let text = |value: &Value<'_>| value.as_string().and_then(|text| text.to_string().ok());
        let mut named = Vec::new();
        let active = options.get::<_, Value>("activeTools").ok().and_then(|active| elements(active.as_array()?).ok());
        for (index, name) in active.into_iter().flatten().enumerate() {
            named.extend(text(&name).map(|name| (at(&below(&place, "activeTools"), index), name)));
        }
        let choice = options.get::<_, Value>("toolChoice").ok();
        let choice = choice.and_then(|choice| choice.as_object()?.get::<_, Value>("toolName").ok());
        let choice = choice.and_then(|name| text(&name));
        named.extend(choice.map(|name| (below(&below(&place, "toolChoice"), "toolName"), name)));
        NamedTools(named)
    }
}

/// Names that the first render has no tool for; `defined` are also those that options hide. Warnings: a tool may come later.
pub(crate) fn names_against(named: &NamedTools, rendered: &Rendered, defined: &[String]) -> Vec<Fault> {
    let is_to_come = |name: &str| rendered.to_come.iter().any(|beginning| name.starts_with(beginning));
    let is_there = |name: &str| is_to_come(name) || rendered.tools.iter().any(|tool| tool.name == name);
    let unknown = named.0.iter().filter(|(_, name)| !is_there(name));
    let fault = |(place, name): &(Vec<Key>, String)| {
        let option = if place.contains(&Key::Name("activeTools".to_owned())) { "activeTools" } else { "toolChoice" };
        let message = format!("config.options.{option} names the tool '{name}', which the first step does not have");
        let meant = closest(name, defined.iter().map(String::as_str));
        let hint = meant.map(|meant| format!("did you mean '{meant}'?"));
        Fault { place: place.clone(), location: None, weight: Weight::Warning, code: "config", message, hint }
    };
    unknown.map(fault).collect()
}
