//! Lines of events, as `run -f events` and `runs export` print them. Must not know what the page shows of them.

use std::borrow::Cow;

use serde::Deserialize;

/// What happens in runs (docs/events.md). Lines of other types are later versions': they are kept, and make no run.
const TYPES: [&str; 14] = [
    "run-start",
    "step-start",
    "text-delta",
    "reasoning-delta",
    "tool-call",
    "code-check",
    "code-console",
    "tool-result",
    "agent-start",
    "agent-finish",
    "warning",
    "retry",
    "step-finish",
    "run-finish",
];

/// What lines tell of a run.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The lines, each a JSON object, without their ends.
    pub lines: Vec<String>,
    /// The numbers, from 1, of lines that are no events.
    pub damaged: Vec<usize>,
    /// The name of the run; empty when no line says it.
    pub id: String,
    /// The prompt file, as it was named.
    pub file: String,
    /// How many other runs came before it in the same lines, which are left out.
    pub others: usize,
    /// How the run stands, where somebody knows who need not read it from its events.
    pub status: Option<&'static str>,
    /// How many lines were read.
    pub read: usize,
}

/// As much of an event as tells whose it is.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    run: Cow<'a, str>,
    #[serde(default, borrow)]
    file: Cow<'a, str>,
    #[serde(default)]
    resumed: bool,
}

impl Told {
    /// Reads the text of a file; nothing when none of its lines is an event.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut told = Told::default();
        for line in text.split(|byte| *byte == b'\n') {
            told.take(line);
        }
        told.is_run().then_some(told)
    }

    /// Whether any of the lines is an event.
    pub(crate) fn is_run(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Takes the next line.
    pub(crate) fn take(&mut self, line: &[u8]) {
        self.read += 1;
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let text = std::str::from_utf8(line).ok();
        let head = text.and_then(|text| Some((text, serde_json::from_str::<Head<'_>>(text).ok()?)));
        match head {
            Some((text, head)) => self.put(text, &head),
            None => self.damaged.push(self.read),
        }
    }

    fn put(&mut self, text: &str, head: &Head<'_>) {
        if head.kind == "run-start" {
            self.begin(head);
        } else if self.id.is_empty() {
            self.id = head.run.to_string();
        }
        // A file of something else may have types of its own.
        if self.is_run() || TYPES.contains(&&*head.kind) {
            self.lines.push(text.to_owned());
        }
    }

    /// A run begins, or goes on. Files to which one run after the other was appended show the last one.
    fn begin(&mut self, head: &Head<'_>) {
        if self.is_run() && !head.resumed && head.run != self.id {
            self.others += 1;
            self.lines.clear();
        }
        self.id = head.run.to_string();
        self.file = head.file.to_string();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, rest: &str) -> String {
        format!(r#"{{"type":"{kind}","time":1,"agent":[]{rest}}}"#)
    }

    fn told(lines: &[String]) -> Option<Told> {
        Told::of_bytes(lines.join("\n").as_bytes())
    }

    #[test]
    fn what_is_no_event_is_told_by_its_number() {
        let start = event("run-start", r#","run":"a","file":"p.lmt.mjs""#);
        let lines =
            ["\u{feff}".to_owned() + &start, String::new(), "{\"type\":\"text-".into(), "[1]".into(), "{}".into()];
        let told = told(&lines).unwrap();
        assert_eq!((told.lines.len(), &*told.damaged), (1, &[3, 4, 5][..]), "{told:?}");
        assert_eq!((&*told.id, &*told.file), ("a", "p.lmt.mjs"), "{told:?}");
    }

    #[test]
    fn the_last_of_several_runs_is_meant() {
        let start = |run: &str, more: &str| event("run-start", &format!(r#","run":"{run}","file":"p"{more}"#));
        let lines =
            [start("a", ""), start("b", ""), event("x-later", r#","run":"b""#), start("c", r#","resumed":true"#)];
        let told = told(&lines).unwrap();
        assert_eq!((told.others, told.lines.len(), &*told.id), (1, 3, "c"), "{told:?}");
    }

    #[test]
    fn a_file_of_something_else_is_no_run() {
        for text in ["", "\n\n", "hello", "{\"ok\":true}", "{\"type\":\"module\"}", "\u{0}\u{1}"] {
            assert!(Told::of_bytes(text.as_bytes()).is_none(), "{text:?}");
        }
    }

    #[test]
    fn any_depth_and_any_escape_can_be_in_a_line() {
        let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
        let lines = [event("tool-call", &format!(r#","input":{deep}"#)), event("text-delta", r#","delta":"\ud800""#)];
        assert_eq!(told(&lines).unwrap().lines.len(), 2);
    }
}
