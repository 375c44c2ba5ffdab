//! The events of a whole message.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use lmthing_base::chat::read_json;

#[derive(Deserialize)]
struct Message {
    content: Vec<Box<RawValue>>,
    #[serde(default)]
    usage: Value,
    #[serde(default)]
    stop_reason: Value,
    #[serde(default)]
    stop_details: Value,
}

pub(super) fn events(answer: &str) -> Vec<String> {
    // An answer of another form is read as an event, which says what is wrong with it.
    let Ok(Message { content, usage, stop_reason, stop_details }) = read_json::<Message>(answer) else {
        return vec![answer.to_owned()];
    };
    let mut events = vec![format!(r#"{{"type":"message_start","message":{answer}}}"#)];
    for (index, block) in content.iter().enumerate() {
        events.push(format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#));
        events.extend(signature(block.get()).map(|signature| {
            let delta = json!({ "type": "signature_delta", "signature": signature });
            json!({ "type": "content_block_delta", "index": index, "delta": delta }).to_string()
        }));
        events.push(format!(r#"{{"type":"content_block_stop","index":{index}}}"#));
    }
    let delta = json!({ "stop_reason": stop_reason, "stop_details": stop_details });
    events.push(json!({ "type": "message_delta", "delta": delta, "usage": usage }).to_string());
    events.push(r#"{"type":"message_stop"}"#.to_owned());
    events
}

/// The signature of thinking, which the start of a block does not have.
fn signature(block: &str) -> Option<String> {
    let block = read_json::<Value>(block).ok()?;
    let signature = block.get("signature").filter(|_| block["type"] == "thinking")?.as_str()?;
    (!signature.is_empty()).then(|| signature.to_owned())
}
