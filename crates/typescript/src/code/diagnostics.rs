//! A problem in model-written code, as the model sees it.

use serde::{Deserialize, Serialize};

/// A syntax or type error, positioned within the submitted code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeDiagnostic {
    /// From 1.
    pub line: u32,
    /// From 1, in UTF-16 units as in editors.
    pub column: u32,
    pub message: String,
    /// The number after `TS`; 0 for other problems.
    pub code: u32,
    /// Without the line break.
    #[serde(rename = "codeLine")]
    pub code_line: String,
}

impl CodeDiagnostic {
    /// `offset` is in bytes of `source`, and is clamped.
    pub fn at(source: &str, offset: usize, code: u32, message: String) -> Self {
        let mut offset = offset.min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &source[..offset];
        let line_start = before.rfind('\n').map_or(0, |position| position + 1);
        let code_line = source[line_start..].split('\n').next().unwrap_or_default().trim_end_matches('\r');
        Self {
            line: before.matches('\n').count() as u32 + 1,
            column: source[line_start..offset].encode_utf16().count() as u32 + 1,
            message,
            code,
            code_line: shortened(code_line),
        }
    }

    /// `line 2, column 9: TS2322: …` with the source line below.
    pub fn render(&self) -> String {
        let code = if self.code == 0 { String::new() } else { format!("TS{}: ", self.code) };
        format!(
            "line {}, column {}: {code}{}\n    {}",
            self.line,
            self.column,
            self.message,
            self.code_line.trim_start()
        )
    }
}

/// A message of TypeScript without its advice to install declarations or to set compiler options.
pub fn without_advice(message: &str) -> &str {
    message.split(" Do you need to ").next().unwrap_or(message)
}

/// A minified or generated line may be megabytes long.
fn shortened(line: &str) -> String {
    const LIMIT: usize = 300;
    match line.char_indices().nth(LIMIT) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_one_in_utf16_units() {
        let source = "const a = 1;\r\nconst 😀b = 'é';";
        let offset = source.find('b').unwrap();
        let diagnostic = CodeDiagnostic::at(source, offset, 1, String::new());
        assert_eq!((diagnostic.line, diagnostic.column), (2, 9));
        assert_eq!(diagnostic.code_line, "const 😀b = 'é';");
        let first = CodeDiagnostic::at(source, 0, 1, String::new());
        assert_eq!(first.code_line, "const a = 1;");
        assert_eq!(CodeDiagnostic::at(source, 999, 1, String::new()).line, 2);
    }
}
