//! Where a request differs from a recorded one, for people: the place, and a small diff of it. Must not know why they were
//! compared.

use serde_json::Value;

use super::matching::{matches, member, text_matches};
use crate::provider::redact::Redactor;

/// Lines shown around a difference.
const AROUND: usize = 2;

/// Lines shown of each side.
const MOST_LINES: usize = 8;

/// How far the two texts are searched for where they are the same again.
const FARTHEST: usize = 200;

/// Characters of a line shown before and behind the first one that differs.
const BEFORE: usize = 40;
const BEHIND: usize = 80;

/// Further places that are named.
const MOST_PLACES: usize = 4;

/// Two values that differ, and where; `None` where one has nothing.
struct Difference<'a> {
    path: String,
    recorded: Option<&'a Value>,
    asked: Option<&'a Value>,
}

/// How many places there are in which two requests differ.
pub(super) fn distance(recorded: &Value, asked: &Value) -> usize {
    differences(recorded, asked).len()
}

/// The first place in which two requests differ as a diff, and the names of the next ones.
pub(super) fn describe(recorded: &Value, asked: &Value, redactor: &Redactor) -> String {
    let all = differences(recorded, asked);
    let Some((first, others)) = all.split_first() else { return String::new() };
    let mut lines = vec![format!("at {}", first.path), "--- recorded".to_owned(), "+++ asked now".to_owned()];
    lines.extend(first.diff(redactor));
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().take(MOST_PLACES).map(|other| other.path.as_str()).collect();
        let more = others.len().saturating_sub(MOST_PLACES);
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
            // What is only in one of them is a difference too.
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
        // Between a text and something else there is no line they could share.
        if !matches!((self.recorded, self.asked), (Some(Value::String(_)), Some(Value::String(_)))) {
            let side =
                |sign: char, lines: &[String]| lines.iter().map(|line| format!("{sign}{}", window(line, 0))).collect();
            let sides: [Vec<String>; 2] = [side('-', &recorded), side('+', &asked)];
            return sides.concat();
        }
        diff_of_lines(&recorded, &asked)
    }
}

/// The first lines that differ, with those around them, as a unified diff.
fn diff_of_lines(recorded: &[String], asked: &[String]) -> Vec<String> {
    let same = |(recorded, asked): (&String, &String)| text_matches(recorded, asked);
    let start = recorded.iter().zip(asked).take_while(|pair| same(*pair)).count();
    let (removed, added) = same_again(&recorded[start..], &asked[start..]);
    let mut lines = Vec::new();
    if recorded.len().max(asked.len()) > 1 {
        lines.push(format!("@@ line {} @@", start + 1));
    }
    let plain = |line: &String| format!(" {}", window(line, 0));
    lines.extend(asked[start.saturating_sub(AROUND)..start].iter().map(plain));
    let (before, after) = (&recorded[start..start + removed], &asked[start..start + added]);
    // Where two lines begin alike, what is shown begins shortly before they part.
    let parted = |line: usize| match (before.get(line), after.get(line)) {
        (Some(before), Some(after)) => before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    for (sign, side) in [('-', before), ('+', after)] {
        let shown = side.iter().take(MOST_LINES).enumerate();
        lines.extend(shown.map(|(line, text)| format!("{sign}{}", window(text, parted(line)))));
        if side.len() > MOST_LINES {
            lines.push(format!("{sign}… {} more lines", side.len() - MOST_LINES));
        }
    }
    let rest = &asked[start + added..];
    lines.extend(rest.iter().take(AROUND).map(plain));
    lines
}

/// How many lines of each text come before both are the same again, for two lines or to the end.
fn same_again(recorded: &[String], asked: &[String]) -> (usize, usize) {
    let agree = |removed: usize, added: usize| {
        let (recorded, asked) = (&recorded[removed..], &asked[added..]);
        let both = recorded.len().min(asked.len()).min(2);
        let at_end = recorded.len() == asked.len();
        (both == 2 || at_end) && recorded.iter().zip(asked).take(2).all(|(a, b)| text_matches(a, b))
    };
    for sum in 1..=FARTHEST.min(recorded.len() + asked.len()) {
        let first = sum.saturating_sub(asked.len());
        // A line for a line first, as one that was changed.
        let mut ways: Vec<usize> = (first..=sum.min(recorded.len())).collect();
        ways.sort_by_key(|removed| removed.abs_diff(sum - removed));
        if let Some(removed) = ways.into_iter().find(|removed| agree(*removed, sum - removed)) {
            return (removed, sum - removed);
        }
    }
    (recorded.len(), asked.len())
}

/// A line, or what stands around its character `at` where it is long.
fn window(line: &str, at: usize) -> String {
    let length = line.chars().count();
    if length <= BEFORE + BEHIND {
        return line.to_owned();
    }
    let start = at.saturating_sub(BEFORE);
    let end = (at + BEHIND).min(length);
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
    fn a_changed_line_is_shown_with_those_around_it() {
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
    fn added_and_removed_lines_are_shown_alone() {
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
    fn what_one_of_them_lacks_is_shown_and_the_rest_is_named() {
        let recorded = json!({ "messages": [1], "settings": { "seed": 1, "topK": 2 } });
        let asked = json!({ "messages": [1, { "role": "user" }], "settings": { "seed": 2 } });
        assert_eq!(
            shown(&recorded, &asked),
            "  at messages[1]\n  --- recorded\n  +++ asked now\n  +{\"role\":\"user\"}\n  different too: settings.seed, \
             settings.topK"
        );
    }
}
