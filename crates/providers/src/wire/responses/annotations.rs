//! Citations in the texts of the Responses API.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::wire::sources::{self, AnswerText, Mark};
use lmthing_base::chat::Source;

/// The text of an answer and where the parts of its items begin, from which annotations count.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    text: AnswerText,
    parts: BTreeMap<(String, u64), Mark>,
    streamed: Vec<(String, u64, Value)>,
}

impl Annotations {
    pub(super) fn text(&mut self, item: &str, part: u64, delta: &str) {
        let mark = self.text.mark();
        self.parts.entry((item.to_owned(), part)).or_insert(mark);
        self.text.push(delta);
    }

    pub(super) fn add(&mut self, item: String, part: u64, annotation: Value) {
        self.streamed.push((item, part, annotation));
    }

    /// Ends an item: its annotations, and their sources. The whole item, if it came, has all of them.
    pub(super) fn end(&mut self, id: &str, content: &[Value]) -> (Vec<Value>, Vec<Source>) {
        let mut found: Vec<(u64, Value)> = Vec::new();
        for (index, part) in (0..).zip(content) {
            let annotations = part.get("annotations").and_then(Value::as_array);
            found.extend(annotations.into_iter().flatten().map(|annotation| (index, annotation.clone())));
        }
        let (streamed, others) = std::mem::take(&mut self.streamed).into_iter().partition(|(item, ..)| item == id);
        self.streamed = others;
        if found.is_empty() {
            let streamed: Vec<(String, u64, Value)> = streamed;
            found = streamed.into_iter().map(|(_, part, annotation)| (part, annotation)).collect();
        }
        let sources = found.iter().filter_map(|(part, annotation)| self.source(id, *part, annotation)).collect();
        (found.into_iter().map(|(_, annotation)| annotation).collect(), sources)
    }

    fn source(&self, item: &str, part: u64, annotation: &Value) -> Option<Source> {
        let text = |key: &str| annotation.get(key).and_then(Value::as_str);
        let from = *self.parts.get(&(item.to_owned(), part)).unwrap_or(&Mark::default());
        match text("type")? {
            "url_citation" => {
                let (url, title) = (text("url")?, text("title"));
                Some(sources::page(url, title, self.text.cite_indexed(from, annotation, url)))
            }
            "file_citation" | "container_file_citation" | "file_path" => {
                let id = text("file_id")?;
                let name = text("filename");
                let media_type = name.and_then(sources::media_type);
                Some(sources::document(id, name, media_type, self.text.cite_indexed(from, annotation, id)))
            }
            _ => None,
        }
    }
}
