//! The context window to request (`num_ctx`). Ollama's own default is often smaller than the prompt, whose beginning it
//! then drops without an error.

use serde_json::{Map, Value};

/// The smallest window: twice Ollama's usual one, because a request also overrides a larger one of the server.
const SMALLEST: u64 = 8_192;

const LARGEST: u64 = 1 << 20;

/// Room for an answer whose length is not limited, apart from thoughts.
const ANSWER: u64 = 4_096;

/// What the model's template adds to a message.
const MESSAGE: u64 = 16;

const IMAGE: u64 = 1_024;

/// A window for the prompt and its answer. It grows by doubling: with another window, Ollama loads the model again.
/// `output_limit` includes thoughts.
pub(super) fn window(body: &Map<String, Value>, output_limit: Option<u64>, thoughts: u64) -> u64 {
    let messages = body.get("messages").and_then(Value::as_array).into_iter().flatten();
    let prompt: u64 = messages.map(of_message).sum();
    let others = ["tools", "format"].into_iter().filter_map(|key| body.get(key));
    let others: u64 = others.map(|value| tokens(&value.to_string())).sum();
    let needed = prompt.saturating_add(others).saturating_add(output_limit.unwrap_or(ANSWER.saturating_add(thoughts)));
    needed.clamp(SMALLEST, LARGEST).next_power_of_two()
}

fn of_message(message: &Value) -> u64 {
    let text = |key: &str| message.get(key).and_then(Value::as_str).map_or(0, tokens);
    let calls = message.get("tool_calls").map_or(0, |calls| tokens(&calls.to_string()));
    let images = message.get("images").and_then(Value::as_array).map_or(0, Vec::len) as u64;
    text("content") + text("thinking") + calls + images * IMAGE + MESSAGE
}

/// An estimate that is rather too high: a token has about four letters of English and three characters of code, but
/// only one of Chinese.
fn tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    (ascii.div_ceil(3) + others) as u64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn window_of(content: &str, output_limit: Option<u64>) -> u64 {
        with_thoughts(content, output_limit, 0)
    }

    fn with_thoughts(content: &str, output_limit: Option<u64>, thoughts: u64) -> u64 {
        let body = json!({ "messages": [{ "role": "user", "content": content }] });
        window(body.as_object().unwrap(), output_limit, thoughts)
    }

    #[test]
    fn the_window_holds_prompt_and_answer_and_grows_in_steps() {
        assert_eq!(window_of("hi", None), 8_192);
        assert_eq!(window_of("hi", Some(100)), 8_192);
        assert_eq!(window_of(&"word ".repeat(20_000), None), 65_536);
        assert_eq!(window_of(&"word ".repeat(20_100), None), 65_536);
        assert_eq!(window_of(&"水".repeat(20_000), None), 32_768);
        assert_eq!(window_of(&"word ".repeat(2_000_000), None), LARGEST);
        assert_eq!(window_of("hi", Some(u64::MAX)), LARGEST);
        assert_eq!(with_thoughts("hi", None, 8_192), 16_384);
        assert_eq!(with_thoughts("hi", Some(100), 8_192), 8_192);
        assert_eq!(with_thoughts("hi", None, u64::MAX), LARGEST);
    }
}
