//! Texts with the contents of files cut short. Searches for everything that base64 cannot contain would take long in them.

use std::ops::Range;

use lmthing_base::chat::base64_runs;

/// What is left at both ends of a content, for searches that look at what is before or after it.
const END_LENGTH: usize = 128;

pub(super) struct CutFiles {
    pub(super) text: String,
    /// Where the text was cut, and how many bytes are left out there.
    cuts: Vec<(usize, usize)>,
}

impl CutFiles {
    /// `None` for a text without contents of files.
    pub(super) fn of(text: &str) -> Option<Self> {
        let runs = base64_runs(text);
        if runs.is_empty() {
            return None;
        }
        let (mut cut, mut cuts, mut end) = (String::new(), Vec::with_capacity(runs.len()), 0);
        for run in runs {
            cut.push_str(&text[end..run.start + END_LENGTH]);
            end = run.end - END_LENGTH;
            cuts.push((cut.len(), end - run.start - END_LENGTH));
        }
        cut.push_str(&text[end..]);
        Some(CutFiles { text: cut, cuts })
    }

    pub(super) fn source_range(&self, range: &Range<usize>) -> Range<usize> {
        let last = range.end.checked_sub(1).map_or(range.start, |last| self.source(last) + 1);
        self.source(range.start)..last
    }

    fn source(&self, at: usize) -> usize {
        at + self.cuts.iter().take_while(|(cut, _)| *cut <= at).map(|(_, length)| length).sum::<usize>()
    }
}
