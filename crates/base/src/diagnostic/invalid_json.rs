//! Where a text is not JSON.

use std::fmt;

use serde::de::IgnoredAny;

/// The first mistake in a text that is not JSON. Shown as `trailing comma at line 3 column 12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidJson {
    pub what: String,
    /// The byte that is wrong; the end of the text if it ends too early.
    pub offset: usize,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl InvalidJson {
    /// `None` for JSON.
    pub fn of(text: &str) -> Option<Self> {
        let error = serde_json::from_str::<IgnoredAny>(text).err()?;
        let full = error.to_string();
        let what = full.split(" at line ").next().unwrap_or(&full).to_owned();
        let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let reported =
            if error.is_eof() { text.trim_end().len() } else { line_start + error.column().saturating_sub(1) };
        let offset = text.floor_char_boundary(reported.min(text.len()));
        // The reader reports the bracket after the comma.
        let before = text[..offset].trim_end();
        let is_comma = before.ends_with(',') && text[offset..].starts_with([']', '}']);
        let offset = if is_comma { before.len() - 1 } else { offset };
        let what = if is_comma { "there is a comma too many".to_owned() } else { what };
        let before = &text[..offset];
        let (line, last) = (before.matches('\n').count() + 1, before.rsplit('\n').next().unwrap_or_default());
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Some(Self { what, offset, line: number(line), column: number(last.chars().count() + 1) })
    }
}

impl fmt::Display for InvalidJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at line {} column {}", self.what, self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_where_they_are_written() {
        for (text, line, column) in [
            ("{\"a\": 1,}", 1, 8),
            ("[\n  \"é\",\n]\n", 2, 6),
            ("{\"é\": x}", 1, 7),
            ("{\"a\": 1", 1, 8),
            ("{\"a\": 1\n", 1, 8),
            ("# Notes", 1, 1),
            ("{'a': 1}", 1, 2),
            ("", 1, 1),
            ("{} x", 1, 4),
        ] {
            let found = InvalidJson::of(text).unwrap();
            assert_eq!((found.line, found.column), (line, column), "{text}: {found}");
        }
        assert_eq!(InvalidJson::of("{\"a\": [1, 2]}"), None);
    }
}
