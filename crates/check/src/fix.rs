//! Changes of the source that follow the hint of a finding.

use super::finding::{Finding, Fix, Position, Span};
use lmthing_base::diagnostic::{closest, suggested_name};

/// Names that TypeScript reports as unknown, and what stands for them in modules.
const OF_COMMON_JS: [(&str, &str); 2] =
    [("use import.meta.dirname", "import.meta.dirname"), ("use import.meta.filename", "import.meta.filename")];

/// The change that corrects a finding in the file with this text, if its hint names one.
pub(crate) fn fix_of(finding: &Finding, text: &str) -> Option<Fix> {
    let span = finding.span?;
    let hint = finding.hint.as_deref().unwrap_or_default();
    if hint.starts_with("import {") && hint.ends_with(';') {
        let span = place_of_imports(text);
        return Some(Fix { title: format!("Add {hint}"), span, text: format!("{hint}{}", line_end(text)) });
    }
    if let Some((_, meant)) = OF_COMMON_JS.iter().find(|(known, _)| *known == hint) {
        return Some(Fix { title: format!("Write {meant}"), span, text: (*meant).to_owned() });
    }
    // TypeScript names some similar names itself.
    let is_of_types = finding.code.starts_with("TS");
    let meant = suggested_name(hint).or_else(|| suggested_name(&finding.message).filter(|_| is_of_types))?;
    let line = text.lines().nth(span.start.line.checked_sub(1)? as usize)?;
    let is_wrong = |word: &Word<'_>| {
        let quoted = ['\'', '"'].map(|quote| format!("{quote}{}{quote}", word.text));
        let is_named = !word.text.is_empty() && quoted.iter().any(|quoted| finding.message.contains(quoted));
        word.text != meant && (is_named || closest(word.text, [meant]).is_some())
    };
    // The finding may be at the key of a property whose value is wrong.
    let word = words(line).find(|word| word.end > span.start.column && is_wrong(word))?;
    let place = |column| Position { line: span.start.line, column };
    let span = Span { start: place(word.start), end: place(word.end) };
    Some(Fix { title: format!("Write '{meant}'"), span, text: meant.to_owned() })
}

/// A name, or the content of a quoted string.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// Columns, in characters from 1.
    start: u32,
    end: u32,
}

/// The words of a line from left to right.
fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = line.char_indices().enumerate().peekable();
    std::iter::from_fn(move || {
        loop {
            let (column, (at, letter)) = rest.next()?;
            let is_quote = matches!(letter, '\'' | '"' | '`');
            if !is_quote && !is_of_name(letter) {
                continue;
            }
            let (first, from) = if is_quote { (column + 1, at + letter.len_utf8()) } else { (column, at) };
            let belongs = |next: char| if is_quote { next != letter } else { is_of_name(next) };
            let (mut last, mut to) = (first, from);
            if !is_quote {
                (last, to) = (column + 1, at + letter.len_utf8());
            }
            while let Some((column, (at, next))) = rest.next_if(|(_, (_, next))| belongs(*next)) {
                (last, to) = (column + 1, at + next.len_utf8());
            }
            if is_quote {
                rest.next();
            }
            let column = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
            return Some(Word { text: &line[from..to], start: column(first), end: column(last) });
        }
    })
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// The beginning of the file, after a `#!` line.
fn place_of_imports(text: &str) -> Span {
    let line = if text.starts_with("#!") { 2 } else { 1 };
    let start = Position { line, column: 1 };
    Span { start, end: start }
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::Severity;

    fn fixed(
        line: &str,
        columns: std::ops::Range<u32>,
        code: &str,
        message: &str,
        hint: Option<&str>,
    ) -> Option<String> {
        let place = |column| Position { line: 1, column };
        let finding = Finding {
            file: PathBuf::new(),
            span: Some(Span { start: place(columns.start), end: place(columns.end) }),
            severity: Severity::Error,
            code: code.to_owned(),
            message: message.to_owned(),
            hint: hint.map(str::to_owned),
            fix: None,
            related: Vec::new(),
        };
        let fix = fix_of(&finding, line)?;
        let letters: Vec<char> = line.chars().collect();
        let part = |range: std::ops::Range<u32>| {
            letters[range.start as usize - 1..range.end as usize - 1].iter().collect::<String>()
        };
        let (start, end) = (fix.span.start.column, fix.span.end.column);
        let length = u32::try_from(letters.len()).unwrap();
        Some(format!("{}{}{}", part(1..start), fix.text, part(end..length + 1)))
    }

    #[test]
    fn the_named_word_is_replaced() {
        let hint = |name: &str| format!("did you mean '{name}'?");
        let of = |line, columns, code, meant: &str| fixed(line, columns, code, "'content'", Some(&hint(meant)));
        // A name, a foreign one, a string with its quotes, and a value after the key that the finding is at.
        assert_eq!(of("é.defTol('a')", 3..9, "TS2339", "defTool").as_deref(), Some("é.defTool('a')"));
        assert_eq!(of("x.content", 3..10, "TS2339", "text").as_deref(), Some("x.text"));
        assert_eq!(of("from './helpr.mjs'", 6..19, "TS2307", "./helper.mjs").as_deref(), Some("from './helper.mjs'"));
        let line = "model: 'openai:gpt-6.1-so'";
        assert_eq!(of(line, 1..6, "model", "openai:gpt-6.1-sol").as_deref(), Some("model: 'openai:gpt-6.1-sol'"));
        assert_eq!(of("model: name", 1..6, "model", "openai:gpt-6.1-sol"), None);
        let message = "Cannot find name 'lenght'. Did you mean 'length'?";
        assert_eq!(fixed("lenght", 1..7, "TS2552", message, None).as_deref(), Some("length"));
        // TypeScript's own message, at the key of a wrong value.
        let message = "Type '\"tool_call\"' is not assignable to type 'Kind'. Did you mean '\"tool-call\"'?";
        let line = "type: 'tool_call'";
        assert_eq!(fixed(line, 1..5, "TS2820", message, None).as_deref(), Some("type: 'tool-call'"));
        let message = "'optoins' does not exist in type 'Config'. Did you mean to write 'options'?";
        assert_eq!(fixed("optoins: 1", 1..8, "TS2561", message, None).as_deref(), Some("options: 1"));
    }

    #[test]
    fn a_missing_import_is_added_at_the_top() {
        let added = fixed("z.object({})", 1..2, "TS2304", "", Some("import { z } from 'zod';"));
        assert_eq!(added.as_deref(), Some("import { z } from 'zod';\nz.object({})"));
    }
}
