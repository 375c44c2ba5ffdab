//! How a recording is written: JSON that people read and compare. What fits a line stands on one, a part of an answer always
//! does. Must not know what an exchange means.

use serde_json::{Map, Value};

/// Characters of a line. Texts are longer all the same: JSON has no way to break them.
const WIDTH: usize = 120;

/// Spaces an exchange is indented by in its file.
const INDENT: usize = 4;

/// An exchange as it stands in its file, indented; without an end of line.
pub(super) fn exchange(exchange: &Map<String, Value>) -> String {
    let mut out = format!("{}{{", " ".repeat(INDENT));
    for (index, (name, value)) in exchange.iter().enumerate() {
        begin(&mut out, index, INDENT + 2, Some(name));
        match (name.as_str(), value) {
            ("parts", Value::Array(parts)) => one_a_line(&mut out, parts),
            _ => write(&mut out, value, INDENT + 2),
        }
    }
    end(&mut out, INDENT, '}');
    out
}

/// A value on one line.
pub(super) fn line(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(line).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let members: Vec<String> =
                map.iter().map(|(name, value)| format!("{}{}", key(name), line(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        value => value.to_string(),
    }
}

fn one_a_line(out: &mut String, parts: &[Value]) {
    out.push('[');
    for (index, part) in parts.iter().enumerate() {
        begin(out, index, INDENT + 4, None);
        out.push_str(&line(part));
    }
    if !parts.is_empty() {
        end(out, INDENT + 2, ']');
    } else {
        out.push(']');
    }
}

/// A value that begins behind what the last line of `out` holds already.
fn write(out: &mut String, value: &Value, indent: usize) {
    let begun = out.len() - out.rfind('\n').map_or(0, |end| end + 1);
    let short = line(value);
    // One more for the comma.
    if begun + short.chars().count() < WIDTH || matches!(value, Value::String(_)) {
        out.push_str(&short);
        return;
    }
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                begin(out, index, indent + 2, None);
                write(out, item, indent + 2);
            }
            end(out, indent, ']');
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (name, value)) in map.iter().enumerate() {
                begin(out, index, indent + 2, Some(name));
                write(out, value, indent + 2);
            }
            end(out, indent, '}');
        }
        _ => out.push_str(&short),
    }
}

fn begin(out: &mut String, index: usize, indent: usize, name: Option<&str>) {
    out.push_str(if index == 0 { "\n" } else { ",\n" });
    out.extend(std::iter::repeat_n(' ', indent));
    out.extend(name.map(key));
}

fn end(out: &mut String, indent: usize, bracket: char) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
    out.push(bracket);
}

fn key(name: &str) -> String {
    format!("{}: ", Value::from(name))
}
