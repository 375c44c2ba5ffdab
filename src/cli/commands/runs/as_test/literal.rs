//! JSON values as JavaScript, in the layout of the examples.

use std::fmt::Write;

use serde_json::Value;

use lmthing_base::diagnostic::is_bidi_control;

pub(super) const WIDTH: usize = 120;

/// What follows a value on its line: `]);`, a comma.
const END: usize = 4;

/// What is written in place of a value.
type Replace<'a> = &'a dyn Fn(&Value) -> Option<String>;

/// A value on one line if it fits there, after `begun` characters.
pub(super) fn literal(value: &Value, indent: usize, begun: usize) -> String {
    literal_with(value, (indent, begun), &|_| None)
}

pub(super) fn literal_with(value: &Value, (indent, begun): (usize, usize), replace: Replace<'_>) -> String {
    let line = on_one_line(value, replace);
    if begun + line.chars().count() + END <= WIDTH {
        return line;
    }
    let inner = indent + 2;
    let (open, close, members): (_, _, Vec<String>) = match value {
        _ if replace(value).is_some() => return line,
        Value::Array(items) => {
            ('[', ']', items.iter().map(|item| literal_with(item, (inner, inner), replace)).collect())
        }
        Value::Object(map) => {
            let member = |(name, value): (&String, &Value)| {
                let name = key(name);
                let begun = inner + name.chars().count() + 2;
                format!("{name}: {}", literal_with(value, (inner, begun), replace))
            };
            ('{', '}', map.iter().map(member).collect())
        }
        _ => return line,
    };
    lines(open, &members, close, indent)
}

/// A list with a member on each line.
pub(super) fn lines(open: char, members: &[String], close: char, indent: usize) -> String {
    let mut text = format!("{open}\n");
    for member in members {
        let _ = writeln!(text, "{:1$}{member},", "", indent + 2);
    }
    let _ = write!(text, "{:indent$}{close}", "");
    text
}

fn on_one_line(value: &Value, replace: Replace<'_>) -> String {
    if let Some(text) = replace(value) {
        return text;
    }
    let one = |value: &Value| on_one_line(value, replace);
    match value {
        Value::String(text) => string(text),
        Value::Array(items) => format!("[{}]", items.iter().map(one).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let members = map.iter().map(|(name, value)| format!("{}: {}", key(name), one(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        value => value.to_string(),
    }
}

fn key(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    match name {
        // A plain member of this name would set the prototype.
        "__proto__" => "['__proto__']".to_owned(),
        name if name.chars().all(is_plain) && name.starts_with(|c: char| !c.is_ascii_digit()) => name.to_owned(),
        name => string(name),
    }
}

/// A string in quotes; one of several lines as a template, which is read like the text itself.
pub(super) fn string(text: &str) -> String {
    let quote = match text {
        text if text.trim_end_matches('\n').contains('\n') => '`',
        text if text.contains('\'') && !text.contains('"') => '"',
        _ => '\'',
    };
    let mut out = String::from(quote);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' if quote == '`' => out.push('\n'),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            '$' if quote == '`' && chars.peek() == Some(&'{') => out.push_str("\\$"),
            c if c == quote => out.extend(['\\', c]),
            c if is_misleading(c) => push_escaped(&mut out, c),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// A text for a comment of one line.
pub(super) fn comment(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if is_misleading(c) { push_escaped(&mut out, c) } else { out.push(c) }
    }
    out
}

/// Invisible, the end of a line to some readers, or a change of the order in which the source is shown.
fn is_misleading(c: char) -> bool {
    c.is_control() || is_bidi_control(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn push_escaped(out: &mut String, c: char) {
    let _ = write!(out, "\\u{:04x}", u32::from(c));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_javascript() {
        for (value, expected) in [
            (json!({ "city": "Rome", "days": 3, "tags": [] }), "{ city: 'Rome', days: 3, tags: [] }"),
            (json!({ "a-b": null, "1": true, "__proto__": {} }), "{ 'a-b': null, '1': true, ['__proto__']: {} }"),
            (json!("it's"), r#""it's""#),
            (json!("'\"\\"), r#"'\'"\\'"#),
            (json!("one line\n"), r"'one line\n'"),
            (json!("a\u{202e}b"), r"'a\u202eb'"),
            (json!("a `b`\n${c} $d\\\r\n"), "`a \\`b\\`\n\\${c} $d\\\\\\r\n`"),
            (json!("\u{1b}\u{2028}"), r"'\u001b\u2028'"),
        ] {
            assert_eq!(literal(&value, 0, 0), expected);
        }
    }

    #[test]
    fn what_is_long_has_a_line_for_each_member() {
        let long = "word ".repeat(20);
        let value = json!({ "list": [long, "short"], "n": 1 });
        let expected = format!("{{\n    list: [\n      '{long}',\n      'short',\n    ],\n    n: 1,\n  }}");
        assert_eq!(literal(&value, 2, 10), expected);
    }
}
