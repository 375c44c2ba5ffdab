//! Reads the event lines of a run (docs/reference/events.md) for callers.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::Outcome;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventLine {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    agent: Vec<String>,
    step: Option<u64>,
    tool_name: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Finish {
    ok: bool,
    #[serde(default)]
    text: String,
    /// `null` is a valid output.
    #[serde(default, deserialize_with = "some_value")]
    output: Option<Value>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    message: String,
    hint: Option<String>,
}

fn some_value<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

#[derive(Debug, PartialEq)]
pub(super) enum RunEvent {
    Progress(String),
    End(Outcome),
    Nothing,
}

/// Parses a line. `promises_data` says whether the file declares an output.
pub(super) fn read(line: &[u8], promises_data: bool) -> RunEvent {
    // Fast path for the majority of lines.
    const DELTA_PREFIXES: [&[u8]; 2] = [br#"{"type":"text-delta""#, br#"{"type":"reasoning-delta""#];
    if DELTA_PREFIXES.iter().any(|piece| line.starts_with(piece)) {
        return RunEvent::Nothing;
    }
    let Ok(EventLine { kind, agent, step, tool_name, name }) = serde_json::from_slice::<EventLine>(line) else {
        return RunEvent::Nothing;
    };
    let who = if agent.is_empty() { String::new() } else { format!("{}: ", agent.join(" > ")) };
    let message = match (kind.as_str(), step, tool_name, name) {
        ("run-finish", ..) => {
            return serde_json::from_slice(line)
                .map_or(RunEvent::Nothing, |end| RunEvent::End(outcome(end, promises_data)));
        }
        ("step-start", Some(step), ..) => format!("{who}step {}", step + 1),
        ("tool-call", _, Some(tool), _) => format!("{who}calls {tool}"),
        ("retry", ..) => format!("{who}tries again"),
        _ => return RunEvent::Nothing,
    };
    RunEvent::Progress(message)
}

fn outcome(end: Finish, promises_data: bool) -> Outcome {
    match end {
        Finish { error: Some(failure), .. } => Outcome::Failed(message(failure)),
        Finish { ok: false, .. } => Outcome::Failed("the run failed".to_owned()),
        Finish { output: Some(output), .. } => Outcome::Output(output),
        // For example after `process.exit(0)`.
        Finish { .. } if promises_data => Outcome::Failed("the run ended before it had an output".to_owned()),
        Finish { text, .. } => Outcome::Text(text),
    }
}

fn message(Failure { message, hint }: Failure) -> String {
    match hint {
        Some(hint) => format!("{message}\nHint: {hint}"),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_line(line: &Value) -> RunEvent {
        read(line.to_string().as_bytes(), false)
    }

    #[test]
    fn steps_and_calls_are_progress() {
        for (line, message) in [
            (json!({ "type": "step-start", "agent": [], "step": 0, "model": "m" }), Some("step 1")),
            (json!({ "type": "step-start", "agent": ["a", "b"], "step": 1 }), Some("a > b: step 2")),
            (
                json!({ "type": "tool-call", "agent": [], "toolName": "look", "input": { "type": "x" } }),
                Some("calls look"),
            ),
            (json!({ "type": "retry", "agent": ["a"], "message": "secret" }), Some("a: tries again")),
            (json!({ "type": "text-delta", "agent": [], "delta": "x" }), None),
            (json!({ "type": "of a later version", "step": "words" }), None),
            (json!([]), None),
        ] {
            let event = message.map_or(RunEvent::Nothing, |message| RunEvent::Progress(message.to_owned()));
            assert_eq!(read_line(&line), event, "{line}");
        }
    }

    #[test]
    fn the_last_line_is_the_outcome() {
        for (members, promises_data, outcome) in [
            (json!({ "ok": true, "text": "hi" }), false, Outcome::Text("hi".to_owned())),
            (json!({ "ok": true, "text": "1", "output": { "a": 1 } }), true, Outcome::Output(json!({ "a": 1 }))),
            (json!({ "ok": true, "text": "null", "output": null }), false, Outcome::Output(Value::Null)),
            (
                json!({ "ok": true, "text": "" }),
                true,
                Outcome::Failed("the run ended before it had an output".to_owned()),
            ),
            (
                json!({ "ok": false, "text": "so far", "error": { "code": 1, "kind": "file", "message": "boom", "hint": "mend it" } }),
                false,
                Outcome::Failed("boom\nHint: mend it".to_owned()),
            ),
            (json!({ "ok": false }), false, Outcome::Failed("the run failed".to_owned())),
        ] {
            let mut line = members;
            line["type"] = json!("run-finish");
            assert_eq!(read(line.to_string().as_bytes(), promises_data), RunEvent::End(outcome), "{line}");
        }
    }
}
