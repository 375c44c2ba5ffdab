//! Thinking without a signature. Anthropic always signs; other services of its protocol may not.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::wire::{EncodedRequest, Output, blocks::OpenBlocks, settings::Warnings, values::metadata};

/// The open blocks of thinking that have no signature yet.
#[derive(Debug, Default)]
pub(super) struct UnsignedBlocks(BTreeSet<u64>);

impl UnsignedBlocks {
    pub(super) fn open(&mut self, index: u64) {
        self.0.insert(index);
    }

    pub(super) fn sign(&mut self, index: u64) {
        self.0.remove(&index);
    }

    /// Marks a block that ends without a signature by an empty one.
    pub(super) fn close(&mut self, index: u64, blocks: &mut OpenBlocks, out: &mut Output) {
        if self.0.remove(&index) {
            let unsigned = metadata("anthropic", [("signature", json!(""))]);
            blocks.reasoning(index, String::new(), Some(unsigned), out);
        }
    }
}

/// Removes thinking that another service has not signed, which Anthropic refuses.
pub(super) fn leave_out(encoded: &mut EncodedRequest) {
    let mut is_any = false;
    let turns = encoded.body.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten();
    for content in turns.filter_map(|turn| turn.get_mut("content").and_then(Value::as_array_mut)) {
        let before = content.len();
        content.retain(|block| block["type"] != "thinking" || block["signature"] != "");
        is_any |= content.len() < before;
    }
    if is_any {
        let mut warnings = Warnings::default();
        warnings.other("reasoning without a signature is not sent to Anthropic");
        encoded.warnings.extend(warnings.into_vec());
    }
}
