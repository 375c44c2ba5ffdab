//! The progress line of a test run.

#[derive(Clone, Debug, Default)]
pub struct Live<'a> {
    pub done: usize,
    pub files: usize,
    pub passed: usize,
    pub failed: usize,
    /// The names of the running files, the longest-running first.
    pub running: Vec<&'a str>,
}

impl Live<'_> {
    /// The line without colours and line end: `12/40 files · 31 passed · 1 failed · weather.test.lmt.mjs`. The caller
    /// shortens it; the most important parts come first.
    pub fn line(&self) -> String {
        let files = if self.files == 1 { "file" } else { "files" };
        let mut parts = vec![format!("{}/{} {files}", self.done, self.files), format!("{} passed", self.passed)];
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        if !self.running.is_empty() {
            parts.push(super::safe_text::one_line(&self.running.join(", ")));
        }
        parts.join(" · ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_begins_with_the_counts() {
        let live = Live { done: 2, files: 9, passed: 31, failed: 1, running: vec!["a.lmt.mjs", "b\u{1b}.lmt.mjs"] };
        assert_eq!(live.line(), "2/9 files · 31 passed · 1 failed · a.lmt.mjs, b␛.lmt.mjs");
        assert_eq!(Live { files: 1, ..Live::default() }.line(), "0/1 file · 0 passed");
    }
}
