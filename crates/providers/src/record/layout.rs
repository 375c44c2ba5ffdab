//! Formats a recording as readable JSON that is easy to compare: short values and parts of responses on one line
//! each.

use serde_json::{Map, Value};

/// Characters of a line. Strings may exceed it, as JSON cannot break them.
const WIDTH: usize = 120;

const INDENT: usize = 4;

pub(super) fn exchange(exchange: &Map<String, Value>) -> String {
    let mut out = format!("{}{{", " ".repeat(INDENT));
    for (index, (name, value)) in exchange.iter().enumerate() {
        begin(&mut out, index, INDENT + 2, Some(name));
        match (name.as_str(), value) {
            ("parts", Value::Array(parts)) => push_parts_by_line(&mut out, parts),
            _ => write(&mut out, value, INDENT + 2),
        }
    }
    end(&mut out, INDENT, '}');
    out
}

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

fn push_parts_by_line(out: &mut String, parts: &[Value]) {
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

fn write(out: &mut String, value: &Value, indent: usize) {
    let begun = out.len() - out.rfind('\n').map_or(0, |end| end + 1);
    let short = line(value);
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
