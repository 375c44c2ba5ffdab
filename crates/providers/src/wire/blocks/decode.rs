//! Open blocks of a streamed response, for formats that number blocks.

use std::collections::BTreeMap;

use crate::wire::{Output, ending::End};
use lmthing_base::chat::{ProviderOptions, StreamPart};

#[derive(Debug, Default)]
pub(crate) struct OpenBlocks(BTreeMap<u64, Block>);

#[derive(Debug)]
enum Block {
    Text(Option<ProviderOptions>),
    Reasoning(Option<ProviderOptions>),
    Tool {
        id: String,
        name: String,
        input: String,
        /// Set for a call that the provider runs.
        of_provider: Option<ProviderOptions>,
    },
    Hidden,
}

impl OpenBlocks {
    pub(crate) fn is_open(&self, index: u64) -> bool {
        self.0.contains_key(&index)
    }

    pub(crate) fn open_text(&mut self, index: u64, out: &mut Output) {
        out.part(StreamPart::TextStart { id: index.to_string(), provider_metadata: None });
        self.0.insert(index, Block::Text(None));
    }

    pub(crate) fn open_reasoning(&mut self, index: u64, metadata: Option<ProviderOptions>, out: &mut Output) {
        out.part(StreamPart::ReasoningStart { id: index.to_string(), provider_metadata: metadata.clone() });
        self.0.insert(index, Block::Reasoning(metadata));
    }

    pub(crate) fn open_hidden(&mut self, index: u64) {
        self.0.insert(index, Block::Hidden);
    }

    pub(crate) fn open_tool(&mut self, index: u64, id: String, name: String, input: String, out: &mut Output) {
        self.open_call(index, (id, name, input), None, out);
    }

    pub(crate) fn open_provider_tool(
        &mut self,
        index: u64,
        call: (String, String, String),
        metadata: ProviderOptions,
        out: &mut Output,
    ) {
        self.open_call(index, call, Some(metadata), out);
    }

    fn open_call(
        &mut self,
        index: u64,
        (id, name, input): (String, String, String),
        of_provider: Option<ProviderOptions>,
        out: &mut Output,
    ) {
        let id = if id.is_empty() { crate::wire::output::generated_id("call") } else { id };
        out.part(StreamPart::ToolInputStart { id: id.clone(), tool_name: name.clone() });
        self.0.insert(index, Block::Tool { id, name, input, of_provider });
    }

    /// Sets what a text block ends with.
    pub(crate) fn set_text_metadata(&mut self, index: u64, metadata: ProviderOptions) {
        if let Some(Block::Text(kept)) = self.0.get_mut(&index) {
            *kept = Some(metadata);
        }
    }

    pub(crate) fn text(&mut self, index: u64, delta: String, out: &mut Output) {
        if !self.is_open(index) {
            self.open_text(index, out);
        }
        if let Some(Block::Text(_)) = self.0.get(&index) {
            out.part(StreamPart::TextDelta { id: index.to_string(), delta, provider_metadata: None });
        }
    }

    /// A reasoning delta; opens the block if needed. The block ends with the last metadata.
    pub(crate) fn reasoning(&mut self, index: u64, delta: String, metadata: Option<ProviderOptions>, out: &mut Output) {
        if !self.is_open(index) {
            self.open_reasoning(index, None, out);
        }
        let Some(Block::Reasoning(kept)) = self.0.get_mut(&index) else { return };
        if metadata.is_some() {
            kept.clone_from(&metadata);
        }
        out.part(StreamPart::ReasoningDelta { id: index.to_string(), delta, provider_metadata: metadata });
    }

    pub(crate) fn tool_input(&mut self, index: u64, delta: String, out: &mut Output) {
        let Some(Block::Tool { id, input, .. }) = self.0.get_mut(&index) else { return };
        // Some servers send an empty object before the real arguments.
        if input.trim() == "{}" && !delta.trim().is_empty() {
            input.clear();
        }
        input.push_str(&delta);
        out.part(StreamPart::ToolInputDelta { id: id.clone(), delta });
    }

    pub(crate) fn close(&mut self, index: u64, out: &mut Output) {
        if let Some(block) = self.0.remove(&index) {
            end(index, block, out);
        }
    }

    /// Closes what is still open when the answer ends.
    pub(crate) fn close_all(&mut self, answer_end: &End, out: &mut Output) {
        for (index, block) in std::mem::take(&mut self.0) {
            if answer_end.keeps_open_calls() || !matches!(block, Block::Tool { .. }) {
                end(index, block, out);
            }
        }
    }
}

fn end(index: u64, block: Block, out: &mut Output) {
    let id = index.to_string();
    match block {
        Block::Text(provider_metadata) => out.part(StreamPart::TextEnd { id, provider_metadata }),
        Block::Reasoning(provider_metadata) => out.part(StreamPart::ReasoningEnd { id, provider_metadata }),
        Block::Tool { id, name, input, of_provider: None } => out.tool_call(id, name, input, None),
        Block::Tool { id, name, input, of_provider } => out.provider_call(id, name, input, of_provider),
        Block::Hidden => {}
    }
}
