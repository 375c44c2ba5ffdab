//! Requests without what a server does not take: which optional parameters a refusal names, and the body without them.
//!
//! Owns: reading refusals (`named`), changing bodies (`body`), the names settings have for users. Must not know: HTTP,
//! which server it was, whether the request is sent again.

mod body;
mod named;

use serde_json::Value;

use super::words::error_in;
use crate::chat::CallWarning;

pub(super) use body::Place;

/// One parameter that a server refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RefusedParameter {
    pub place: Place,
    /// What the server wants the parameter to be called.
    pub renamed: Option<String>,
    /// Where the server takes the parameter, but not this value.
    pub value: Option<Value>,
    /// Whether it is refused only beside something else in the same request, so that others may have it.
    pub only_here: bool,
}

impl RefusedParameter {
    /// Takes the parameter out of a body, or gives it its other name; `false` when the body does not have it.
    pub(super) fn apply(&self, request: &mut Value) -> bool {
        if self.value.as_ref().is_some_and(|refused| self.place.value(request) != Some(refused)) {
            return false;
        }
        match &self.renamed {
            Some(name) => self.place.rename(request, name),
            None => self.place.remove(request),
        }
    }

    /// Whether the parameter has this name on the wire.
    pub(super) fn is(&self, name: &str) -> bool {
        self.place.name() == name
    }

    /// What is told of it: once for most, since the next requests leave the parameter out from the start.
    pub(super) fn warning(&self) -> Option<CallWarning> {
        let (name, shown) = (self.place.name(), self.place.shown());
        let details = match &self.renamed {
            // The setting is heeded, only under another name.
            Some(_) => return None,
            None if self.place.is_answer_shape() => {
                format!("the server refused {name}: the shape of the answer is asked for in words only")
            }
            None if self.value.is_some() => format!("the server refused this value of {shown}, which was left out"),
            None => format!("the server refused {shown}, which was left out"),
        };
        let (kind, setting) = ("unsupported-setting".to_owned(), Some(setting(name).to_owned()));
        Some(CallWarning { kind, setting, details: Some(details) })
    }
}

/// The optional parameters of `request` that a refusal with this status, body and message names.
pub(super) fn refused(status: u16, body: Option<&Value>, message: &str, request: &Value) -> Vec<RefusedParameter> {
    if !matches!(status, 400 | 422) {
        return Vec::new();
    }
    let error = body.map_or(&Value::Null, error_in);
    let code = error.get("code").and_then(Value::as_str).unwrap_or_default();
    if !named::says_unsupported(code, message) {
        let schema = named::answer_schema(message, request);
        return schema
            .map(|place| RefusedParameter { place, renamed: None, value: None, only_here: false })
            .into_iter()
            .collect();
    }
    let only_value = code == "unsupported_value" || message.starts_with("Unsupported value");
    let only_here = named::says_conditional(message);
    let renamed = named::other_name(message);
    let refused = |place: Place| {
        let value = only_value.then(|| place.value(request).cloned()).flatten();
        let renamed = renamed.clone().filter(|name| place.can_be_called(name));
        RefusedParameter { place, renamed, value, only_here }
    };
    named::places(body, error, message, request).into_iter().map(refused).collect()
}

/// The name a setting has in `config.options`; others keep the wire's.
fn setting(name: &str) -> &str {
    match name {
        "top_p" => "topP",
        "top_k" => "topK",
        "max_tokens" | "max_completion_tokens" | "max_output_tokens" | "maxTokens" => "maxOutputTokens",
        "stop" | "stop_sequences" => "stopSequences",
        "random_seed" => "seed",
        "presence_penalty" => "presencePenalty",
        "frequency_penalty" => "frequencyPenalty",
        "tool_choice" => "toolChoice",
        "reasoning_effort" | "effort" | "thinking" | "thinkingConfig" | "thinkingLevel" | "thinkingBudget"
        | "reasoning_format" => "reasoning",
        "cache_control" | "cachePoint" | "prompt_cache_key" => "cache",
        "response_format" | "format" | "output_format" | "responseSchema" | "responseJsonSchema"
        | "responseMimeType" => "responseFormat",
        other => other,
    }
}

#[cfg(test)]
mod tests;
