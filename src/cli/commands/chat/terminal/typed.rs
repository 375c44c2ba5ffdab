//! Messages of several lines: `"""` begins and ends one, and a `\` at the end of a line goes on in the next.

const QUOTES: &str = r#"""""#;

/// What was typed up to Enter, while it may go on.
#[derive(Debug, Default)]
pub(super) struct TypedLines {
    /// The text before each `\` that was followed by Enter. A `\` in pasted lines is not among them, and stays.
    continued: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// A message or a command.
    Line(String),
    /// Text between quotes: a message, also if it begins with a slash.
    Quoted(String),
}

impl TypedLines {
    /// Whether Enter behind this text begins a further line.
    pub(super) fn goes_on(&mut self, text: &str) -> bool {
        if let Some(quoted) = text.trim_start().strip_prefix(QUOTES) {
            return !quoted.trim_end().ends_with(QUOTES);
        }
        match text.strip_suffix('\\') {
            Some(before) => {
                self.continued.push(before.to_owned());
                true
            }
            None => false,
        }
    }

    /// The text that is meant, without quotes and without each `\` that only continued a line.
    pub(super) fn take(&mut self, text: &str) -> Typed {
        let continued = std::mem::take(&mut self.continued);
        if let Some(quoted) = text.trim_start().strip_prefix(QUOTES) {
            let quoted = quoted.trim_end();
            let quoted = quoted.strip_suffix(QUOTES).unwrap_or(quoted);
            return Typed::Quoted(quoted.trim_matches('\n').to_owned());
        }
        let mut text = text.to_owned();
        // From the last one, so that the earlier texts still are the beginning.
        for before in continued.iter().rev() {
            if text.strip_prefix(before.as_str()).is_some_and(|rest| rest.starts_with("\\\n")) {
                text.remove(before.len());
            }
        }
        Typed::Line(text.trim_end_matches('\n').to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types lines with Enter behind each. Returns what is meant, and how many lines are left.
    fn typed(lines: &[&str]) -> (Typed, usize) {
        let (mut state, mut text) = (TypedLines::default(), String::new());
        for (index, line) in lines.iter().enumerate() {
            text += line;
            if !state.goes_on(&text) {
                return (state.take(&text), lines.len() - index - 1);
            }
            text.push('\n');
        }
        panic!("it goes on: {text}");
    }

    #[test]
    fn quotes_hold_several_lines() {
        let quoted = |text: &str| Typed::Quoted(text.to_owned());
        assert_eq!(typed(&[r#"""""#, "/undo", "", "b", r#"""""#, "next"]), (quoted("/undo\n\nb"), 1));
        assert_eq!(typed(&[r#""""one"""  "#]), (quoted("one"), 0));
        assert_eq!(typed(&[r#" """a "b""#, r#"c""""#]), (quoted("a \"b\"\nc"), 0));
        let line = |text: &str| Typed::Line(text.to_owned());
        assert_eq!(typed(&[r#"say """ twice"#]), (line(r#"say """ twice"#), 0));
    }

    #[test]
    fn a_backslash_continues_the_line() {
        let line = |text: &str| Typed::Line(text.to_owned());
        assert_eq!(typed(&["a \\", "b\\", "c", "d"]), (line("a \nb\nc"), 1));
        assert_eq!(typed(&["\\", ""]), (line(""), 0));
    }

    #[test]
    fn pasted_lines_keep_their_backslashes() {
        let mut state = TypedLines::default();
        let pasted = "run \\\n  --all\ndone\n";
        assert!(!state.goes_on(pasted));
        assert_eq!(state.take(pasted), Typed::Line("run \\\n  --all\ndone".to_owned()));
        assert!(state.goes_on("run \\\n  more\\"));
        assert_eq!(state.take("run \\\n  more\\\nend"), Typed::Line("run \\\n  more\nend".to_owned()));
    }
}
