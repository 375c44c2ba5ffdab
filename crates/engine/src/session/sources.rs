//! Sources of a step's answer: ids that differ within the run, and positions in the step's text
//! (docs/reference/provider-tools.md#sources).

use lmthing_base::chat::Source;

/// A source as it is emitted. A page keeps the id under which it was known, and a new one gets an id that no other has.
/// `text_length` is the length of the text before the answer that the source belongs to.
pub(super) fn placed<'a>(
    mut source: Source,
    known: impl Iterator<Item = &'a Source> + Clone,
    text_length: usize,
) -> Source {
    for cite in &mut source.cites {
        cite.start = cite.start.saturating_add(text_length);
        cite.end = cite.end.saturating_add(text_length);
    }
    if let Some(same) = known.clone().find(|known| known.is_same(&source)) {
        source.id.clone_from(&same.id);
        return source;
    }
    let is_free = |id: &str| !id.is_empty() && known.clone().all(|known| known.id != id);
    if !is_free(&source.id) {
        let numbered = (1..).map(|number| format!("source-{number}"));
        source.id = numbered.into_iter().find(|id| is_free(id)).unwrap_or_default();
    }
    source
}

/// Removes citations that are not in the text, which is in UTF-16 code units: code in the text may have been replaced by
/// its result.
pub(super) fn keep_true_cites(sources: &mut [Source], text: &[u16]) {
    for source in sources {
        source.cites.retain(|cite| {
            text.get(cite.start..cite.end).is_some_and(|part| part.iter().copied().eq(cite.text.encode_utf16()))
        });
    }
}

/// Sources that wait for the text that cites them.
#[derive(Default)]
pub(super) struct WaitingSources(Vec<Source>);

impl WaitingSources {
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Source> {
        self.0.iter()
    }

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
        keep_true_cites(&mut ready, &text);
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmthing_base::chat::Cite;

    fn source(id: &str, url: &str, cites: &[(usize, usize, &str)]) -> Source {
        let cite = |&(start, end, text): &(usize, usize, &str)| Cite { start, end, text: text.into() };
        let cites = cites.iter().map(cite).collect();
        Source { id: id.into(), url: Some(url.into()), title: None, media_type: None, cites }
    }

    #[test]
    fn ids_belong_to_one_page_each() {
        let known = [source("source-1", "a", &[]), source("s", "b", &[])];
        let id = |id: &str, url: &str| placed(source(id, url, &[]), known.iter(), 0).id;
        assert_eq!([id("s", "a"), id("x", "c"), id("s", "c"), id("", "c")], ["source-1", "x", "source-2", "source-2"]);
    }

    #[test]
    fn positions_count_the_text_before_and_must_be_those_of_the_cited_text() {
        let mut sources = [placed(source("1", "a", &[(0, 2, "😀"), (1, 3, "xx"), (9, 12, "far")]), [].iter(), 1)];
        let mut waiting = WaitingSources(sources.to_vec());
        let text: Vec<u16> = "a😀b".encode_utf16().collect();
        assert!(waiting.take(|| text.clone(), false).is_empty());
        keep_true_cites(&mut sources, &text);
        assert_eq!(sources[0].cites, [Cite { start: 1, end: 3, text: "😀".into() }]);
        assert_eq!(waiting.take(|| text, true), sources);
    }
}
