//! Prompt files to serve, and waits for changes of what is served.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{client::Client, support::PATIENCE};

/// A valid prompt file that answers `text`.
pub(crate) fn saying(text: &str) -> String {
    format!(
        "export const config = {{ model: 'mock' }};\n\
         export const mock = [{{ type: 'text', text: {} }}];\n\
         export default ({{ $ }}) => {{ $`go`; }};\n",
        json!(text)
    )
}

/// A prompt file with this prompt function, and these lines before it.
pub(crate) fn running(lines: &str, body: &str) -> String {
    format!(
        "export const config = {{ model: 'mock' }};\n\
         export const mock = [{{ type: 'text', text: 'done' }}];\n{lines}\n\
         export default async ({{ $ }}, input) => {{ {body}\n$`go`; }};\n"
    )
}

pub(crate) fn tool(client: &mut Client, name: &str) -> Value {
    let tools = client.ask("tools/list", json!({}))["tools"].take();
    tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("{tools}")).clone()
}

/// Waits until exactly these tools are served. On an idle machine that takes at most three seconds.
pub(crate) fn wait_for_tools(client: &mut Client, names: &[&str]) {
    wait_for(client, &format!("{names:?}"), |client| client.tools() == names);
}

/// Waits until a call returns this text.
pub(crate) fn wait_for_text(client: &mut Client, name: &str, text: &str) {
    wait_for(client, text, |client| client.call(name, json!({}))["content"][0]["text"] == text);
}

fn wait_for(client: &mut Client, what: &str, mut holds: impl FnMut(&mut Client) -> bool) {
    let start = Instant::now();
    while !holds(client) {
        assert!(start.elapsed() < PATIENCE, "{what}: {:?} {}", client.tools(), client.stderr());
        thread::sleep(Duration::from_millis(20));
    }
}

/// The error of a call.
pub(crate) fn failure(client: &mut Client, name: &str, arguments: Value) -> String {
    let result = client.call(name, arguments);
    assert_eq!(result["isError"], true, "{name}: {result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}
