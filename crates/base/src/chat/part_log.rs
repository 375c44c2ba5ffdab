//! The stream parts of an answer in arrival order, in compact storage.
//!
//! Answers arrive in deltas of a few bytes; stored one by one, each would take twenty times its text. Consecutive deltas of a
//! block are therefore stored as one text with the positions of the cuts.

use std::{cell::RefCell, fmt, rc::Rc};

use super::{ProviderOptions, StreamPart};

/// The parts of one step's answer, in order. Clones share the same log, as a step and the record of its run do.
#[derive(Clone, Default, PartialEq)]
pub struct PartLog(Rc<RefCell<LogData>>);

#[derive(Default, PartialEq)]
struct LogData {
    entries: Vec<Entry>,
    length: usize,
}

#[derive(PartialEq)]
struct Entry {
    start: usize,
    content: EntryContent,
}

#[derive(PartialEq)]
enum EntryContent {
    /// Boxed because a part is much larger than [`Deltas`].
    Part(Box<StreamPart>),
    Deltas(Deltas),
}

#[derive(PartialEq)]
struct Deltas {
    kind: DeltaKind,
    id: String,
    metadata: Option<ProviderOptions>,
    text: String,
    ends: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeltaKind {
    Text,
    Reasoning,
    ToolInput,
}

impl PartLog {
    pub fn push(&self, part: &StreamPart) {
        let log = &mut *self.0.borrow_mut();
        let start = log.length;
        log.length += 1;
        let Some((kind, id, delta, metadata)) = delta_of(part) else {
            return log.entries.push(Entry { start, content: EntryContent::Part(Box::new(part.clone())) });
        };
        if let Some(Entry { content: EntryContent::Deltas(deltas), .. }) = log.entries.last_mut()
            && deltas.accepts(kind, id, delta, metadata)
        {
            return deltas.push(delta);
        }
        let mut deltas =
            Deltas { kind, id: id.to_owned(), metadata: metadata.cloned(), text: String::new(), ends: Vec::new() };
        deltas.push(delta);
        log.entries.push(Entry { start, content: EntryContent::Deltas(deltas) });
    }

    pub fn len(&self) -> usize {
        self.0.borrow().length
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, index: usize) -> Option<StreamPart> {
        let log = self.0.borrow();
        if index >= log.length {
            return None;
        }
        let position = log.entries.partition_point(|entry| entry.start <= index).checked_sub(1)?;
        let entry = log.entries.get(position)?;
        match &entry.content {
            EntryContent::Part(part) => Some((**part).clone()),
            EntryContent::Deltas(deltas) => deltas.part(index - entry.start),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = StreamPart> + '_ {
        (0..self.len()).map_while(|index| self.get(index))
    }
}

impl fmt::Debug for PartLog {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PartLog({} parts)", self.len())
    }
}

impl Deltas {
    fn accepts(&self, kind: DeltaKind, id: &str, delta: &str, metadata: Option<&ProviderOptions>) -> bool {
        self.kind == kind
            && self.id == id
            && self.metadata.as_ref() == metadata
            && u32::try_from(self.text.len() + delta.len()).is_ok()
    }

    fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
        // A delta that crosses four gigabytes would be truncated here; none is that long.
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    fn part(&self, index: usize) -> Option<StreamPart> {
        let end = *self.ends.get(index)? as usize;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |start| *start as usize);
        let (id, delta) = (self.id.clone(), self.text.get(start..end)?.to_owned());
        let provider_metadata = self.metadata.clone();
        Some(match self.kind {
            DeltaKind::Text => StreamPart::TextDelta { id, delta, provider_metadata },
            DeltaKind::Reasoning => StreamPart::ReasoningDelta { id, delta, provider_metadata },
            DeltaKind::ToolInput => StreamPart::ToolInputDelta { id, delta },
        })
    }
}

/// The content of a delta; `None` for every other part.
fn delta_of(part: &StreamPart) -> Option<(DeltaKind, &str, &str, Option<&ProviderOptions>)> {
    match part {
        StreamPart::TextDelta { id, delta, provider_metadata } => {
            Some((DeltaKind::Text, id, delta, provider_metadata.as_ref()))
        }
        StreamPart::ReasoningDelta { id, delta, provider_metadata } => {
            Some((DeltaKind::Reasoning, id, delta, provider_metadata.as_ref()))
        }
        StreamPart::ToolInputDelta { id, delta } => Some((DeltaKind::ToolInput, id, delta, None)),
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
