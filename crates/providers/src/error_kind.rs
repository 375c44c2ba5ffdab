//! Classifies failures into [`ProviderErrorKind`]s by status, code and message.

use serde_json::Value;

use super::{ProviderError, ProviderErrorKind, billing::is_billing, error_text::error_object};

/// Parts of types and codes of errors that go away after a wait.
const RATE_LIMIT_CODES: [&str; 6] = ["rate_limit", "overloaded", "resource_exhausted", "429", "529", "throttl"];

/// Codes of answers that the service could not read; another answer may be fine (Groq).
const MALFORMED_CODES: [&str; 2] = ["tool_use_failed", "json_validate_failed"];

pub(super) fn kind_of_error(error: &Value, message: &str) -> ProviderErrorKind {
    let word = |key: &str| match error.get(key) {
        Some(Value::String(word)) => word.to_ascii_lowercase(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let words = [word("type"), word("code"), word("status")];
    let says = |parts: &[&str]| words.iter().any(|word| parts.iter().any(|part| word.contains(part)));
    let code = error.get("code").and_then(Value::as_u64);
    if says(&MALFORMED_CODES) {
        ProviderErrorKind::Stream
    } else if has_context_code(&words.join(" ")) {
        ProviderErrorKind::ContextLength
    } else if is_billing(Some(error), message) {
        ProviderErrorKind::Billing
    } else if says(&RATE_LIMIT_CODES) {
        // Before the message is checked: "too many tokens" may refer to a limit per minute.
        ProviderErrorKind::RateLimit { retry_after: None }
    } else if says_context_length(message) {
        // Before the other classes: most providers send `invalid_request_error` here.
        ProviderErrorKind::ContextLength
    } else if says(&["content_filter", "content_policy", "responsibleai"]) {
        ProviderErrorKind::ContentFilter
    } else if says(&["authentication", "invalid_api_key", "permission", "unauthenticated", "401", "403"]) {
        ProviderErrorKind::Authentication
    } else if says(&["server_error", "api_error", "internal", "unavailable", "timeout", "deadline"])
        || code.is_some_and(|code| (500..600).contains(&code))
    {
        ProviderErrorKind::Server
    } else if says(&["invalid_request", "invalid_argument", "invalid_prompt", "bad_request", "not_found"])
        || code.is_some_and(|code| (400..500).contains(&code) && code != 408)
    {
        ProviderErrorKind::BadRequest
    } else {
        ProviderErrorKind::Stream
    }
}

pub(super) fn kind_of_status(status: u16, body: Option<&Value>, message: &str) -> ProviderErrorKind {
    let error = body.map(error_object);
    let code = error.and_then(|error| error.get("code")).and_then(Value::as_str).unwrap_or_default();
    match status {
        400 | 422 if MALFORMED_CODES.contains(&code) => ProviderErrorKind::Stream,
        402 => ProviderErrorKind::Billing,
        400..500 if is_billing(error, message) => ProviderErrorKind::Billing,
        401 | 403 => ProviderErrorKind::Authentication,
        // Google sends 400 for an invalid key.
        400 if message.to_ascii_lowercase().contains("api key not valid") => ProviderErrorKind::Authentication,
        // 529 is Anthropic's "overloaded".
        429 | 529 => ProviderErrorKind::RateLimit { retry_after: None },
        // Some AWS services put the name of the exception in front of the message.
        400 if message.to_ascii_lowercase().starts_with("throttling") => {
            ProviderErrorKind::RateLimit { retry_after: None }
        }
        413 => ProviderErrorKind::ContextLength,
        400 | 422 if has_context_code(code) || says_context_length(message) => ProviderErrorKind::ContextLength,
        400 if code.contains("content_filter") || code.contains("content_policy") => ProviderErrorKind::ContentFilter,
        // Redirects are not followed, so a 3xx means a wrong base URL.
        300..=499 => ProviderErrorKind::BadRequest,
        _ => ProviderErrorKind::Server,
    }
}

fn has_context_code(code: &str) -> bool {
    code.contains("context_length")
}

fn says_context_length(message: &str) -> bool {
    const LENGTH_WORDS: [&str; 7] = [
        "maximum context length",
        "context window",
        "context length",
        "prompt is too long",
        "input is too long",
        "too many tokens",
        "exceeds the maximum number of tokens",
    ];
    const TEMPORARY_WORDS: [&str; 3] = ["please wait", "per minute", "rate limit"];
    let message = message.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
    says(&LENGTH_WORDS) && !says(&TEMPORARY_WORDS)
}

/// Whether a retry may help, as long as no part of the response was shown.
pub(super) fn is_retryable(error: &ProviderError) -> bool {
    match error.kind {
        ProviderErrorKind::RateLimit { .. }
        | ProviderErrorKind::Server
        | ProviderErrorKind::Connection
        | ProviderErrorKind::Timeout => true,
        // The provider failed for an unknown reason; most such failures are temporary.
        ProviderErrorKind::Stream => true,
        // 408 is a server's timeout, 409 a lock timeout.
        ProviderErrorKind::BadRequest => matches!(error.status, Some(408 | 409)),
        ProviderErrorKind::Configuration
        | ProviderErrorKind::Authentication
        | ProviderErrorKind::Billing
        | ProviderErrorKind::ContextLength
        | ProviderErrorKind::ContentFilter
        | ProviderErrorKind::File
        | ProviderErrorKind::Protocol
        | ProviderErrorKind::Replay => false,
    }
}

pub(super) fn hint(kind: &ProviderErrorKind, key_variable: Option<&str>) -> Option<String> {
    match kind {
        ProviderErrorKind::Authentication => {
            key_variable.map(|variable| format!("Check the key in {variable} and what it is allowed to do."))
        }
        ProviderErrorKind::ContextLength => {
            Some("Shorten the conversation, or use a model with a larger context.".to_owned())
        }
        ProviderErrorKind::Billing => {
            let account = key_variable.map_or_else(String::new, |variable| format!(" behind {variable}"));
            Some(format!(
                "Check plan, credit and spending limit of the account{account} on the provider's billing page; until then \
                 trying again does not help."
            ))
        }
        ProviderErrorKind::RateLimit { .. } => Some(
            "Wait a while, raise options.maxRetries, or name a list of models: the next one answers when one fails."
                .to_owned(),
        ),
        ProviderErrorKind::Server => Some(super::refusal_advice::TRY_LATER_ADVICE.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn statuses_and_codes_are_classified() {
        let long = json!({ "error": { "code": "context_length_exceeded" } });
        assert_eq!(kind_of_status(400, Some(&long), "too much"), ProviderErrorKind::ContextLength);
        assert_eq!(kind_of_status(400, None, "Prompt is too long: 9 > 8"), ProviderErrorKind::ContextLength);
        let filtered = json!({ "error": { "code": "content_filter" } });
        assert_eq!(kind_of_status(400, Some(&filtered), "no"), ProviderErrorKind::ContentFilter);
        assert_eq!(kind_of_status(400, None, "API key not valid."), ProviderErrorKind::Authentication);
        assert_eq!(kind_of_status(404, None, "no such model"), ProviderErrorKind::BadRequest);
        assert_eq!(kind_of_status(503, None, "down"), ProviderErrorKind::Server);
        assert_eq!(kind_of_status(529, None, "busy"), ProviderErrorKind::RateLimit { retry_after: None });
        let overloaded = json!({ "type": "overloaded_error" });
        assert_eq!(kind_of_error(&overloaded, "Overloaded"), ProviderErrorKind::RateLimit { retry_after: None });
        assert_eq!(kind_of_error(&json!({ "code": 401 }), "no"), ProviderErrorKind::Authentication);
        assert_eq!(kind_of_error(&Value::Null, "broke"), ProviderErrorKind::Stream);
        assert_eq!(kind_of_error(&json!({ "type": "api_error" }), "broke"), ProviderErrorKind::Server);
        assert_eq!(kind_of_error(&json!({ "code": 502 }), "broke"), ProviderErrorKind::Server);
        assert_eq!(kind_of_error(&json!({ "type": "invalid_request_error" }), "no"), ProviderErrorKind::BadRequest);
        let unpaid = json!({ "error": { "code": "insufficient_quota" } });
        assert_eq!(kind_of_status(429, Some(&unpaid), "no"), ProviderErrorKind::Billing);
        assert_eq!(kind_of_status(402, None, "Payment Required"), ProviderErrorKind::Billing);
        assert_eq!(kind_of_error(&unpaid["error"], "no"), ProviderErrorKind::Billing);
    }

    #[test]
    fn too_many_tokens_per_minute_are_a_rate_limit() {
        let limited = ProviderErrorKind::RateLimit { retry_after: None };
        let words = "Too many tokens, please wait before trying again.";
        assert_eq!(kind_of_error(&json!({ "type": "throttlingException" }), words), limited);
        assert_eq!(kind_of_error(&json!({ "code": "rate_limit_exceeded" }), "Too many tokens"), limited);
        assert_eq!(kind_of_error(&Value::Null, words), ProviderErrorKind::Stream);
        assert_eq!(kind_of_status(429, None, words), limited);
        assert_eq!(kind_of_status(400, None, &format!("ThrottlingException: {words}")), limited);
        assert_eq!(kind_of_status(400, None, "Too many tokens: 9 > 8"), ProviderErrorKind::ContextLength);
        let long = json!({ "type": "invalid_request_error" });
        assert_eq!(kind_of_error(&long, "prompt is too long"), ProviderErrorKind::ContextLength);
    }
}
