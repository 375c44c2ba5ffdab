//! Grounding: the searches that an answer of Gemini is based on, and the pages and documents that it cites.

use serde_json::Value;

use crate::wire::sources::{self, AnswerText, Mark, Unit};
use lmthing_base::chat::{Cite, Source};

/// The text of an answer, and the grounding that its chunks have brought.
#[derive(Debug, Default)]
pub(super) struct Grounding {
    text: AnswerText,
    found: Vec<Value>,
}

impl Grounding {
    pub(super) fn text(&mut self, delta: &str) {
        self.text.push(delta);
    }

    pub(super) fn add(&mut self, metadata: Value) {
        self.found.push(metadata);
    }

    /// The number of queries, each once, as later chunks repeat those of earlier ones.
    pub(super) fn searches(&self) -> Option<u64> {
        let mut queries: Vec<&str> = Vec::new();
        for query in self.found.iter().flat_map(|metadata| list(metadata, "webSearchQueries")) {
            queries.extend(query.as_str().filter(|query| !queries.contains(query)));
        }
        (!queries.is_empty()).then_some(queries.len() as u64)
    }

    pub(super) fn sources(&self) -> Vec<Source> {
        let mut sources = Vec::new();
        for metadata in &self.found {
            let chunks = list(metadata, "groundingChunks");
            // A page that is never cited is a source as well.
            sources.extend(chunks.iter().filter_map(|chunk| source(chunk, None)));
            for support in list(metadata, "groundingSupports") {
                let Some(cite) = self.cite(support.get("segment").unwrap_or(&Value::Null)) else { continue };
                let indexes = list(support, "groundingChunkIndices").iter().filter_map(Value::as_u64);
                let cited = indexes.filter_map(|index| chunks.get(usize::try_from(index).ok()?));
                sources.extend(cited.filter_map(|chunk| source(chunk, Some(cite.clone()))));
            }
        }
        sources
    }

    /// Positions are bytes of the answer; a start of 0 is left out.
    fn cite(&self, segment: &Value) -> Option<Cite> {
        let position = |key: &str| segment.get(key).and_then(Value::as_u64);
        let start = position("startIndex").unwrap_or(0);
        match (segment.get("text").and_then(Value::as_str), position("endIndex")) {
            (Some(quoted), end) => self.text.cite_quoted(Mark::default(), start, end.unwrap_or(0), quoted),
            (None, Some(end)) => self.text.cite(Mark::default(), start, end, Unit::Byte),
            (None, None) => None,
        }
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn source(chunk: &Value, cite: Option<Cite>) -> Option<Source> {
    let kinds = [("web", "uri"), ("maps", "uri"), ("image", "sourceUri"), ("retrievedContext", "uri")];
    let (found, address) = kinds.iter().find_map(|(kind, address)| Some((chunk.get(*kind)?, *address)))?;
    let text = |key: &str| found.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let title = text("title");
    if let Some(address) = text(address) {
        return Some(sources::page_or_document(address, title, cite));
    }
    let id = text("documentName").or(text("fileSearchStore").and(title)).or(title)?;
    Some(sources::document(id, title, sources::media_type(id), cite))
}
