//! The body that is sent, which loses what a server refuses.

use bytes::Bytes;
use serde_json::Value;

use super::model::HttpModel;
use crate::{
    chat::CallWarning,
    provider::{
        unsupported::{RefusedParameter, refused},
        wire::EncodedRequest,
    },
};

/// So many refusals of one request are answered by another one.
const MOST_REFUSALS: usize = 6;

/// What goes out, and what is told of it.
pub(super) struct Sent {
    body: Value,
    pub bytes: Bytes,
    pub warnings: Vec<CallWarning>,
    refused: Vec<RefusedParameter>,
    /// How often the body was changed.
    pub changes: usize,
}

impl Sent {
    /// The request without what the server is known to refuse.
    pub(super) fn new(model: &HttpModel, encoded: EncodedRequest) -> Self {
        let EncodedRequest { mut body, warnings, .. } = encoded;
        model.context.servers.spare(&model.address.to_string(), &model.model_id, &mut body);
        let bytes = Bytes::from(body.to_string());
        Sent { body, bytes, warnings, refused: Vec::new(), changes: 0 }
    }

    /// Takes out of the body what a refusal names, and keeps it in mind for the requests to come, unless they may have it.
    pub(super) fn adapt(&mut self, model: &HttpModel, status: u16, answer: Option<&Value>, message: &str) {
        if self.changes == MOST_REFUSALS {
            return;
        }
        let mut changed = false;
        for refused in refused(status, answer, message, &self.body) {
            // What is refused again although it is gone is not to be had this way.
            if self.refused.contains(&refused) || !refused.apply(&mut self.body) {
                continue;
            }
            changed = true;
            let servers = &model.context.servers;
            let new =
                refused.only_here || servers.remember(&model.address.to_string(), &model.model_id, refused.clone());
            self.warnings.extend(refused.warning().filter(|_| new));
            self.refused.push(refused);
        }
        if changed {
            self.changes += 1;
            self.bytes = Bytes::from(self.body.to_string());
        }
    }
}
