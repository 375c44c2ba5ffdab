//! Citations of Cohere's texts.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::wire::sources::{self, AnswerText, Mark};
use lmthing_base::chat::{Cite, Source};

/// The text of an answer, where its contents begin, and the citations that have come.
#[derive(Debug, Default)]
pub(super) struct Citations {
    text: AnswerText,
    contents: BTreeMap<u64, Mark>,
    found: Vec<Value>,
}

impl Citations {
    pub(super) fn text(&mut self, index: u64, delta: &str) {
        let mark = self.text.mark();
        self.contents.entry(index).or_insert(mark);
        self.text.push(delta);
    }

    /// One citation; some versions send a list.
    pub(super) fn add(&mut self, citations: Value) {
        match citations {
            Value::Array(citations) => self.found.extend(citations),
            citation => self.found.push(citation),
        }
    }

    pub(super) fn sources(&self) -> Vec<Source> {
        let mut sources = Vec::new();
        for citation in &self.found {
            let kind = citation.get("type").and_then(Value::as_str).unwrap_or("TEXT_CONTENT");
            let Some(cite) = self.cite(citation).filter(|_| kind == "TEXT_CONTENT") else { continue };
            let cited = citation.get("sources").and_then(Value::as_array);
            sources.extend(cited.into_iter().flatten().filter_map(|source| of_citation(source, cite.clone())));
        }
        sources
    }

    fn cite(&self, citation: &Value) -> Option<Cite> {
        let number = |key: &str| citation.get(key).and_then(Value::as_u64);
        let index = number("content_index").or(number("contentIndex"));
        let content = index.and_then(|index| self.contents.get(&index)).or(self.contents.values().next())?;
        let quoted = citation.get("text")?.as_str()?;
        self.text.cite_quoted(*content, number("start")?, number("end")?, quoted)
    }
}

/// A document of the request, or the output of a tool.
fn of_citation(source: &Value, cite: Cite) -> Option<Source> {
    let id = source.get("id")?.as_str()?;
    let inner = ["document", "tool_output"].iter().find_map(|key| source.get(*key));
    let text = |key: &str| inner?.get(key)?.as_str().filter(|text| !text.is_empty());
    Some(match text("url") {
        Some(url) => sources::page(url, text("title"), Some(cite)),
        None => sources::document(id, text("title"), None, Some(cite)),
    })
}
