//! The wrapper that makes model-written code the body of an async function, and the way back from its positions.

/// The name of the file that holds the code, as stack traces show it.
pub const BODY_FILE: &str = "code.ts";

/// Code between the head and the tail of an async function. The head ends with a line break, so columns stay.
#[derive(Debug)]
pub(crate) struct Body {
    text: String,
    start: usize,
    end: usize,
}

impl Body {
    /// For parsers and the checker: an expression that is never called.
    pub(crate) fn for_check(code: &str) -> Self {
        Self::wrapped("(async () => {\n", code, "\n});\n")
    }

    /// For the engine: a module whose default export is the function.
    pub(crate) fn for_engine(code: &str) -> Self {
        Self::wrapped("export default async () => {\n", code, "\n};\n")
    }

    fn wrapped(head: &str, code: &str, tail: &str) -> Self {
        let start = head.len();
        Self { text: format!("{head}{code}{tail}"), start, end: start + code.len() }
    }

    /// Head, code and tail.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The code alone.
    pub(crate) fn code(&self) -> &str {
        &self.text[self.start..self.end]
    }

    /// Where in the code an offset of the whole text lies; offsets in the head or tail go to its first or last byte.
    pub(crate) fn offset_in_code(&self, offset: usize) -> usize {
        offset.clamp(self.start, self.end) - self.start
    }

    /// Lines of the head: what a line of the wrapped text is ahead of the same line of the code.
    pub(crate) fn head_lines(&self) -> u32 {
        self.text[..self.start].matches('\n').count() as u32
    }

    /// Length of the wrapped text without the line break that ends it.
    pub(crate) fn statement_end(&self) -> usize {
        self.text.trim_end().len()
    }
}
