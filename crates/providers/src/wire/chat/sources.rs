//! Sources of chat completions: annotations, lists of addresses, and tools that Groq has run.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::wire::{
    Output,
    output::generated_id,
    sources::{self, AnswerText, Mark},
};
use lmthing_base::chat::{Source, StreamPart};

/// The text of an answer, and what has come of its sources.
#[derive(Debug, Default)]
pub(super) struct ChatSources {
    text: AnswerText,
    annotations: Vec<Value>,
    /// The last lists that came, as every chunk may repeat them.
    addresses: Vec<Value>,
    results: Vec<Value>,
    executed: BTreeMap<u64, Executed>,
}

/// A tool that the service has run. Its arguments come first, and its results with a later chunk.
#[derive(Debug)]
struct Executed {
    id: String,
    name: String,
    has_result: bool,
    pages: Vec<Source>,
}

impl ChatSources {
    pub(super) fn text(&mut self, delta: &str) {
        self.text.push(delta);
    }

    pub(super) fn annotations(&mut self, annotations: Value) {
        let Value::Array(annotations) = annotations else { return };
        let new = annotations.into_iter().filter(|annotation| !self.annotations.contains(annotation));
        let new: Vec<Value> = new.collect();
        self.annotations.extend(new);
    }

    /// `citations: [url]` and `search_results: [{title, url}]` of Perplexity and others.
    pub(super) fn lists(&mut self, addresses: Option<Value>, results: Option<Value>) {
        if let Some(Value::Array(addresses)) = addresses {
            self.addresses = addresses;
        }
        if let Some(Value::Array(results)) = results {
            self.results = results;
        }
    }

    pub(super) fn executed_tools(&mut self, tools: Value, out: &mut Output) {
        let Value::Array(tools) = tools else { return };
        for (place, tool) in (0..).zip(tools) {
            let index = tool.get("index").and_then(Value::as_u64).unwrap_or(place);
            let executed = self.executed.entry(index).or_insert_with(|| begin(&tool, out));
            let results = ["output", "search_results", "code_results", "browser_results"];
            let given = results.iter().filter_map(|key| Some((*key, tool.get(*key)?)));
            let given: Vec<(&str, &Value)> = given.filter(|(_, value)| !value.is_null()).collect();
            if given.is_empty() || executed.has_result {
                continue;
            }
            executed.has_result = true;
            let found = ["/search_results/results", "/browser_results"].iter().find_map(|at| tool.pointer(at));
            executed.pages = found.and_then(Value::as_array).into_iter().flatten().filter_map(page).collect();
            let result = given.into_iter().map(|(key, value)| (key.to_owned(), value.clone())).collect();
            executed.end(Value::Object(result), out);
        }
    }

    /// How many searches the service has run, where it shows its tools.
    pub(super) fn searches(&self) -> Option<u64> {
        let count = self.executed.values().filter(|tool| tool.name.contains("search")).count();
        (count > 0).then_some(count as u64)
    }

    /// Emits all sources, when the text is whole.
    pub(super) fn finish(&mut self, out: &mut Output) {
        for executed in self.executed.values_mut().filter(|executed| !executed.has_result) {
            executed.has_result = true;
            executed.end(Value::Null, out);
        }
        let annotated = self.annotations.iter().filter_map(|annotation| self.annotated(annotation));
        let listed = self.addresses.iter().filter_map(Value::as_str).map(|url| sources::page(url, None, None));
        let found = self.results.iter().filter_map(page);
        let executed = self.executed.values().flat_map(|tool| tool.pages.iter().cloned());
        let all: Vec<Source> = executed.chain(found).chain(listed).chain(annotated).collect();
        out.sources(all);
    }

    /// `{type: "url_citation", url_citation: {url, title, start_index, end_index}}`
    fn annotated(&self, annotation: &Value) -> Option<Source> {
        let kind = annotation.get("type")?.as_str()?;
        let inner = annotation.get(kind).unwrap_or(annotation);
        let text = |key: &str| inner.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (link, is_page) = match text("url") {
            Some(url) => (url, true),
            None => (text("document_id").or(text("file_id"))?, false),
        };
        let cite = self.text.cite_indexed(Mark::default(), inner, link);
        let title = text("title").or(text("filename"));
        Some(if is_page { sources::page(link, title, cite) } else { sources::document(link, title, None, cite) })
    }
}

fn begin(tool: &Value, out: &mut Output) -> Executed {
    let text = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (id, name) = (generated_id("call"), text("type"));
    // A tool without arguments may have text that is no JSON.
    let is_json = |text: &String| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let input = Some(text("arguments")).filter(is_json).unwrap_or_else(|| "{}".to_owned());
    out.whole_provider_call(id.clone(), name.clone(), input, None);
    Executed { id, name, has_result: false, pages: Vec::new() }
}

impl Executed {
    fn end(&self, result: Value, out: &mut Output) {
        out.part(StreamPart::ToolResult {
            tool_call_id: self.id.clone(),
            tool_name: self.name.clone(),
            result,
            is_error: false,
            provider_metadata: None,
        });
    }
}

fn page(result: &Value) -> Option<Source> {
    let url = result.get("url")?.as_str()?;
    Some(sources::page(url, result.get("title").and_then(Value::as_str), None))
}
