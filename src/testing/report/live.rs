//! What is going on, on one line. Must not know how it is drawn.

/// How far the tests are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live<'a> {
    /// Files that are done.
    pub(crate) done: usize,
    /// Files in all.
    pub(crate) files: usize,
    /// Tests that have passed so far.
    pub(crate) passed: usize,
    /// Tests that have failed so far.
    pub(crate) failed: usize,
    /// What the files are called that are being run, the longest-running first.
    pub(crate) running: Vec<&'a str>,
}

impl Live<'_> {
    /// The line, without its end and without colours: `12/40 files · 31 passed · 1 failed · weather.test.lmt.mjs`. What it is cut to
    /// is the business of whoever draws it; what matters most stands first.
    pub(crate) fn line(&self) -> String {
        let files = if self.files == 1 { "file" } else { "files" };
        let mut parts = vec![format!("{}/{} {files}", self.done, self.files), format!("{} passed", self.passed)];
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        if !self.running.is_empty() {
            parts.push(super::shown::one_line(&self.running.join(", ")));
        }
        parts.join(" · ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_matters_first() {
        let live = Live { done: 2, files: 9, passed: 31, failed: 1, running: vec!["a.lmt.mjs", "b\u{1b}.lmt.mjs"] };
        assert_eq!(live.line(), "2/9 files · 31 passed · 1 failed · a.lmt.mjs, b␛.lmt.mjs");
        assert_eq!(Live { files: 1, ..Live::default() }.line(), "0/1 file · 0 passed");
    }
}
