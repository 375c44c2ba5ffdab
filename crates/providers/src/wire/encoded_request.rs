//! A request in the format of a service.

use serde_json::Value;

use lmthing_base::chat::CallWarning;

#[derive(Clone, Debug, PartialEq)]
pub struct EncodedRequest {
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Value,
    pub warnings: Vec<CallWarning>,
}

impl EncodedRequest {
    /// Adds a value to the header `anthropic-beta`.
    pub(super) fn add_beta(&mut self, beta: &str) {
        const NAME: &str = "anthropic-beta";
        match self.headers.iter_mut().find(|(name, _)| *name == NAME) {
            Some((_, list)) if list.split(',').any(|known| known == beta) => {}
            Some((_, list)) => *list = format!("{list},{beta}"),
            None => self.headers.push((NAME, beta.to_owned())),
        }
    }
}
