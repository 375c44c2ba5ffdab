//! The events of a whole response.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use lmthing_base::chat::read_json;

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    output: Option<Vec<Box<RawValue>>>,
    #[serde(default)]
    status: Value,
    #[serde(default)]
    error: Value,
}

pub(super) fn events(answer: &str) -> Vec<String> {
    // An answer of another form is read as an event, which says what is wrong with it.
    let Ok(Response { output, status, error }) = read_json::<Response>(answer) else {
        return vec![answer.to_owned()];
    };
    let Some(output) = output else { return vec![json!({ "type": "error", "error": error }).to_string()] };
    let mut events = vec![format!(r#"{{"type":"response.created","response":{answer}}}"#)];
    for (index, item) in output.iter().enumerate() {
        events.push(format!(r#"{{"type":"response.output_item.added","output_index":{index},"item":{item}}}"#));
        events.extend(summary(item.get(), index));
        events.push(format!(r#"{{"type":"response.output_item.done","output_index":{index},"item":{item}}}"#));
    }
    let end = status.as_str().filter(|status| ["incomplete", "failed"].contains(status)).unwrap_or("completed");
    events.push(format!(r#"{{"type":"response.{end}","response":{answer}}}"#));
    events
}

/// The parts of a summary of thoughts, which the ends of its events do not repeat.
fn summary(item: &str, output_index: usize) -> Vec<String> {
    let item = read_json::<Value>(item).unwrap_or_default();
    let parts = item.get("summary").filter(|_| item["type"] == "reasoning").and_then(Value::as_array);
    let parts = parts.into_iter().flatten().enumerate();
    let event = |kind: &str, index: usize, delta: &Value| {
        json!({
            "type": format!("response.reasoning_summary_{kind}"), "item_id": item["id"], "output_index": output_index,
            "summary_index": index, "delta": delta,
        })
        .to_string()
    };
    let events = |(index, part): (usize, &Value)| {
        [event("part.added", index, &Value::Null), event("text.delta", index, &part["text"])]
    };
    parts.flat_map(events).collect()
}
