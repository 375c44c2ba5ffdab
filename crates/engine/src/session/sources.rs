//! Sources of a step's answer: positions in the step's text
//! (docs/reference/provider-tools.md#sources).

use lmthing_base::chat::{Cite, Source};

/// Moves the citations of an answer that follows `text_length` units of text in its step.
pub(super) fn move_cites(source: &mut Source, text_length: usize) {
    for cite in &mut source.cites {
        cite.start = cite.start.saturating_add(text_length);
        cite.end = cite.end.saturating_add(text_length);
    }
}

/// Removes citations that are not in the text, which is in UTF-16 code units: code in the text may have been replaced by
/// its result.
pub(super) fn keep_true_cites<'a>(cites: impl Iterator<Item = &'a mut Vec<Cite>>, text: &[u16]) {
    for cites in cites {
        cites.retain(|cite| {
            text.get(cite.start..cite.end).is_some_and(|part| part.iter().copied().eq(cite.text.encode_utf16()))
        });
    }
}

/// Sources that wait for the text that cites them.
#[derive(Default)]
pub(super) struct WaitingSources(Vec<Source>);

impl WaitingSources {
    pub(super) fn push(&mut self, source: Source) {
        self.0.push(source);
    }

    /// Takes the first ones whose text is there, or all once no text follows, with the citations that are right. Their
    /// order stays.
    pub(super) fn take(&mut self, text: impl FnOnce() -> Vec<u16>, is_whole: bool) -> Vec<Source> {
        if self.0.iter().all(|source| source.cites.is_empty()) {
            return std::mem::take(&mut self.0);
        }
        let text = text();
        let waits = |source: &Source| !is_whole && source.cites.iter().any(|cite| cite.end > text.len());
        let count = self.0.iter().position(waits).unwrap_or(self.0.len());
        let mut ready: Vec<Source> = self.0.drain(..count).collect();
        keep_true_cites(ready.iter_mut().map(|source| &mut source.cites), &text);
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_the_text_before_and_must_be_those_of_the_cited_text() {
        let cite = |(start, end, text): (usize, usize, &str)| Cite { start, end, text: text.into() };
        let cites = [(0, 2, "😀"), (1, 3, "xx"), (9, 12, "far")].map(cite).to_vec();
        let mut source = Source { id: "1".into(), url: None, title: None, media_type: None, cites };
        move_cites(&mut source, 1);
        let mut waiting = WaitingSources(vec![source.clone()]);
        let text: Vec<u16> = "a😀b".encode_utf16().collect();
        assert!(waiting.take(|| text.clone(), false).is_empty());
        keep_true_cites([&mut source.cites].into_iter(), &text);
        assert_eq!(source.cites, [cite((1, 3, "😀"))]);
        assert_eq!(waiting.take(|| text, true), [source]);
    }
}
