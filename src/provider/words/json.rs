//! Words in errors that are JSON. Every service has a shape of its own, and what stands in front of it another.

use serde_json::{Map, Value};

use super::one_line;

/// Deeper errors are not looked into: they come from outside.
const DEEPEST: usize = 8;

/// What may stand beside the `message` of an event that says nothing else.
const BARE: [&str; 7] = ["message", "code", "status", "status_code", "id", "request_id", "param"];

/// The words of a failed request's body: `{error: {message}}`, `{error: text}`, `{detail}`, `{message}`, `{errors}`, a
/// list of such bodies, and what else is in use. `None` when the body does not say that anything is wrong.
pub(in crate::provider) fn of_json(body: &Value) -> Option<String> {
    said(body, DEEPEST)
}

/// The words of what stands under `error`. There, a code alone says something too.
pub(in crate::provider) fn of_error(error: &Value) -> Option<String> {
    inside(error, DEEPEST)
}

/// The error object within a body: where its code and type stand.
pub(in crate::provider) fn error_in(body: &Value) -> &Value {
    let body = body.get(0).unwrap_or(body);
    body.get("error").filter(|error| error.is_object()).unwrap_or(body)
}

/// An event that says that the answer has failed, though not in the words of its format: the error and its words.
///
/// A text under `message` is enough where it is nearly all there is; answers have messages that are objects.
pub(in crate::provider) fn of_event(event: &Value) -> Option<(&Value, String)> {
    let body = event.get(0).unwrap_or(event);
    let there = |key: &str| body.get(key).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
    let object = body.get("object").or_else(|| body.get("type")).and_then(Value::as_str);
    let named = object == Some("error") && there("message");
    let bare = body.get("message").is_some_and(Value::is_string)
        && body.as_object().is_some_and(|map| map.keys().all(|key| BARE.contains(&key.as_str())));
    if !named && !bare && !["error", "errors", "detail"].into_iter().any(there) {
        return None;
    }
    of_json(body).map(|words| (error_in(body), words))
}

fn said(body: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match body {
        Value::String(text) => text_said(text, depth),
        Value::Array(items) => {
            let all: Vec<String> = items.iter().filter_map(|item| said(item, depth)).take(5).collect();
            (!all.is_empty()).then(|| all.join("; "))
        }
        Value::Object(map) => object_said(map, depth),
        _ => None,
    }
}

/// A text; gateways pass on errors as JSON in a text.
fn text_said(text: &str, depth: usize) -> Option<String> {
    let json = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text).ok()).flatten();
    let words = json.and_then(|json| said(&json, depth)).unwrap_or_else(|| text.to_owned());
    (!words.trim().is_empty()).then_some(words)
}

fn object_said(map: &Map<String, Value>, depth: usize) -> Option<String> {
    // `{error: {…}}` is the whole story; an error that is one word often has a sentence beside it.
    if let Some(error @ (Value::Object(_) | Value::Array(_))) = map.get("error")
        && let Some(words) = inside(error, depth)
    {
        return Some(words);
    }
    if let Some(words) = misplaced_field(map) {
        return Some(words);
    }
    let mut words: Vec<String> = Vec::new();
    for key in
        ["error", "error_description", "message", "Message", "msg", "error_message", "errorMessage", "detail", "errors"]
    {
        let Some(more) = map.get(key).and_then(|value| said(value, depth)) else { continue };
        if !words.iter().any(|known| known.contains(&more)) {
            words.push(more);
        }
    }
    if words.is_empty() {
        // Apigee's, and the short form of problem details.
        let other = ["fault", "faultstring", "reason", "title"];
        words.extend(other.into_iter().find_map(|key| said(map.get(key)?, depth)));
    }
    let by_field = map.get("errors").and_then(|errors| by_field(errors, depth));
    words.extend(by_field.filter(|more| !words.contains(more)));
    let mut words = (!words.is_empty()).then(|| words.join(": "))?;
    if let Some(raw) = map.get("metadata").and_then(|metadata| upstream(metadata, depth)) {
        words = format!("{words} ({raw})");
    }
    Some(words)
}

/// An item of a list of faults as FastAPI writes it, with the place of the fault in the request.
fn misplaced_field(map: &Map<String, Value>) -> Option<String> {
    let (place, words) = (map.get("loc")?.as_array()?, map.get("msg")?.as_str()?);
    let place: Vec<String> =
        place.iter().map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned)).collect();
    Some(format!("{}: {words}", place.join(".")))
}

/// Problem details that name the fields: `{errors: {model: ["The model field is required."]}}`.
fn by_field(errors: &Value, depth: usize) -> Option<String> {
    let fields = errors.as_object()?.values().filter(|words| words.is_array());
    let all: Vec<String> = fields.filter_map(|words| said(words, depth)).take(5).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// What the server behind the server said: OpenRouter's own message is no more than "Provider returned error".
fn upstream(metadata: &Value, depth: usize) -> Option<String> {
    let raw = metadata.get("raw").filter(|raw| !raw.is_null())?;
    let words = said(raw, depth).unwrap_or_else(|| raw.to_string());
    Some(match metadata.get("provider_name").and_then(Value::as_str) {
        Some(name) => format!("{name}: {}", one_line(&words)),
        None => one_line(&words),
    })
}

fn inside(error: &Value, depth: usize) -> Option<String> {
    let word = |key: &str| match error.get(key)? {
        Value::String(word) if !word.is_empty() => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    said(error, depth).or_else(|| ["code", "type", "status"].into_iter().find_map(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_of_many_shapes_give_their_words() {
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
            assert_eq!(of_json(&body).as_deref(), Some(words), "{body}");
        }
    }

    #[test]
    fn what_stands_behind_a_router_is_told_too() {
        let error = |raw: Value| {
            json!({"error": {"message": "Provider returned error", "code": 429,
            "metadata": {"raw": raw, "provider_name": "Lab"}}})
        };
        let words = "Provider returned error (Lab: gemma is out of room)";
        assert_eq!(of_json(&error(json!("gemma is\nout of room"))).as_deref(), Some(words));
        let nested = json!("{\"error\":{\"message\":\"gemma is out of room\"}}");
        assert_eq!(of_json(&error(nested)).as_deref(), Some(words));
        assert_eq!(of_json(&error(json!({"x": 1}))).as_deref(), Some("Provider returned error (Lab: {\"x\":1})"));
        assert_eq!(of_json(&error(Value::Null)).as_deref(), Some("Provider returned error"));
    }

    #[test]
    fn answers_are_no_errors() {
        for body in [
            json!({"choices": [{"message": {"role": "assistant", "content": "hi"}}], "error": null}),
            json!({"id": "x", "message": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}}),
            json!({"type": "message", "content": [{"type": "text", "text": "hi"}]}),
            json!({"object": "response", "error": null, "output": []}),
            json!([{"candidates": []}]),
            json!(null),
        ] {
            assert_eq!(of_json(&body), None, "{body}");
        }
        let nested = (0..200).fold(json!("deep"), |inner, _| json!({ "error": inner }));
        assert_eq!(of_json(&nested), None);
    }

    #[test]
    fn events_fail_only_when_they_say_so() {
        let fails = |event: Value| of_event(&event).map(|(_, words)| words);
        assert_eq!(fails(json!({"detail": "gone"})).as_deref(), Some("gone"));
        assert_eq!(fails(json!([{"error": {"message": "full"}}])).as_deref(), Some("full"));
        assert_eq!(fails(json!({"object": "error", "message": "no", "code": 400})).as_deref(), Some("no"));
        assert_eq!(fails(json!({"message": "it broke", "id": "x"})).as_deref(), Some("it broke"));
        assert_eq!(fails(json!({"message": "hello", "error": null})), None);
        assert_eq!(fails(json!({"type": "ping"})), None);
    }
}
