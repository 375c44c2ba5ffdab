//! Messages of errors in JSON, which has a different structure in every service.

use serde_json::{Map, Value};

use super::one_line;

const MAX_DEPTH: usize = 8;

/// Keys that may accompany the `message` of an error event that has no other mark of an error.
const KEYS_NEXT_TO_MESSAGE: [&str; 7] = ["message", "code", "status", "status_code", "id", "request_id", "param"];

/// The message of a failed request: `{error: {message}}`, `{error: text}`, `{detail}`, `{message}`, `{errors}`, lists
/// of these, and others in use. `None` if the body reports no error.
pub(crate) fn message_in_json(body: &Value) -> Option<String> {
    message_in(body, MAX_DEPTH)
}

pub(crate) fn message_in_error(error: &Value) -> Option<String> {
    message_or_code(error, MAX_DEPTH)
}

pub(crate) fn error_object(body: &Value) -> &Value {
    let body = body.get(0).unwrap_or(body);
    body.get("error").filter(|error| error.is_object()).unwrap_or(body)
}

/// The error and message of an event that reports a failure in another format than its own.
///
/// A string `message` counts only if there are few other keys. Messages of normal responses are objects.
pub(crate) fn failure_in_event(event: &Value) -> Option<(&Value, String)> {
    let body = event.get(0).unwrap_or(event);
    let there = |key: &str| body.get(key).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
    let object = body.get("object").or_else(|| body.get("type")).and_then(Value::as_str);
    let named = object == Some("error") && there("message");
    let bare = body.get("message").is_some_and(Value::is_string)
        && body.as_object().is_some_and(|map| map.keys().all(|key| KEYS_NEXT_TO_MESSAGE.contains(&key.as_str())));
    if !named && !bare && !["error", "errors", "detail"].into_iter().any(there) {
        return None;
    }
    message_in_json(body).map(|words| (error_object(body), words))
}

fn message_in(body: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match body {
        Value::String(text) => message_in_text(text, depth),
        Value::Array(items) => {
            let all: Vec<String> = items.iter().filter_map(|item| message_in(item, depth)).take(5).collect();
            (!all.is_empty()).then(|| all.join("; "))
        }
        Value::Object(map) => message_in_object(map, depth),
        _ => None,
    }
}

/// A string; gateways forward errors as JSON in a string.
fn message_in_text(text: &str, depth: usize) -> Option<String> {
    let json = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text).ok()).flatten();
    let words = json.and_then(|json| message_in(&json, depth)).unwrap_or_else(|| text.to_owned());
    (!words.trim().is_empty()).then_some(words)
}

fn message_in_object(map: &Map<String, Value>, depth: usize) -> Option<String> {
    if let Some(error @ (Value::Object(_) | Value::Array(_))) = map.get("error")
        && let Some(words) = message_or_code(error, depth)
    {
        return Some(words);
    }
    if let Some(words) = validation_error(map) {
        return Some(words);
    }
    let mut words: Vec<String> = Vec::new();
    for key in
        ["error", "error_description", "message", "Message", "msg", "error_message", "errorMessage", "detail", "errors"]
    {
        let Some(more) = map.get(key).and_then(|value| message_in(value, depth)) else { continue };
        if !words.iter().any(|known| known.contains(&more)) {
            words.push(more);
        }
    }
    if words.is_empty() {
        // Apigee, and the short form of problem details (RFC 9457).
        let other = ["fault", "faultstring", "reason", "title"];
        words.extend(other.into_iter().find_map(|key| message_in(map.get(key)?, depth)));
    }
    let by_field = map.get("errors").and_then(|errors| by_field(errors, depth));
    words.extend(by_field.filter(|more| !words.contains(more)));
    let mut words = (!words.is_empty()).then(|| words.join(": "))?;
    if let Some(text) = map.get("failed_generation").and_then(Value::as_str).filter(|text| !text.trim().is_empty()) {
        words = format!("{words} The model had written: {}", text.trim());
    }
    if let Some(raw) = map.get("metadata").and_then(|metadata| upstream(metadata, depth)) {
        words = format!("{words} ({raw})");
    }
    Some(words)
}

fn validation_error(map: &Map<String, Value>) -> Option<String> {
    let (place, words) = (map.get("loc")?.as_array()?, map.get("msg")?.as_str()?);
    let place: Vec<String> =
        place.iter().map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned)).collect();
    Some(format!("{}: {words}", place.join(".")))
}

/// Problem details by field: `{errors: {model: ["The model field is required."]}}`.
fn by_field(errors: &Value, depth: usize) -> Option<String> {
    let fields = errors.as_object()?.values().filter(|words| words.is_array());
    let all: Vec<String> = fields.filter_map(|words| message_in(words, depth)).take(5).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// The upstream error: OpenRouter's own message is only "Provider returned error".
fn upstream(metadata: &Value, depth: usize) -> Option<String> {
    let raw = metadata.get("raw").filter(|raw| !raw.is_null())?;
    let words = message_in(raw, depth).unwrap_or_else(|| raw.to_string());
    Some(match metadata.get("provider_name").and_then(Value::as_str) {
        Some(name) => format!("{name}: {}", one_line(&words)),
        None => one_line(&words),
    })
}

fn message_or_code(error: &Value, depth: usize) -> Option<String> {
    let word = |key: &str| match error.get(key)? {
        Value::String(word) if !word.is_empty() => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    message_in(error, depth).or_else(|| ["code", "type", "status"].into_iter().find_map(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_of_many_formats_have_messages() {
        let cases = [
            (json!({"error": {"message": "Wrong key", "type": "auth", "code": 401}}), "Wrong key"),
            (json!({"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}), "Busy"),
            (json!([{"error": {"code": 400, "message": "Bad value", "status": "INVALID_ARGUMENT"}}]), "Bad value"),
            (json!({"error": "model 'x' not found"}), "model 'x' not found"),
            (json!({"error": ["too long", "too wide"]}), "too long; too wide"),
            (json!({"error": "Not Found", "message": "No route", "status": 404}), "Not Found: No route"),
            (json!({"error": "invalid_grant", "error_description": "Token expired"}), "invalid_grant: Token expired"),
            (json!({"error": {"code": "DeploymentNotFound"}}), "DeploymentNotFound"),
            (json!({"error": {"message": {"detail": "deep"}}}), "deep"),
            (json!({"detail": "Unauthorized"}), "Unauthorized"),
            (json!({"detail": {"error": "no credit"}}), "no credit"),
            (
                json!({"detail": [{"type": "missing", "loc": ["body", "messages", 0], "msg": "Field required"}]}),
                "body.messages.0: Field required",
            ),
            (json!({"message": "The model is not there"}), "The model is not there"),
            (json!({"Message": "User: x is not authorized"}), "User: x is not authorized"),
            (json!({"object": "error", "message": "too long", "code": 40301}), "too long"),
            (json!({"errors": [{"code": 5007, "message": "No such model"}], "success": false}), "No such model"),
            (json!({"errors": ["a", "b"]}), "a; b"),
            (json!({"status": 400, "title": "Bad Request"}), "Bad Request"),
            (
                json!({"status": 400, "title": "Validation failed", "errors": {"model": ["It is required."], "n": ["No."]}}),
                "Validation failed: It is required.; No.",
            ),
            (json!({"fault": {"faultstring": "Spike arrest"}}), "Spike arrest"),
            (json!({"message": "{\"error\": {\"message\": \"inner\"}}"}), "inner"),
        ];
        for (body, words) in cases {
            assert_eq!(message_in_json(&body).as_deref(), Some(words), "{body}");
        }
    }

    #[test]
    fn upstream_errors_of_a_router_are_included() {
        let error = |raw: Value| {
            json!({"error": {"message": "Provider returned error", "code": 429,
            "metadata": {"raw": raw, "provider_name": "Lab"}}})
        };
        let words = "Provider returned error (Lab: gemma is out of room)";
        assert_eq!(message_in_json(&error(json!("gemma is\nout of room"))).as_deref(), Some(words));
        let nested = json!("{\"error\":{\"message\":\"gemma is out of room\"}}");
        assert_eq!(message_in_json(&error(nested)).as_deref(), Some(words));
        assert_eq!(
            message_in_json(&error(json!({"x": 1}))).as_deref(),
            Some("Provider returned error (Lab: {\"x\":1})")
        );
        assert_eq!(message_in_json(&error(Value::Null)).as_deref(), Some("Provider returned error"));
    }

    #[test]
    fn responses_are_no_errors() {
        for body in [
            json!({"choices": [{"message": {"role": "assistant", "content": "hi"}}], "error": null}),
            json!({"id": "x", "message": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}}),
            json!({"type": "message", "content": [{"type": "text", "text": "hi"}]}),
            json!({"object": "response", "error": null, "output": []}),
            json!([{"candidates": []}]),
            json!(null),
        ] {
            assert_eq!(message_in_json(&body), None, "{body}");
        }
        let nested = (0..200).fold(json!("deep"), |inner, _| json!({ "error": inner }));
        assert_eq!(message_in_json(&nested), None);
    }

    #[test]
    fn only_error_events_are_failures() {
        let fails = |event: Value| failure_in_event(&event).map(|(_, words)| words);
        assert_eq!(fails(json!({"detail": "gone"})).as_deref(), Some("gone"));
        assert_eq!(fails(json!([{"error": {"message": "full"}}])).as_deref(), Some("full"));
        assert_eq!(fails(json!({"object": "error", "message": "no", "code": 400})).as_deref(), Some("no"));
        assert_eq!(fails(json!({"message": "it broke", "id": "x"})).as_deref(), Some("it broke"));
        assert_eq!(fails(json!({"message": "hello", "error": null})), None);
        assert_eq!(fails(json!({"type": "ping"})), None);
    }
}
