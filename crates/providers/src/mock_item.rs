//! Items of a mock's script, parsed from JSON (docs/reference/mock-models.md).

use serde_json::{Value, json};
use thiserror::Error;

use lmthing_base::{
    chat::{FinishReason, Source},
    diagnostic::closest,
};

/// One scripted piece of a response. Boxed to stay small: a script may have hundreds of thousands of texts.
#[derive(Clone, Debug, PartialEq)]
pub enum MockItem {
    Text(Box<str>),
    Reasoning(Box<str>),
    ToolCall(Box<MockCall>),
    ToolResult(Box<MockResult>),
    Source(Box<Source>),
    Error(Box<str>),
    Finish(FinishReason),
}

#[derive(Clone, Debug, PartialEq)]
pub struct MockCall {
    pub tool_call_id: String,
    pub tool_name: String,
    /// The arguments as JSON text, so that a script can also contain invalid JSON.
    pub input: String,
    /// Whether the provider runs the call. Such a call does not end a turn.
    pub provider_executed: bool,
}

/// The result of a call that the provider has run: of the one named, else of the last.
#[derive(Clone, Debug, PartialEq)]
pub struct MockResult {
    pub tool_call_id: Option<String>,
    pub tool_name: Option<String>,
    pub result: Value,
    pub is_error: bool,
}

const KEYS: &[(&str, &[&str])] = &[
    ("text", &["text"]),
    ("reasoning", &["text"]),
    ("tool-call", &["toolName", "toolCallId", "args", "providerExecuted"]),
    ("tool-result", &["toolName", "toolCallId", "result", "isError", "providerExecuted"]),
    ("source", &["id", "url", "title", "mediaType", "cites", "sourceType"]),
    ("error", &["error"]),
    ("finish", &["finishReason"]),
];

const FINISH_REASONS: [&str; 6] = ["stop", "length", "content-filter", "tool-calls", "error", "other"];

const KEYS_OF_OTHER_SDKS: &[(&str, &str)] = &[
    ("input", "args"),
    ("arguments", "args"),
    ("parameters", "args"),
    ("name", "toolName"),
    ("tool", "toolName"),
    ("id", "toolCallId"),
    ("content", "text"),
    ("delta", "text"),
    ("message", "error"),
    ("reason", "finishReason"),
    ("output", "result"),
];

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("mock item {index} {problem}")]
pub struct InvalidMockItem {
    pub index: usize,
    pub key: Option<String>,
    problem: String,
}

fn check_keys(index: usize, kind: &str, item: &Value, keys: &[&str]) -> Result<(), InvalidMockItem> {
    let Some(fields) = item.as_object() else { return Ok(()) };
    let Some(unknown) = fields.keys().find(|key| *key != "type" && !keys.contains(&key.as_str())) else {
        return Ok(());
    };
    let known_elsewhere =
        || KEYS_OF_OTHER_SDKS.iter().find(|(word, key)| word == unknown && keys.contains(key)).map(|(_, key)| *key);
    let advice = match closest(unknown, keys.iter().copied()).or_else(known_elsewhere) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => format!("it may have {}", keys.join(", ")),
    };
    let problem = format!("({kind}) has an unknown key '{unknown}'; {advice}");
    Err(InvalidMockItem { index, key: Some(unknown.clone()), problem })
}

impl MockItem {
    /// Whether further items of the turn may follow.
    pub fn is_within_turn(&self) -> bool {
        match self {
            MockItem::Text(_) | MockItem::Reasoning(_) | MockItem::ToolResult(_) | MockItem::Source(_) => true,
            MockItem::ToolCall(call) => call.provider_executed,
            MockItem::Error(_) | MockItem::Finish(_) => false,
        }
    }

    /// Parses one item of a `mock` array: `{type: 'text', text}`, `{type: 'reasoning', text}`, `{type: 'tool-call',
    /// toolName, toolCallId?, args, providerExecuted?}` (a string is raw JSON text), `{type: 'tool-result', toolName?,
    /// toolCallId?, result, isError?}`, `{type: 'source', url?, title?, cites?, …}`, `{type: 'error', error}`, `{type:
    /// 'finish', finishReason}`. `index` is used in errors and in default ids.
    pub fn from_json(index: usize, item: &Value) -> Result<MockItem, InvalidMockItem> {
        let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
        if let Some((_, keys)) = KEYS.iter().find(|(known, _)| *known == kind) {
            check_keys(index, kind, item, keys)?;
        }
        let wrong = |key: &str, what: &str| InvalidMockItem {
            index,
            key: item.get(key).map(|_| key.to_owned()),
            problem: format!("{what}: {item}"),
        };
        let text_of = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
        let text = |key: &str| text_of(key).ok_or_else(|| wrong(key, &format!("needs a string '{key}'")));
        match item.get("type").and_then(Value::as_str) {
            Some("text") => Ok(MockItem::Text(text("text")?.into())),
            Some("reasoning") => Ok(MockItem::Reasoning(text("text")?.into())),
            Some("tool-call") => Ok(MockItem::ToolCall(Box::new(MockCall {
                tool_call_id: text_of("toolCallId").unwrap_or_else(|| format!("call_{index}")),
                tool_name: text("toolName")?,
                input: match item.get("args") {
                    Some(Value::String(raw)) => raw.clone(),
                    Some(args) => args.to_string(),
                    None => json!({}).to_string(),
                },
                provider_executed: item.get("providerExecuted") == Some(&Value::Bool(true)),
            }))),
            Some("tool-result") => Ok(MockItem::ToolResult(Box::new(MockResult {
                tool_call_id: text_of("toolCallId"),
                tool_name: text_of("toolName"),
                result: item.get("result").cloned().unwrap_or_default(),
                is_error: item.get("isError") == Some(&Value::Bool(true)),
            }))),
            Some("source") => {
                let wanted = "needs a 'url' or 'title', and 'cites' of {start, end, text} if there are any";
                source(index, item).map(MockItem::Source).ok_or_else(|| wrong("cites", wanted))
            }
            Some("error") => Ok(MockItem::Error(text("error")?.into())),
            Some("finish") => {
                let reason = item.get("finishReason").cloned().unwrap_or_else(|| json!("stop"));
                let reason = serde_json::from_value(reason).map_err(|_| {
                    wrong(
                        "finishReason",
                        &format!("has an unknown 'finishReason'; known are {}", FINISH_REASONS.join(", ")),
                    )
                })?;
                Ok(MockItem::Finish(reason))
            }
            _ => {
                let meant = closest(kind, KEYS.iter().map(|(known, _)| *known));
                let advice = meant.map(|meant| format!(" (did you mean '{meant}'?)"));
                let advice = advice.unwrap_or_else(|| ", as in {type: 'text', text: 'Hello.'}".to_owned());
                let known: Vec<_> = KEYS.iter().map(|(known, _)| format!("'{known}'")).collect();
                let what = format!("needs a 'type' of {}{advice}", known.join(", "));
                Err(wrong("type", &what))
            }
        }
    }
}

fn source(index: usize, item: &Value) -> Option<Box<Source>> {
    let mut source = item.clone();
    if source.get("id").is_none() {
        source["id"] = format!("source-{index}").into();
    }
    let source: Source = serde_json::from_value(source).ok()?;
    (source.url.is_some() || source.title.is_some()).then(|| Box::new(source))
}
