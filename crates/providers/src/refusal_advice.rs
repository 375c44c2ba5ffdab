//! Advice on refused requests, by status.

use serde_json::Value;

pub(super) const TRY_LATER_ADVICE: &str =
    "Try again later, or name a list of models: the next one answers when one fails.";

#[derive(Clone, Copy, Debug)]
pub(super) struct Refusal<'a> {
    pub provider: &'a str,
    pub status: u16,
    pub error: &'a Value,
    pub message: &'a str,
    pub is_page: bool,
    /// Empty where the request is about no model.
    pub model: &'a str,
    pub address: &'a str,
}

impl Refusal<'_> {
    pub(super) fn hint(&self) -> Option<String> {
        let Refusal { status, model, address, .. } = *self;
        match status {
            407 => {
                Some("Put the proxy's user name and password into HTTPS_PROXY (http://user:password@host:port).".into())
            }
            401 | 403 | 503 if self.is_page => Some(format!(
                "A web page answered in place of the service: is {address} right, and does no proxy, firewall or login \
                 stand in between?"
            )),
            _ if self.provider == "ollama" && matches!(status, 400 | 404 | 405) => self.hint_of_ollama(),
            _ if self.is_unknown_model() && !model.is_empty() => {
                Some(format!("Check the model's name, \"{model}\", and that the key may use it."))
            }
            404 | 405 => {
                let version = if lacks_version(address) { " (is the /v1 part there?)" } else { "" };
                Some(match model {
                    "" => format!("Check the base URL{version}: {address} was asked."),
                    _ => format!(
                        "Check the base URL{version} and the model's name: {address} was asked for \"{model}\"."
                    ),
                })
            }
            413 => Some("The request is too large: shorten the conversation, or attach less.".to_owned()),
            500..=599 => Some(TRY_LATER_ADVICE.to_owned()),
            _ => None,
        }
    }

    fn hint_of_ollama(&self) -> Option<String> {
        let Refusal { status, model, address, .. } = *self;
        if self.is_unknown_model() {
            let list = "`lmthing models --local` lists the models that there are";
            return Some(format!("Get it with `ollama pull {model}`; {list}."));
        }
        if self.message.contains("does not support tools") {
            return Some("`lmthing models --local` shows which models can call tools.".to_owned());
        }
        let what = format!("Is it Ollama that answers at {address}?");
        let others = "Other servers are lmstudio:, llamacpp:, vllm: or a custom provider";
        (status != 400).then(|| format!("{what} OLLAMA_HOST is the address of Ollama without /v1. {others}."))
    }

    pub(super) fn is_unknown_model(&self) -> bool {
        matches!(self.status, 400 | 404) && names_unknown_model(self.error, self.message)
    }
}

fn lacks_version(address: &str) -> bool {
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !address.split('/').any(is_version) && !address.ends_with("/converse-stream")
}

fn names_unknown_model(error: &Value, message: &str) -> bool {
    let is_about_other = |parameter: &str| !parameter.is_empty() && !parameter.contains("model");
    if error.get("param").and_then(Value::as_str).is_some_and(is_about_other) {
        return false;
    }
    let code = error.get("code").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let message = message.to_ascii_lowercase();
    let missing =
        ["not found", "not exist", "unknown", "invalid model", "no such", "not a valid model", "not available"];
    // Anthropic's message is only "model: tide".
    let only_named = error.get("type").is_some_and(|kind| kind == "not_found_error") && message.starts_with("model:");
    only_named
        || code.contains("model_not_found")
        || code.contains("deploymentnotfound")
        || (message.contains("model") && missing.iter().any(|words| message.contains(words)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hint_of(status: u16, error: Value, message: &str) -> String {
        let address = "http://127.0.0.1:9/chat/completions";
        let error = &error;
        let provider = "lab";
        let refused = Refusal { provider, status, error, message, is_page: message.is_empty(), model: "tide", address };
        refused.hint().unwrap_or_default()
    }

    #[test]
    fn advice_fits_the_status() {
        let none = || Value::Null;
        assert_eq!(hint_of(429, none(), "Too many requests"), "");
        assert!(hint_of(404, json!({ "code": "model_not_found" }), "").starts_with("Check the model's name, \"tide\""));
        let named = hint_of(404, json!({ "type": "not_found_error" }), "model: tide");
        assert!(named.starts_with("Check the model's name, \"tide\""), "{named}");
        assert!(hint_of(404, none(), "model 'tide' not found, try pulling it first").contains("the model's name"));
        let tool = json!({ "param": "tool_choice" });
        assert_eq!(hint_of(400, tool, "the tool 'model_info' was not found"), "");
        let missing = hint_of(404, none(), "404 page not found");
        assert!(missing.contains("/v1 part") && missing.contains("\"tide\""), "{missing}");
        assert!(hint_of(407, none(), "").contains("HTTPS_PROXY"));
        assert!(hint_of(403, none(), "").contains("firewall"));
        assert!(hint_of(413, none(), "").contains("attach less"));
        assert!(hint_of(503, none(), "busy").contains("Try again later"));
        assert!(!lacks_version("https://x.example/openai/v1beta/models/m") && lacks_version("https://vx.example/api"));
    }
}
