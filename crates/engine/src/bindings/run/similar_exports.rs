//! Misspelt exports of a prompt file.

use rquickjs::{Object, Result, Value, object::Filter};

use crate::bindings::values::{kind_of, schema::Schema};
use lmthing_base::diagnostic::closest;

const KNOWN: [&str; 6] = ["default", "config", "mock", "input", "output", "description"];

/// The names of all exports.
pub(crate) fn names_of_exports(namespace: &Object<'_>) -> Result<Vec<String>> {
    namespace.own_keys(Filter::new().string()).collect()
}

/// Whether the export is one of a prompt file.
pub(crate) fn is_known(export: &str) -> bool {
    KNOWN.contains(&export)
}

/// An unknown export with a name similar to `name`, if there is no export `name`.
pub(crate) fn similar<'a>(names: &'a [String], name: &str) -> Option<&'a str> {
    let unknown = names.iter().map(String::as_str).filter(|known| !is_known(known));
    if names.iter().any(|known| known == name) { None } else { closest(name, unknown) }
}

/// An unknown export that is a schema, with a name similar to `name`, if there is no export `name`.
pub(crate) fn similar_schema(namespace: &Object<'_>, name: &str) -> Result<Option<String>> {
    let names = names_of_exports(namespace)?;
    let Some(similar) = similar(&names, name) else { return Ok(None) };
    let value = namespace.get(similar)?;
    Ok(is_schema(&value).then(|| similar.to_owned()))
}

/// Whether a value is certainly a schema. An object without keys could be anything.
pub(crate) fn is_schema(value: &Value<'_>) -> bool {
    let place = "the export";
    let is_object = kind_of(value) == "an object" && value.as_object().is_some_and(|object| !object.is_empty());
    is_object && Schema::from_value(value.ctx(), value, place).map_err(|_| value.ctx().catch()).is_ok()
}
