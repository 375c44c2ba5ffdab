//! Summaries of reasoning items.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::wire::{Output, values::metadata};
use lmthing_base::chat::{ProviderOptions, StreamPart};

#[derive(Debug)]
pub(super) struct Summaries {
    provider: &'static str,
    items: BTreeMap<String, Item>,
}

#[derive(Debug, Default)]
struct Item {
    encrypted: Value,
    open: Vec<u64>,
}

pub(super) fn item_metadata(provider: &str, id: &str) -> ProviderOptions {
    metadata(provider, [("itemId", json!(id))])
}

impl Summaries {
    pub(super) fn new(provider: &'static str) -> Self {
        Summaries { provider, items: BTreeMap::new() }
    }

    pub(super) fn begin(&mut self, id: &str, encrypted: Value, out: &mut Output) {
        self.items.insert(id.to_owned(), Item { encrypted, open: Vec::new() });
        // Opened even without a summary, because the item's id must be sent back.
        self.start(id, 0, out);
    }

    pub(super) fn delta(&mut self, item: &str, index: u64, delta: String, out: &mut Output) {
        if !self.items.get(item).is_some_and(|known| known.open.contains(&index)) {
            self.start(item, index, out);
        }
        let id = format!("{item}:{index}");
        let provider_metadata = (!item.is_empty()).then(|| item_metadata(self.provider, item));
        out.part(StreamPart::ReasoningDelta { id, delta, provider_metadata });
    }

    /// A further summary part ends the previous one; the first one was opened with the item.
    pub(super) fn part(&mut self, item: &str, index: u64, out: &mut Output) {
        if index > 0 {
            self.end(item, None, out);
            self.start(item, index, out);
        }
    }

    fn start(&mut self, item: &str, index: u64, out: &mut Output) {
        let known = self.items.entry(item.to_owned()).or_default();
        known.open.push(index);
        let provider_metadata = Some(self.metadata(item));
        out.part(StreamPart::ReasoningStart { id: format!("{item}:{index}"), provider_metadata });
    }

    pub(super) fn end(&mut self, item: &str, encrypted: Option<Value>, out: &mut Output) {
        let Some(known) = self.items.get_mut(item) else { return };
        if let Some(encrypted) = encrypted {
            known.encrypted = encrypted;
        }
        for index in std::mem::take(&mut known.open) {
            let provider_metadata = Some(self.metadata(item));
            out.part(StreamPart::ReasoningEnd { id: format!("{item}:{index}"), provider_metadata });
        }
    }

    pub(super) fn end_all(&mut self, out: &mut Output) {
        for item in self.items.keys().cloned().collect::<Vec<_>>() {
            self.end(&item, None, out);
        }
    }

    fn metadata(&self, item: &str) -> ProviderOptions {
        let encrypted = self.items.get(item).map(|known| known.encrypted.clone()).unwrap_or_default();
        metadata(self.provider, [("itemId", json!(item)), ("reasoningEncryptedContent", encrypted)])
    }
}
