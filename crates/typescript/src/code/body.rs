//! Wraps model-written code as the body of an async function, and maps positions back.

pub const BODY_FILE: &str = "code.ts";

/// Code between the head and tail of an async function. The head ends with a line break, so that columns are
/// unchanged.
#[derive(Debug)]
pub struct Body {
    text: String,
    start: usize,
    end: usize,
}

impl Body {
    /// For the parser and the checker: an expression that is never called.
    pub fn for_check(code: &str) -> Self {
        Self::wrapped("(async () => {\n", code, "\n});\n")
    }

    /// For the engine: a module whose default export is the function.
    pub fn for_engine(code: &str) -> Self {
        Self::wrapped("export default async () => {\n", code, "\n};\n")
    }

    fn wrapped(head: &str, code: &str, tail: &str) -> Self {
        let start = head.len();
        Self { text: format!("{head}{code}{tail}"), start, end: start + code.len() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn code(&self) -> &str {
        &self.text[self.start..self.end]
    }

    /// Maps an offset of the whole text to the code; offsets in the head or tail to its first or last byte.
    pub fn offset_in_code(&self, offset: usize) -> usize {
        offset.clamp(self.start, self.end) - self.start
    }

    pub fn head_lines(&self) -> u32 {
        self.text[..self.start].matches('\n').count() as u32
    }

    /// The length of the wrapped text without the final line break.
    pub fn statement_end(&self) -> usize {
        self.text.trim_end().len()
    }
}
