//! Thinking without a signature. Anthropic always signs; other services of its protocol may not.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::wire::{EncodedRequest, Output, blocks::OpenBlocks, settings::Warnings, values::metadata};

/// The name of the server that sent unsigned thinking, in its metadata.
pub(super) const SERVER: &str = "server";

/// The open blocks of thinking that have no signature yet.
#[derive(Debug, Default)]
pub(super) struct UnsignedBlocks {
    open: BTreeSet<u64>,
    server: Option<String>,
}

impl UnsignedBlocks {
    pub(super) fn of(server: &str) -> Self {
        UnsignedBlocks { server: Some(server.to_owned()), ..UnsignedBlocks::default() }
    }

    pub(super) fn open(&mut self, index: u64) {
        self.open.insert(index);
    }

    pub(super) fn sign(&mut self, index: u64) {
        self.open.remove(&index);
    }

    /// Marks a block that ends without a signature by an empty one and its server.
    pub(super) fn close(&mut self, index: u64, blocks: &mut OpenBlocks, out: &mut Output) {
        if self.open.remove(&index) {
            let unsigned = metadata("anthropic", [("signature", json!("")), (SERVER, json!(self.server))]);
            blocks.reasoning(index, String::new(), Some(unsigned), out);
        }
    }
}

/// Removes thinking without a signature, unless it came from this server. Anthropic refuses it.
pub(super) fn leave_out(encoded: &mut EncodedRequest, server: Option<&str>) {
    let mut is_any = false;
    let turns = encoded.body.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten();
    for content in turns.filter_map(|turn| turn.get_mut("content").and_then(Value::as_array_mut)) {
        let before = content.len();
        content.retain_mut(|block| {
            if block["type"] != "thinking" {
                return true;
            }
            let origin = block.as_object_mut().and_then(|block| block.remove(SERVER));
            block["signature"] != "" || server.is_some() && origin.as_ref().and_then(Value::as_str) == server
        });
        is_any |= content.len() < before;
    }
    if is_any {
        let mut warnings = Warnings::default();
        warnings.other("reasoning without a signature is sent only to the server that it came from");
        encoded.warnings.extend(warnings.into_vec());
    }
}
