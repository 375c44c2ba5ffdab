//! Describes where a request differs from a recorded one, with a small diff.

use serde_json::Value;

use super::matching::{matches, member, text_matches};
use crate::redact::Redactor;

const CONTEXT_LINES: usize = 2;

const MAX_LINES: usize = 8;

const MAX_SEARCH: usize = 200;

/// Characters shown of a long line before and after the first difference.
const CHARS_BEFORE: usize = 40;
const CHARS_AFTER: usize = 80;

const MAX_PATHS: usize = 4;

struct Difference<'a> {
    path: String,
    recorded: Option<&'a Value>,
    asked: Option<&'a Value>,
}

pub(super) fn difference_count(recorded: &Value, asked: &Value) -> usize {
    differences(recorded, asked).len()
}

pub(super) fn describe(recorded: &Value, asked: &Value, redactor: &Redactor) -> String {
    let all = differences(recorded, asked);
    let Some((first, others)) = all.split_first() else { return String::new() };
    let mut lines = vec![format!("at {}", first.path), "--- recorded".to_owned(), "+++ asked now".to_owned()];
    lines.extend(first.diff(redactor));
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().take(MAX_PATHS).map(|other| other.path.as_str()).collect();
        let more = others.len().saturating_sub(MAX_PATHS);
        let more = if more > 0 { format!(" and {more} more places") } else { String::new() };
        lines.push(format!("different too: {}{more}", names.join(", ")));
    }
    lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn differences<'a>(recorded: &'a Value, asked: &'a Value) -> Vec<Difference<'a>> {
    let mut found = Vec::new();
    compare(String::new(), Some(recorded), Some(asked), &mut found);
    found
}

fn compare<'a>(path: String, recorded: Option<&'a Value>, asked: Option<&'a Value>, found: &mut Vec<Difference<'a>>) {
    match (recorded, asked) {
        (Some(recorded), Some(asked)) if matches(recorded, asked) => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let inside = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            for (name, value) in before {
                compare(inside(name), Some(value), member(after, name), found);
            }
            for (name, value) in after.iter().filter(|(name, _)| !before.keys().any(|known| text_matches(known, name)))
            {
                compare(inside(name), None, Some(value), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            for index in 0..before.len().max(after.len()) {
                compare(format!("{path}[{index}]"), before.get(index), after.get(index), found);
            }
        }
        (recorded, asked) => found.push(Difference { path, recorded, asked }),
    }
}

impl Difference<'_> {
    fn diff(&self, redactor: &Redactor) -> Vec<String> {
        let text = |value: Option<&Value>| match value {
            None => Vec::new(),
            Some(Value::String(text)) => redactor.apply(text).split('\n').map(str::to_owned).collect(),
            Some(value) => vec![redactor.apply(&value.to_string())],
        };
        let (recorded, asked) = (text(self.recorded), text(self.asked));
        // Values of different types have no common lines.
        if !matches!((self.recorded, self.asked), (Some(Value::String(_)), Some(Value::String(_)))) {
            let side =
                |sign: char, lines: &[String]| lines.iter().map(|line| format!("{sign}{}", window(line, 0))).collect();
            let sides: [Vec<String>; 2] = [side('-', &recorded), side('+', &asked)];
            return sides.concat();
        }
        diff_of_lines(&recorded, &asked)
    }
}

fn diff_of_lines(recorded: &[String], asked: &[String]) -> Vec<String> {
    let same = |(recorded, asked): (&String, &String)| text_matches(recorded, asked);
    let start = recorded.iter().zip(asked).take_while(|pair| same(*pair)).count();
    let (removed, added) = lines_until_equal(&recorded[start..], &asked[start..]);
    let mut lines = Vec::new();
    if recorded.len().max(asked.len()) > 1 {
        lines.push(format!("@@ line {} @@", start + 1));
    }
    let plain = |line: &String| format!(" {}", window(line, 0));
    lines.extend(asked[start.saturating_sub(CONTEXT_LINES)..start].iter().map(plain));
    let (before, after) = (&recorded[start..start + removed], &asked[start..start + added]);
    // In lines with a common prefix, show the part around the first difference.
    let common_prefix = |line: usize| match (before.get(line), after.get(line)) {
        (Some(before), Some(after)) => before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    for (sign, side) in [('-', before), ('+', after)] {
        let shown = side.iter().take(MAX_LINES).enumerate();
        lines.extend(shown.map(|(line, text)| format!("{sign}{}", window(text, common_prefix(line)))));
        if side.len() > MAX_LINES {
            lines.push(format!("{sign}… {} more lines", side.len() - MAX_LINES));
        }
    }
    let rest = &asked[start + added..];
    lines.extend(rest.iter().take(CONTEXT_LINES).map(plain));
    lines
}

fn lines_until_equal(recorded: &[String], asked: &[String]) -> (usize, usize) {
    let agree = |removed: usize, added: usize| {
        let (recorded, asked) = (&recorded[removed..], &asked[added..]);
        let both = recorded.len().min(asked.len()).min(2);
        let at_end = recorded.len() == asked.len();
        (both == 2 || at_end) && recorded.iter().zip(asked).take(2).all(|(a, b)| text_matches(a, b))
    };
    for sum in 1..=MAX_SEARCH.min(recorded.len() + asked.len()) {
        let first = sum.saturating_sub(asked.len());
        // Prefer equal numbers of lines, which means changed lines.
        let mut ways: Vec<usize> = (first..=sum.min(recorded.len())).collect();
        ways.sort_by_key(|removed| removed.abs_diff(sum - removed));
        if let Some(removed) = ways.into_iter().find(|removed| agree(*removed, sum - removed)) {
            return (removed, sum - removed);
        }
    }
    (recorded.len(), asked.len())
}

fn window(line: &str, at: usize) -> String {
    let length = line.chars().count();
    if length <= CHARS_BEFORE + CHARS_AFTER {
        return line.to_owned();
    }
    let start = at.saturating_sub(CHARS_BEFORE);
    let end = (at + CHARS_AFTER).min(length);
    let shown: String = line.chars().skip(start).take(end - start).collect();
    format!("{}{shown}{}", if start > 0 { "…" } else { "" }, if end < length { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(recorded: &Value, asked: &Value) -> String {
        describe(recorded, asked, &Redactor::default())
    }

    #[test]
    fn a_changed_line_is_shown_with_context() {
        let line = |n: usize, changed: &str| if n == 20 { format!("{changed}\n") } else { format!("line {n}\n") };
        let text = |changed: &str| (1..=40).map(|n| line(n, changed)).collect::<String>();
        let (before, after) = (text("before"), text("after"));
        assert_eq!(
            shown(&json!({ "messages": [{ "content": before }] }), &json!({ "messages": [{ "content": after }] })),
            "  at messages[0].content\n  --- recorded\n  +++ asked now\n  @@ line 20 @@\n   line 18\n   line 19\n  \
             -before\n  +after\n   line 21\n   line 22"
        );
    }

    #[test]
    fn added_and_removed_lines_are_recognized() {
        assert!(shown(&json!("a\nb\nc\nd"), &json!("a\nx\nb\nc\nd")).ends_with("@@ line 2 @@\n   a\n  +x\n   b\n   c"));
        assert!(shown(&json!("a\nb\nc\nd"), &json!("a\nc\nd")).ends_with("@@ line 2 @@\n   a\n  -b\n   c\n   d"));
        let many: String = (0..50).map(|n| format!("{n}\n")).collect();
        assert!(shown(&json!("one"), &json!(many)).contains("+… 43 more lines"));
    }

    #[test]
    fn a_long_line_is_shown_where_it_differs() {
        let long = |word: &str| json!(format!("{}{word}{}", "a ".repeat(500), "z ".repeat(500)));
        let diff = shown(&long("here"), &long("there"));
        assert!(diff.contains("-…") && diff.contains("here") && diff.contains("there") && diff.len() < 400, "{diff}");
    }

    #[test]
    fn a_missing_value_is_shown_and_other_paths_are_listed() {
        let recorded = json!({ "messages": [1], "settings": { "seed": 1, "topK": 2 } });
        let asked = json!({ "messages": [1, { "role": "user" }], "settings": { "seed": 2 } });
        assert_eq!(
            shown(&recorded, &asked),
            "  at messages[1]\n  --- recorded\n  +++ asked now\n  +{\"role\":\"user\"}\n  different too: settings.seed, \
             settings.topK"
        );
    }
}
