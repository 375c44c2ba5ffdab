//! The value of `ask --schema`: a file with a JSON Schema, the schema itself, or its fields.

use std::path::{Path, is_separator};

use serde_json::Value;

use super::fields::{self, marked};
use crate::cli::failure::{WrongUsage, io_error_text};
use lmthing_base::{
    diagnostic::{did_you_mean, ends_in_json},
    schema::Validator,
};
use lmthing_system::user_file::{self, MAX_SETTINGS};

const FORM: &str = r#"expected a JSON Schema, such as {"type": "object", "properties": {"name": {"type": "string"}}}"#;

pub(super) fn read(value: &str) -> Result<Value, WrongUsage> {
    if value.trim_start().starts_with(['{', '[']) {
        return parse(value, "--schema");
    }
    let path = Path::new(value);
    if path.exists() || is_meant_as_path(value) {
        let text = user_file::read_text(path, MAX_SETTINGS).map_err(|error| {
            let message = format!("--schema: cannot read {value}: {}", io_error_text(&error));
            WrongUsage::new(message, did_you_mean(path, ends_in_json).unwrap_or_else(|| FORM.to_owned()))
        })?;
        return parse(text.strip_prefix('\u{feff}').unwrap_or(&text), value);
    }
    fields::object(value)
}

/// Whether it looks like the path of a file that does not exist.
fn is_meant_as_path(value: &str) -> bool {
    let is_one_word = !value.contains(char::is_whitespace) && !value.contains([',', ':']);
    is_one_word && (value.contains('.') || value.contains(is_separator))
}

fn parse(text: &str, place: &str) -> Result<Value, WrongUsage> {
    let schema: Value = serde_json::from_str(text).map_err(|error| {
        let position = match (error.line(), error.column()) {
            // The end of the line before.
            (line @ 2.., 0) => (line - 2, text.lines().nth(line - 2).unwrap_or_default().chars().count()),
            (line, column) => (line.saturating_sub(1), column.saturating_sub(1)),
        };
        marked(place, text, position, format!("the schema is not JSON: {error}"), FORM)
    })?;
    if !schema.is_object() {
        return Err(WrongUsage::new(format!("{place} is no JSON Schema, but another kind of JSON"), FORM));
    }
    match Validator::compiled(&schema) {
        Ok(_) => Ok(schema),
        Err(error) => Err(WrongUsage::new(format!("{place} is {error}"), FORM)),
    }
}
