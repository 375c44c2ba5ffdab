//! The parts of an answer as they came, kept in little room.
//!
//! Answers come in pieces of a few bytes: kept one by one, each would take twenty times its text. The pieces of a block
//! are therefore one text here, with the places where it was cut. Must not know who wants to see them.

use std::{cell::RefCell, fmt, rc::Rc};

use super::{ProviderOptions, StreamPart};

/// The parts of one step's answer, in order. Clones are the same log: the step and the record of its run share it.
#[derive(Clone, Default, PartialEq)]
pub struct PartLog(Rc<RefCell<Log>>);

#[derive(Default, PartialEq)]
struct Log {
    entries: Vec<Entry>,
    length: usize,
}

#[derive(PartialEq)]
struct Entry {
    /// How many parts come before it.
    start: usize,
    kept: Kept,
}

#[derive(PartialEq)]
enum Kept {
    /// Boxed, since a part is much larger than a run of pieces.
    Part(Box<StreamPart>),
    /// Pieces of one block that followed each other.
    Pieces(Pieces),
}

#[derive(PartialEq)]
struct Pieces {
    kind: Kind,
    id: String,
    /// What all of them brought.
    metadata: Option<ProviderOptions>,
    text: String,
    /// Where each piece ends in `text`.
    ends: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Reasoning,
    ToolInput,
}

impl PartLog {
    /// Adds a part.
    pub fn push(&self, part: &StreamPart) {
        let log = &mut *self.0.borrow_mut();
        let start = log.length;
        log.length += 1;
        let Some((kind, id, delta, metadata)) = piece(part) else {
            return log.entries.push(Entry { start, kept: Kept::Part(Box::new(part.clone())) });
        };
        if let Some(Entry { kept: Kept::Pieces(pieces), .. }) = log.entries.last_mut()
            && pieces.takes(kind, id, delta, metadata)
        {
            return pieces.push(delta);
        }
        let mut pieces =
            Pieces { kind, id: id.to_owned(), metadata: metadata.cloned(), text: String::new(), ends: Vec::new() };
        pieces.push(delta);
        log.entries.push(Entry { start, kept: Kept::Pieces(pieces) });
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.0.borrow().length
    }

    /// Whether nothing has come yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The part at this place, as it came.
    pub fn get(&self, index: usize) -> Option<StreamPart> {
        let log = self.0.borrow();
        if index >= log.length {
            return None;
        }
        let place = log.entries.partition_point(|entry| entry.start <= index).checked_sub(1)?;
        let entry = log.entries.get(place)?;
        match &entry.kept {
            Kept::Part(part) => Some((**part).clone()),
            Kept::Pieces(pieces) => pieces.part(index - entry.start),
        }
    }

    /// All parts, as they came.
    pub fn iter(&self) -> impl Iterator<Item = StreamPart> + '_ {
        (0..self.len()).map_while(|index| self.get(index))
    }
}

impl fmt::Debug for PartLog {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PartLog({} parts)", self.len())
    }
}

impl Pieces {
    /// Whether a piece can be added.
    fn takes(&self, kind: Kind, id: &str, delta: &str, metadata: Option<&ProviderOptions>) -> bool {
        self.kind == kind
            && self.id == id
            && self.metadata.as_ref() == metadata
            && u32::try_from(self.text.len() + delta.len()).is_ok()
    }

    fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
        // A single piece beyond four gigabytes would be the only one that is cut here, and none comes.
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    fn part(&self, index: usize) -> Option<StreamPart> {
        let end = *self.ends.get(index)? as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |start| *start as usize);
        let (id, delta) = (self.id.clone(), self.text.get(start..end)?.to_owned());
        let provider_metadata = self.metadata.clone();
        Some(match self.kind {
            Kind::Text => StreamPart::TextDelta { id, delta, provider_metadata },
            Kind::Reasoning => StreamPart::ReasoningDelta { id, delta, provider_metadata },
            Kind::ToolInput => StreamPart::ToolInputDelta { id, delta },
        })
    }
}

/// What there is to a piece of a block; `None` for every other part.
fn piece(part: &StreamPart) -> Option<(Kind, &str, &str, Option<&ProviderOptions>)> {
    match part {
        StreamPart::TextDelta { id, delta, provider_metadata } => {
            Some((Kind::Text, id, delta, provider_metadata.as_ref()))
        }
        StreamPart::ReasoningDelta { id, delta, provider_metadata } => {
            Some((Kind::Reasoning, id, delta, provider_metadata.as_ref()))
        }
        StreamPart::ToolInputDelta { id, delta } => Some((Kind::ToolInput, id, delta, None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(id: &str, delta: &str) -> StreamPart {
        StreamPart::TextDelta { id: id.into(), delta: delta.into(), provider_metadata: None }
    }

    #[test]
    fn parts_come_out_as_they_went_in() {
        let signed = json!({ "google": { "thoughtSignature": "s" } }).as_object().cloned();
        let parts = [
            StreamPart::StreamStart { warnings: Vec::new() },
            StreamPart::TextStart { id: "0".into(), provider_metadata: None },
            text("0", "Zü"),
            text("0", ""),
            text("0", "rich ☀️"),
            text("1", "other block"),
            StreamPart::TextDelta { id: "1".into(), delta: "signed".into(), provider_metadata: signed.clone() },
            StreamPart::TextDelta { id: "1".into(), delta: "again".into(), provider_metadata: signed },
            StreamPart::ReasoningDelta { id: "1".into(), delta: "thought".into(), provider_metadata: None },
            StreamPart::ToolInputDelta { id: "1".into(), delta: "{".into() },
            StreamPart::ToolInputDelta { id: "1".into(), delta: "}".into() },
            StreamPart::ToolInputEnd { id: "1".into() },
        ];
        let log = PartLog::default();
        for part in &parts {
            log.push(part);
        }
        assert_eq!(log.len(), parts.len());
        assert_eq!(log.iter().collect::<Vec<_>>(), parts);
        assert_eq!(log.get(parts.len()), None);
        assert!(PartLog::default().is_empty());
    }

    #[test]
    fn pieces_of_a_block_are_one_text() {
        let log = PartLog::default();
        for _ in 0..1_000 {
            log.push(&text("0", "word "));
        }
        assert_eq!(log.0.borrow().entries.len(), 1);
        assert_eq!(log.get(999), Some(text("0", "word ")));
    }
}
