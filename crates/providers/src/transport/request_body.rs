//! The request body, from which refused parameters are removed.

use bytes::Bytes;
use serde_json::Value;

use super::model::HttpModel;
use crate::{
    refused_parameters::{RefusedParameter, refused},
    wire::EncodedRequest,
};
use lmthing_base::chat::CallWarning;

const MAX_CHANGES: usize = 6;

pub(super) struct RequestBody {
    body: Value,
    pub bytes: Bytes,
    pub warnings: Vec<CallWarning>,
    refused: Vec<RefusedParameter>,
    pub changes: usize,
}

impl RequestBody {
    pub(super) fn new(model: &HttpModel, encoded: EncodedRequest) -> Self {
        let EncodedRequest { mut body, warnings, .. } = encoded;
        model.context.servers.remove_refused(&model.address.to_string(), &model.model_id, &mut body);
        let bytes = Bytes::from(body.to_string());
        RequestBody { body, bytes, warnings, refused: Vec::new(), changes: 0 }
    }

    /// The body of a request for a whole answer.
    pub(super) fn without_stream(&self) -> String {
        let mut body = self.body.clone();
        if let Value::Object(fields) = &mut body {
            fields.shift_remove("stream");
            fields.shift_remove("stream_options");
        }
        body.to_string()
    }

    /// Removes the parameters that a refusal names, and remembers them for later requests unless the refusal is
    /// conditional.
    pub(super) fn adapt(&mut self, model: &HttpModel, status: u16, answer: Option<&Value>, message: &str) {
        if self.changes == MAX_CHANGES {
            return;
        }
        let mut changed = false;
        for refused in refused(status, answer, message, &self.body) {
            // A parameter that is refused again after its removal cannot be handled.
            if self.refused.contains(&refused) || !refused.apply(&mut self.body) {
                continue;
            }
            changed = true;
            let servers = &model.context.servers;
            let new = refused.is_conditional
                || servers.remember_refused(&model.address.to_string(), &model.model_id, refused.clone());
            self.warnings.extend(refused.warning().filter(|_| new));
            self.refused.push(refused);
        }
        if changed {
            self.changes += 1;
            self.bytes = Bytes::from(self.body.to_string());
        }
    }
}
