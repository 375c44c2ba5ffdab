//! Sources of an answer, and the parts of its text that cite them (docs/reference/provider-tools.md).

use serde_json::Value;

use super::surrogates::join;

use lmthing_base::chat::{Cite, Source};

/// The visible text of an answer so far. Providers count positions in several units, from the beginning of a part.
#[derive(Debug, Default)]
pub(super) struct AnswerText {
    text: String,
    utf16: usize,
    /// The first half of a character that came in two pieces.
    half: Option<u16>,
}

/// Where a part of the text begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    byte: usize,
    utf16: usize,
}

/// What a provider counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Byte,
    CodePoint,
    Utf16,
}

impl AnswerText {
    pub(super) fn push(&mut self, delta: &str) {
        let joined;
        let delta = if delta.is_ascii() && self.half.is_none() {
            delta
        } else {
            joined = join(&mut self.half, delta);
            &joined
        };
        self.text.push_str(delta);
        self.utf16 += utf16_length(delta);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { byte: self.text.len(), utf16: self.utf16 }
    }

    /// All text from a mark on.
    pub(super) fn since(&self, from: Mark) -> Option<Cite> {
        self.cite_bytes(from, 0, self.text.len().checked_sub(from.byte)?)
    }

    /// The text at positions after a mark; `None` if they do not fit.
    pub(super) fn cite(&self, from: Mark, start: u64, end: u64, unit: Unit) -> Option<Cite> {
        let part = self.text.get(from.byte..)?;
        self.cite_bytes(from, byte_offset(part, start, unit)?, byte_offset(part, end, unit)?)
    }

    /// A text that the provider quotes: at its positions, in any unit, or where it is if it occurs once.
    pub(super) fn cite_quoted(&self, from: Mark, start: u64, end: u64, quoted: &str) -> Option<Cite> {
        let units = [Unit::Byte, Unit::CodePoint, Unit::Utf16];
        let at_positions = units.into_iter().find_map(|unit| {
            let cite = self.cite(from, start, end, unit)?;
            (cite.text == quoted).then_some(cite)
        });
        at_positions.or_else(|| {
            let mut places = self.text.match_indices(quoted).map(|(place, _)| place);
            let only = places.next().filter(|_| !quoted.is_empty() && places.next().is_none())?;
            self.cite_bytes(Mark::default(), only, only + quoted.len())
        })
    }

    /// The text at `start_index` and `end_index` of an annotation. OpenAI does not say what they count; a citation of a
    /// page is usually a link to it, which shows that.
    pub(super) fn cite_indexed(&self, from: Mark, annotation: &Value, link: &str) -> Option<Cite> {
        let position = |key: &str| annotation.get(key).and_then(Value::as_u64);
        let (start, end) = (position("start_index")?, position("end_index")?);
        let units = [Unit::Utf16, Unit::CodePoint].into_iter();
        let found: Vec<Cite> = units.filter_map(|unit| self.cite(from, start, end, unit)).collect();
        found.iter().find(|cite| cite.text.contains(link)).or(found.first()).cloned()
    }

    fn cite_bytes(&self, from: Mark, start: usize, end: usize) -> Option<Cite> {
        let part = self.text.get(from.byte..)?;
        let text = part.get(start..end).filter(|text| !text.is_empty())?;
        let start = from.utf16 + utf16_length(&part[..start]);
        Some(Cite { start, end: start + utf16_length(text), text: text.to_owned() })
    }
}

fn utf16_length(text: &str) -> usize {
    // Most answers are ASCII, whose length is known.
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

fn byte_offset(text: &str, offset: u64, unit: Unit) -> Option<usize> {
    let offset = usize::try_from(offset).ok()?;
    if unit == Unit::Byte || text.is_ascii() {
        return (offset <= text.len()).then_some(offset);
    }
    let mut counted = 0;
    for (place, char) in text.char_indices() {
        if counted >= offset {
            return (counted == offset).then_some(place);
        }
        counted += if unit == Unit::Utf16 { char.len_utf16() } else { 1 };
    }
    (counted == offset).then_some(text.len())
}

/// A page of the web. Its address identifies it, and the step gives it an id.
pub(super) fn page(url: &str, title: Option<&str>, cite: Option<Cite>) -> Source {
    Source { url: Some(url.to_owned()), ..document("", title, None, cite) }
}

/// A page if the name of a source is an address, else a document.
pub(super) fn page_or_document(name: &str, title: Option<&str>, cite: Option<Cite>) -> Source {
    let is_page = name.starts_with("https://") || name.starts_with("http://");
    if is_page { page(name, title, cite) } else { document(name, title, media_type(name), cite) }
}

pub(super) fn document(id: &str, title: Option<&str>, media_type: Option<&str>, cite: Option<Cite>) -> Source {
    Source {
        id: id.to_owned(),
        url: None,
        title: title.filter(|title| !title.is_empty()).map(str::to_owned),
        media_type: media_type.map(str::to_owned),
        cites: cite.into_iter().collect(),
    }
}

/// The media type of a file by its name.
pub(super) fn media_type(name: &str) -> Option<&'static str> {
    const BY_ENDING: [(&str, &str); 9] = [
        (".pdf", "application/pdf"),
        (".txt", "text/plain"),
        (".md", "text/markdown"),
        (".html", "text/html"),
        (".csv", "text/csv"),
        (".json", "application/json"),
        (".doc", "application/msword"),
        (".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ];
    let name = name.to_ascii_lowercase();
    BY_ENDING.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, media_type)| *media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(text: &str, cite: &Cite) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        String::from_utf16(&units[cite.start..cite.end]).unwrap()
    }

    #[test]
    fn positions_of_every_unit_become_utf16() {
        let whole = "Voilà 🌊 – high at «Ål».";
        let mut text = AnswerText::default();
        text.push("Voilà 🌊");
        let mark = text.mark();
        text.push(" – high at «Ål».");
        let start_of_text = Mark::default();
        for (from, start, end, unit) in [
            (mark, 12, 15, Unit::CodePoint),
            (mark, 15, 20, Unit::Byte),
            (start_of_text, 19, 22, Unit::CodePoint),
            (start_of_text, 20, 23, Unit::Utf16),
        ] {
            let cite = text.cite(from, start, end, unit).unwrap();
            assert_eq!((slice(whole, &cite).as_str(), cite.text.as_str()), ("Ål»", "Ål»"), "{unit:?}");
        }
        // In whatever unit it fits, else where it is.
        for (start, end) in [(18, 22), (19, 23), (0, 1)] {
            let quoted = text.cite_quoted(start_of_text, start, end, "«Ål»").unwrap();
            assert_eq!((quoted.start, slice(whole, &quoted).as_str()), (19, "«Ål»"));
        }
        assert_eq!(text.since(mark).map(|cite| cite.text).as_deref(), Some(" – high at «Ål»."));
    }

    #[test]
    fn a_character_in_two_pieces_is_one() {
        let mut text = AnswerText::default();
        let [first, second] = [0xd83c, 0xdf0a].map(crate::wire::surrogates::placeholder);
        text.push(&format!("a{first}"));
        text.push(&format!("{second}b"));
        let cite = text.cite(Mark::default(), 3, 4, Unit::Utf16).unwrap();
        assert_eq!((cite.text.as_str(), text.mark()), ("b", Mark { byte: 6, utf16: 4 }));
    }

    #[test]
    fn positions_that_do_not_fit_are_no_citation() {
        let mut text = AnswerText::default();
        text.push("a🌊a");
        // In the middle of a character, behind the end, empty, and backwards.
        for (start, end, unit) in [
            (0, 2, Unit::Utf16),
            (2, 5, Unit::Byte),
            (0, 5, Unit::Utf16),
            (0, 4, Unit::CodePoint),
            (1, 1, Unit::Utf16),
            (3, 1, Unit::Utf16),
        ] {
            assert_eq!(text.cite(Mark::default(), start, end, unit), None, "{start} to {end} {unit:?}");
        }
        assert_eq!(text.cite_quoted(Mark::default(), 9, 10, "a"), None, "it occurs twice");
    }
}
