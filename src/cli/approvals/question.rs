//! The text of a question and the meaning of an answer. Control characters in model output are escaped.

use std::fmt::Write as _;

use console::{Style, measure_text_width, truncate_str};
use serde_json::Value;

use lmthing_base::diagnostic::escape_invisible;

const MAX_LINES: usize = 12;

/// Columns that stay free at the end of a line, as some terminals wrap a full line.
const MARGIN: usize = 1;

pub(super) struct Question {
    name: String,
    lines: Vec<String>,
    /// All arguments, not truncated.
    whole: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    /// Approve this and later calls of the same name.
    Always,
    No,
    WithReason,
    /// Show the truncated arguments.
    ShowAll,
    NotUnderstood,
}

impl Question {
    pub(super) fn new(name: &str, args: &str) -> Self {
        let value: Option<Value> = serde_json::from_str(args).ok();
        let lines = match &value {
            Some(Value::Object(properties)) => {
                properties.iter().map(|(name, value)| escape_invisible(&format!("{name}: {value}"))).collect()
            }
            _ => vec![escape_invisible(args)],
        };
        let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
        let whole =
            pretty.as_deref().unwrap_or(args).lines().map(|line| format!("  {}\n", escape_invisible(line))).collect();
        Question { name: escape_invisible(name), lines, whole }
    }

    pub(super) fn text(&self, width: usize, has_colours: bool) -> String {
        let room = width.saturating_sub(MARGIN);
        let bold = Style::new().bold().force_styling(has_colours);
        let heading = truncate_str(&format!("Approve the call of {}?", self.name), room, "…").into_owned();
        let mut text = format!("{}\n", bold.apply_to(heading));
        let mut is_cut = self.lines.len() > MAX_LINES || measure_text_width(&self.name) + 22 > room;
        for line in self.lines.iter().take(MAX_LINES) {
            let line = format!("  {line}");
            is_cut |= measure_text_width(&line) > room;
            let _ = writeln!(text, "{}", truncate_str(&line, room, "…"));
        }
        if let Some(more @ 1..) = self.lines.len().checked_sub(MAX_LINES) {
            let _ = writeln!(text, "  … and {more} more");
        }
        text + &choices(is_cut)
    }

    pub(super) fn whole(&self) -> String {
        format!("{}:\n{}{}", self.name, self.whole, choices(false))
    }

    /// Interprets a line: a letter or its word, in any case. An empty line and the end of input (`None`) deny.
    pub(super) fn answer(&self, line: Option<&str>) -> Answer {
        let Some(line) = line else { return Answer::No };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => Answer::Yes,
            "a" | "always" => Answer::Always,
            "n" | "no" | "" => Answer::No,
            "r" | "reason" => Answer::WithReason,
            "v" | "view" => Answer::ShowAll,
            _ => Answer::NotUnderstood,
        }
    }

    /// Asks again after an answer that was not understood.
    pub(super) fn again(&self) -> String {
        format!("Expected one of the letters, or its word.\n{}", choices(false))
    }
}

fn choices(is_cut: bool) -> String {
    let view = if is_cut { ", v view all" } else { "" };
    format!("y yes, a always for this tool, n no, r no with a reason{view} > ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_shown_one_a_line_and_cut_to_the_width() {
        let question = Question::new("deploy", r#"{"to":"live","note":"0123456789012345678901234567890123456789"}"#);
        let text = question.text(40, false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            ["Approve the call of deploy?", "  to: \"live\"", "  note: \"01234567890123456789012345678…"]
        );
        assert!(lines[3].contains("v view all") && lines[..3].iter().all(|line| line.chars().count() < 40), "{text}");
        assert!(question.whole().contains("\"note\": \"0123456789012345678901234567890123456789\"\n"));
        assert!(!question.text(80, false).contains("view all"));
    }

    #[test]
    fn control_characters_are_escaped() {
        let question = Question::new("de\u{1b}[2Kploy", "{\"a\\u001b\": \"\u{9b}2J\u{202e}\u{200b}\u{7f}\\r\\nx\"}");
        for text in [question.text(200, false), question.whole()] {
            assert!(text.lines().all(|line| escape_invisible(line) == line), "{text:?}");
            assert!(text.contains("\\u{9b}2J\\u{202e}\\u{200b}\\u{7f}\\r\\nx"), "{text}");
        }
        assert!(question.text(200, false).contains("de\\u{1b}[2Kploy"));
        assert!(Question::new("f", "not\u{1b}JSON").text(80, false).contains("not\\u{1b}JSON"));
    }

    #[test]
    fn a_letter_or_its_word_is_an_answer_and_nothing_else_approves() {
        let question = Question::new("deploy", "{}");
        for (lines, answer) in [
            (&["y", " y\n", "yes\n", "Yes", "Y"][..], Answer::Yes),
            (&["a\n", "always", "A"], Answer::Always),
            (&["n", "no\n", "NO", "", " \n"], Answer::No),
            (&["r", "reason"], Answer::WithReason),
            (&["v", "view"], Answer::ShowAll),
            (&["yes please\n", "ny\n", "\u{1b}y\n", "Y es", "ja"], Answer::NotUnderstood),
        ] {
            for line in lines {
                assert_eq!(question.answer(Some(line)), answer, "{line:?}");
            }
        }
        assert_eq!(question.answer(None), Answer::No);
    }
}
