//! Comparison of the tools in `activeTools` and `toolChoice` with those of the first render.

use rquickjs::{Object, Value};

use super::{
    super::fault::{Fault, FaultSeverity, PathKey, Rendered},
    faults::{at_index, at_key, path},
};
use crate::bindings::values::elements;
use lmthing_base::diagnostic::closest;

#[derive(Debug, Default)]
pub(crate) struct NamedTools(Vec<(Vec<PathKey>, String)>);

impl NamedTools {
    /// Reads the names from an options object; other values were reported already.
    pub(super) fn of(options: &Object<'_>) -> Self {
        let place = path(&["config", "options"]);
        let text = |value: &Value<'_>| value.as_string().and_then(|text| text.to_string().ok());
        let mut named = Vec::new();
        let active = options.get::<_, Value>("activeTools").ok().and_then(|active| elements(active.as_array()?).ok());
        for (index, name) in active.into_iter().flatten().enumerate() {
            named.extend(text(&name).map(|name| (at_index(&at_key(&place, "activeTools"), index), name)));
        }
        let choice = options.get::<_, Value>("toolChoice").ok();
        let choice = choice.and_then(|choice| choice.as_object()?.get::<_, Value>("toolName").ok());
        let choice = choice.and_then(|name| text(&name));
        named.extend(choice.map(|name| (at_key(&at_key(&place, "toolChoice"), "toolName"), name)));
        NamedTools(named)
    }
}

/// Reports names without a tool in the first render, as warnings because a tool may be defined later. `defined`
/// includes tools that options hide.
pub(crate) fn names_against(named: &NamedTools, rendered: &Rendered, defined: &[String]) -> Vec<Fault> {
    let is_expected = |name: &str| rendered.expected_names.iter().any(|beginning| name.starts_with(beginning));
    let is_there = |name: &str| is_expected(name) || rendered.tools.iter().any(|tool| tool.name == name);
    let unknown = named.0.iter().filter(|(_, name)| !is_there(name));
    let fault = |(place, name): &(Vec<PathKey>, String)| {
        let option =
            if place.contains(&PathKey::Name("activeTools".to_owned())) { "activeTools" } else { "toolChoice" };
        let message = format!("config.options.{option} names the tool '{name}', which the first step does not have");
        let meant = closest(name, defined.iter().map(String::as_str));
        let hint = meant.map(|meant| format!("did you mean '{meant}'?"));
        let fault = Fault::error("config", &[], message).with_severity(FaultSeverity::Warning).with_hint(hint);
        Fault { place: place.clone(), ..fault }
    };
    unknown.map(fault).collect()
}
