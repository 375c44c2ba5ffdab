//! Citations of Claude's text, and pages that it has found.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::wire::{
    sources::{self, AnswerText, Mark},
    values::metadata,
};
use lmthing_base::chat::{Cite, ProviderOptions, Source};

/// The text of an answer, with the citations of its open blocks. The cited text is the whole block.
#[derive(Debug, Default)]
pub(super) struct Citations {
    text: AnswerText,
    open: BTreeMap<u64, (Mark, Vec<Value>)>,
}

impl Citations {
    pub(super) fn text(&mut self, index: u64, delta: &str) {
        let mark = self.text.mark();
        self.open.entry(index).or_insert((mark, Vec::new()));
        self.text.push(delta);
    }

    pub(super) fn add(&mut self, index: u64, citations: impl IntoIterator<Item = Value>) {
        let mark = self.text.mark();
        self.open.entry(index).or_insert((mark, Vec::new())).1.extend(citations);
    }

    /// Ends a block: what it is sent back with, and its sources.
    pub(super) fn end(&mut self, index: u64) -> Option<(ProviderOptions, Vec<Source>)> {
        let (mark, citations) = self.open.remove(&index).filter(|(_, citations)| !citations.is_empty())?;
        let cite = self.text.since(mark);
        let sources = citations.iter().filter_map(|citation| source(citation, cite.clone())).collect();
        Some((metadata("anthropic", [("citations", citations.into())]), sources))
    }

    pub(super) fn open_blocks(&self) -> Vec<u64> {
        self.open.keys().copied().collect()
    }
}

fn source(citation: &Value, cite: Option<Cite>) -> Option<Source> {
    let text = |key: &str| citation.get(key).and_then(Value::as_str);
    let title = text("title").or_else(|| text("document_title"));
    if let Some(url) = text("url") {
        return Some(sources::page(url, title, cite));
    }
    // A search result of the request names its source as its author likes.
    if let Some(name) = text("source") {
        return Some(sources::page_or_document(name, title, cite));
    }
    let media_type = match text("type")? {
        "page_location" => Some("application/pdf"),
        "char_location" => Some("text/plain"),
        _ => None,
    };
    let number = citation.get("document_index").and_then(Value::as_u64);
    let id = text("file_id").map(str::to_owned).or_else(|| Some(format!("document-{}", number?)))?;
    Some(sources::document(&id, title, media_type, cite))
}

/// The pages in the content of a tool's result.
pub(super) fn pages(content: &Value) -> Vec<Source> {
    let items = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
    let page = |item: &Value| {
        let kind = item.get("type")?.as_str()?;
        let title = ["/title", "/content/title"].iter().find_map(|at| item.pointer(at)?.as_str());
        if kind != "web_search_result" && kind != "web_fetch_result" {
            return None;
        }
        Some(sources::page(item.get("url")?.as_str()?, title, None))
    };
    items.iter().filter_map(page).collect()
}

/// The name of a tool by the type of its result.
pub(super) fn tool_of_result(kind: &str) -> &str {
    kind.strip_suffix("_tool_result").unwrap_or(kind)
}

/// Whether a result says that the tool has failed.
pub(super) fn is_failure(block: &Value) -> bool {
    let kind = block.pointer("/content/type").and_then(Value::as_str).unwrap_or_default();
    block.get("is_error") == Some(&json!(true)) || kind.ends_with("_error")
}
