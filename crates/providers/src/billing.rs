//! Distinguishes accounts without credit from rate limits: some providers send 429 for both.

use serde_json::Value;

const CODES: [&str; 7] = [
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing_error",
    "insufficient_balance",
    "insufficient_credits",
    "payment_required",
];

const PHRASES: [&str; 6] = [
    "exceeded your current quota, please check your plan and billing",
    "credit balance is too low",
    "billing hard limit has been reached",
    "please check your billing",
    "insufficient credits",
    "insufficient balance",
];

pub(super) fn is_billing(error: Option<&Value>, message: &str) -> bool {
    let field = |name: &str| error.and_then(|error| error.get(name));
    let has_code = ["type", "code"].into_iter().filter_map(field).any(|code| match code {
        Value::String(code) => CODES.contains(&code.to_ascii_lowercase().as_str()),
        code => *code == 402,
    });
    if has_code {
        return true;
    }
    let message = message.to_ascii_lowercase();
    // Gemini uses the same phrase for limits per minute, and adds a retry delay there.
    PHRASES.iter().any(|phrase| message.contains(phrase)) && error.and_then(retry_delay).is_none()
}

/// The retry delay in seconds in errors of Google's services: `details: [{"retryDelay": "34.07s"}]`.
pub(super) fn retry_delay(error: &Value) -> Option<f64> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    delay.strip_suffix('s')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rate_limits_are_not_billing_errors() {
        let quota = "You exceeded your current quota, please check your plan and billing details.";
        assert!(is_billing(Some(&json!({ "type": "insufficient_quota", "code": null })), "no"));
        assert!(is_billing(Some(&json!({ "code": "billing_not_active" })), "no"));
        assert!(is_billing(Some(&json!({ "code": 402 })), "no"));
        assert!(is_billing(None, quota));
        assert!(is_billing(Some(&json!({})), "Your credit balance is too low to access the API."));
        assert!(!is_billing(Some(&json!({ "code": "rate_limit_exceeded" })), "Rate limit reached for requests"));
        let passing = json!({ "code": 429, "details": [{ "@type": "RetryInfo", "retryDelay": "34.5s" }] });
        assert!(!is_billing(Some(&passing), quota));
        assert_eq!(retry_delay(&passing), Some(34.5));
    }
}
