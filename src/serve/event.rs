//! The lines of a run (docs/events.md): what a caller is told of them, and what the run came to. Must not know where they come
//! from.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::Outcome;

/// What of an event counts here. Other members are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    agent: Vec<String>,
    step: Option<u64>,
    tool_name: Option<String>,
    name: Option<String>,
}

/// The last event.
#[derive(Deserialize)]
struct Finish {
    ok: bool,
    #[serde(default)]
    text: String,
    /// `null` is an output, too.
    #[serde(default, deserialize_with = "there")]
    output: Option<Value>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    kind: String,
    message: String,
    hint: Option<String>,
}

fn there<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// Something has happened, in a few words.
    Progress(String),
    /// The run is over.
    End(Outcome),
    Nothing,
}

/// Reads a line. `promises_data` says whether the file has an output that callers rely on.
pub(super) fn read(line: &[u8], promises_data: bool) -> Said {
    // Nearly all lines of a long answer: they need not be taken apart.
    const PIECES: [&[u8]; 2] = [br#"{"type":"text-delta""#, br#"{"type":"reasoning-delta""#];
    if PIECES.iter().any(|piece| line.starts_with(piece)) {
        return Said::Nothing;
    }
    let Ok(Line { kind, agent, step, tool_name, name }) = serde_json::from_slice::<Line>(line) else {
        return Said::Nothing;
    };
    let who = if agent.is_empty() { String::new() } else { format!("{}: ", agent.join(" > ")) };
    let words = match (kind.as_str(), step, tool_name, name) {
        ("run-finish", ..) => {
            return serde_json::from_slice(line).map_or(Said::Nothing, |end| Said::End(outcome(end, promises_data)));
        }
        ("step-start", Some(step), ..) => format!("{who}step {}", step + 1),
        ("tool-call", _, Some(tool), _) => format!("{who}calls {tool}"),
        ("retry", ..) => format!("{who}tries again"),
        _ => return Said::Nothing,
    };
    Said::Progress(words)
}

fn outcome(end: Finish, promises_data: bool) -> Outcome {
    match end {
        Finish { error: Some(failure), .. } => Outcome::Failed(words(failure)),
        Finish { ok: false, .. } => Outcome::Failed("the run failed".to_owned()),
        Finish { output: Some(output), .. } => Outcome::Output(output),
        // `process.exit(0)`.
        Finish { .. } if promises_data => Outcome::Failed("the run ended before it had an output".to_owned()),
        Finish { text, .. } => Outcome::Text(text),
    }
}

fn words(Failure { kind, message, hint }: Failure) -> String {
    let message = match kind.as_str() {
        "exit" => format!("the prompt file ended the run: {message}"),
        _ => message,
    };
    match hint {
        Some(hint) => format!("{message}\nHint: {hint}"),
        None => message,
    }
}
