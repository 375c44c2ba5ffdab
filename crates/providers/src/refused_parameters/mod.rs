//! Finds and removes optional parameters that a server refused.

mod body;
mod parse;

use serde_json::Value;

use super::error_text::error_object;
use lmthing_base::chat::CallWarning;

pub(super) use body::ParameterLocation;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct RefusedParameter {
    pub location: ParameterLocation,
    pub renamed: Option<String>,
    pub value: Option<Value>,
    /// Whether it is refused only in combination with others in the same request.
    pub is_conditional: bool,
    /// Whether it is refused only in requests with tools.
    pub only_with_tools: bool,
}

impl RefusedParameter {
    pub(super) fn apply(&self, request: &mut Value) -> bool {
        if self.only_with_tools && !has_tools(request) {
            return false;
        }
        if self.value.as_ref().is_some_and(|refused| self.location.value(request) != Some(refused)) {
            return false;
        }
        match &self.renamed {
            Some(name) => self.location.rename(request, name),
            None => self.location.remove(request),
        }
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.location.name() == name
    }

    /// The warning for the user. Most appear once, as later requests omit the parameter.
    pub(super) fn warning(&self) -> Option<CallWarning> {
        let (name, shown) = (self.location.name(), self.location.shown());
        let details = match &self.renamed {
            Some(_) => return None,
            None if self.only_with_tools => {
                format!(
                    "the server refused {name} together with tools: the shape of the answer is asked for in words only"
                )
            }
            None if self.location.is_output_format() => {
                format!("the server refused {name}: the shape of the answer is asked for in words only")
            }
            None if self.value.is_some() => format!("the server refused this value of {shown}, which was left out"),
            None => format!("the server refused {shown}, which was left out"),
        };
        let (kind, setting) = ("unsupported-setting".to_owned(), Some(setting(name).to_owned()));
        Some(CallWarning { kind, setting, details: Some(details) })
    }
}

pub(super) fn refused(status: u16, body: Option<&Value>, message: &str, request: &Value) -> Vec<RefusedParameter> {
    if !matches!(status, 400 | 422) {
        return Vec::new();
    }
    let error = body.map_or(&Value::Null, error_object);
    let code = error.get("code").and_then(Value::as_str).unwrap_or_default();
    let of_output = || -> Vec<RefusedParameter> {
        let only_with_tools = parse::is_about_tools(message) && has_tools(request);
        let location = parse::output_schema(message, request);
        let refused = |location| RefusedParameter {
            location,
            renamed: None,
            value: None,
            is_conditional: false,
            only_with_tools,
        };
        location.map(refused).into_iter().collect()
    };
    if !parse::is_unsupported(code, message) {
        return of_output();
    }
    let only_value = code == "unsupported_value" || message.starts_with("Unsupported value");
    let is_conditional = parse::is_conditional(message);
    let renamed = parse::replacement_name(message);
    let refused = |location: ParameterLocation| {
        let value = only_value.then(|| location.value(request).cloned()).flatten();
        let renamed = renamed.clone().filter(|name| location.can_be_renamed_to(name));
        let only_with_tools = location.is_output_format() && parse::is_about_tools(message) && has_tools(request);
        RefusedParameter { location, renamed, value, is_conditional, only_with_tools }
    };
    let found: Vec<_> = parse::locations(body, error, message, request).into_iter().map(refused).collect();
    if found.is_empty() { of_output() } else { found }
}

fn has_tools(request: &Value) -> bool {
    let tools = request.get("tools").or_else(|| request.pointer("/toolConfig/tools"));
    tools.and_then(Value::as_array).is_some_and(|tools| !tools.is_empty())
}

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
        "reasoning_effort" | "effort" | "think" | "thinking" | "thinkingConfig" | "thinkingLevel"
        | "thinkingBudget" | "reasoning_format" => "reasoning",
        "cache_control" | "cachePoint" | "prompt_cache_key" | "prompt_cache_options" | "prompt_cache_retention" => {
            "cache"
        }
        "response_format" | "format" | "output_format" | "responseSchema" | "responseJsonSchema"
        | "responseMimeType" => "responseFormat",
        other => other,
    }
}

#[cfg(test)]
mod tests;
