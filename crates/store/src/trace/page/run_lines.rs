//! Reads lines of events, as `run -f events` and `runs export` print them.

use std::borrow::Cow;

use serde::Deserialize;

/// The types of events (docs/reference/events.md). Lines of other types come from later versions: they are kept, but
/// make no run.
const TYPES: [&str; 17] = [
    "run-start",
    "step-start",
    "text-delta",
    "reasoning-delta",
    "tool-call",
    "approval",
    "code-check",
    "code-console",
    "tool-result",
    "source",
    "agent-start",
    "agent-finish",
    "warning",
    "retry",
    "taken-back",
    "step-finish",
    "run-finish",
];

/// The lines of a run.
#[derive(Debug, Default)]
pub struct RunLines {
    pub lines: Vec<String>,
    /// The numbers, from 1, of lines that are not events.
    pub damaged: Vec<usize>,
    /// Empty if no line contains it.
    pub id: String,
    pub file: String,
    /// How many earlier runs in the same lines were left out.
    pub others: usize,
    /// The status, if it is known from another source than the events.
    pub status: Option<&'static str>,
    pub read: usize,
}

#[derive(Deserialize)]
struct EventHead<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    run: Cow<'a, str>,
    #[serde(default, borrow)]
    file: Cow<'a, str>,
    #[serde(default)]
    resumed: bool,
}

impl RunLines {
    /// Reads the text of a file; `None` if no line is an event.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut run = RunLines::default();
        for line in text.split(|byte| *byte == b'\n') {
            run.add_line(line);
        }
        run.has_events().then_some(run)
    }

    /// Whether any line is an event.
    pub fn has_events(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Adds the next line.
    pub fn add_line(&mut self, line: &[u8]) {
        self.read += 1;
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let text = std::str::from_utf8(line).ok();
        let head = text.and_then(|text| Some((text, serde_json::from_str::<EventHead<'_>>(text).ok()?)));
        match head {
            Some((text, head)) => self.put(text, &head),
            None => self.damaged.push(self.read),
        }
    }

    fn put(&mut self, text: &str, head: &EventHead<'_>) {
        if head.kind == "run-start" {
            self.begin(head);
        } else if self.id.is_empty() {
            self.id = head.run.to_string();
        }
        // Other files may have types of their own.
        if self.has_events() || TYPES.contains(&&*head.kind) {
            self.lines.push(text.to_owned());
        }
    }

    /// A run starts or is resumed. Of several runs in one file, the last one counts.
    fn begin(&mut self, head: &EventHead<'_>) {
        if self.has_events() && !head.resumed && head.run != self.id {
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

    fn run(lines: &[String]) -> Option<RunLines> {
        RunLines::of_bytes(lines.join("\n").as_bytes())
    }

    #[test]
    fn lines_that_are_no_events_are_listed_by_number() {
        let start = event("run-start", r#","run":"a","file":"p.lmt.mjs""#);
        let lines =
            ["\u{feff}".to_owned() + &start, String::new(), "{\"type\":\"text-".into(), "[1]".into(), "{}".into()];
        let run = run(&lines).unwrap();
        assert_eq!((run.lines.len(), &*run.damaged), (1, &[3, 4, 5][..]), "{run:?}");
        assert_eq!((&*run.id, &*run.file), ("a", "p.lmt.mjs"), "{run:?}");
    }

    #[test]
    fn the_last_of_several_runs_counts() {
        let start = |run: &str, more: &str| event("run-start", &format!(r#","run":"{run}","file":"p"{more}"#));
        let lines =
            [start("a", ""), start("b", ""), event("x-later", r#","run":"b""#), start("c", r#","resumed":true"#)];
        let run = run(&lines).unwrap();
        assert_eq!((run.others, run.lines.len(), &*run.id), (1, 3, "c"), "{run:?}");
    }

    #[test]
    fn a_file_of_something_else_is_no_run() {
        for text in ["", "\n\n", "hello", "{\"ok\":true}", "{\"type\":\"module\"}", "\u{0}\u{1}"] {
            assert!(RunLines::of_bytes(text.as_bytes()).is_none(), "{text:?}");
        }
    }

    #[test]
    fn lines_may_have_any_depth_and_any_escape() {
        let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
        let lines = [event("tool-call", &format!(r#","input":{deep}"#)), event("text-delta", r#","delta":"\ud800""#)];
        assert_eq!(run(&lines).unwrap().lines.len(), 2);
    }
}
