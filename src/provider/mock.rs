//! The scripted model: answers from a list, without a network.
//!
//! Text items stream one by one; a tool call item ends the model's turn and the items after it belong to the next turn;
//! when the list is used up the model answers with nothing and `stop` (docs/reference.md, "Mock models").

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    time::Duration,
    vec,
};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use serde_json::{Value, json};
use thiserror::Error;

use super::{Answerer, LanguageModel, PartStream, ProviderError, ProviderErrorKind};
use crate::{
    chat::{FinishReason, ModelRequest, ResponseMetadata, StreamPart, Usage},
    diagnostic::closest,
};

/// One scripted piece of an answer.
///
/// Small: a script may have hundreds of thousands of texts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MockItem {
    Text(Box<str>),
    Reasoning(Box<str>),
    ToolCall(Box<MockCall>),
    /// The turn fails with this message, as if the provider had broken off the stream.
    Error(Box<str>),
    /// Ends the turn with this finish reason and no tool call.
    Finish(FinishReason),
}

/// A scripted tool call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MockCall {
    tool_call_id: String,
    /// The name of the tool.
    pub(crate) tool_name: String,
    /// The arguments as JSON text, so that a script can also play a model that writes broken JSON.
    pub(crate) input: String,
}

/// How the script is played.
#[derive(Clone, Debug)]
pub(crate) struct MockOptions {
    /// Waited before every text, reasoning and tool call item.
    pub delay: Duration,
    /// Reported at the end of every turn; zeros when unset.
    pub usage: Option<Usage>,
    /// Whether consecutive text items arrive one by one (the default) or joined.
    pub streaming: bool,
}

impl Default for MockOptions {
    fn default() -> Self {
        MockOptions { delay: Duration::ZERO, usage: None, streaming: true }
    }
}

/// Told how many items there were when the model is asked for more than that.
type UsedUp = Box<dyn FnOnce(usize)>;

/// A scripted model with its place in the script.
pub(crate) struct MockModel {
    /// What has not been played yet.
    items: RefCell<vec::IntoIter<MockItem>>,
    /// How many there were.
    count: usize,
    options: MockOptions,
    turns: Cell<usize>,
    /// Called once.
    used_up: RefCell<Option<UsedUp>>,
}

impl MockModel {
    /// A model that plays `items` from the start.
    pub(crate) fn new(items: Vec<MockItem>, options: MockOptions) -> Self {
        let count = items.len();
        let items = RefCell::new(items.into_iter());
        MockModel { items, count, options, turns: Cell::new(0), used_up: RefCell::default() }
    }

    /// Has `tell` called the first time the model is asked for an answer when nothing is left of the script.
    #[must_use]
    pub(crate) fn when_used_up(self, tell: impl FnOnce(usize) + 'static) -> Self {
        MockModel { used_up: RefCell::new(Some(Box::new(tell))), ..self }
    }

    /// Takes the items of the next turn off the script.
    fn next_turn(&self) -> vec::IntoIter<MockItem> {
        let mut items = self.items.borrow_mut();
        // An empty list is meant: the file's own run is to say nothing.
        if items.len() == 0
            && self.count > 0
            && let Some(tell) = self.used_up.take()
        {
            tell(self.count);
        }
        let is_text = |item: &MockItem| matches!(item, MockItem::Text(_) | MockItem::Reasoning(_));
        let texts = items.as_slice().iter().take_while(|item| is_text(item)).count();
        // What ends the turn belongs to it. The last turn takes the list itself, which may be long.
        match texts + 1 >= items.len() {
            true => std::mem::take(&mut *items),
            false => items.by_ref().take(texts + 1).collect::<Vec<_>>().into_iter(),
        }
    }

    /// The stream parts of the next turn; `true` marks a part the delay comes before.
    fn next_parts(&self) -> Turn {
        let turn = self.turns.replace(self.turns.get() + 1);
        let mut items = self.next_turn();
        if !self.options.streaming {
            items = joined(items).into_iter();
        }
        let mut script = TurnScript::default();
        // The same parts in the same order as a provider's answer: the step loop must not be able to tell.
        script.push(StreamPart::StreamStart { warnings: Vec::new() });
        script.push(StreamPart::ResponseMetadata(ResponseMetadata {
            id: Some(format!("mock-{turn}")),
            model_id: Some("mock".into()),
            ..ResponseMetadata::default()
        }));
        // Zeros, not unknown: a mocked run has sums that can be compared.
        let usage = self.options.usage.unwrap_or_else(|| Usage::new(Some(0), Some(0)));
        Turn { items, script, finish_reason: FinishReason::Stop, usage, is_over: false }
    }
}

/// Items in which no two texts follow each other.
fn joined(items: impl Iterator<Item = MockItem>) -> Vec<MockItem> {
    let mut joined: Vec<MockItem> = Vec::new();
    for item in items {
        match (joined.last_mut(), item) {
            (Some(MockItem::Text(text)), MockItem::Text(more))
            | (Some(MockItem::Reasoning(text)), MockItem::Reasoning(more)) => {
                *text = format!("{text}{more}").into();
            }
            (_, item) => joined.push(item),
        }
    }
    joined
}

/// One turn of the model, made part by part: a long one is not there as a whole.
struct Turn {
    items: vec::IntoIter<MockItem>,
    script: TurnScript,
    finish_reason: FinishReason,
    usage: Usage,
    is_over: bool,
}

impl Iterator for Turn {
    type Item = (bool, Result<StreamPart, ProviderError>);

    fn next(&mut self) -> Option<Self::Item> {
        while self.script.parts.is_empty() && !self.is_over {
            match self.items.next() {
                Some(item) => self.play(item),
                None => self.end(),
            }
        }
        self.script.parts.pop_front()
    }
}

impl Turn {
    fn play(&mut self, item: MockItem) {
        match item {
            MockItem::Text(text) => self.script.delta(Block::Text, text.into()),
            MockItem::Reasoning(text) => self.script.delta(Block::Reasoning, text.into()),
            MockItem::ToolCall(call) => {
                self.script.close();
                self.script.tool_call(*call);
                self.finish_reason = FinishReason::ToolCalls;
            }
            MockItem::Error(message) => {
                self.script.close();
                let error = ProviderError::new(ProviderErrorKind::Stream, "mock", "mock", message);
                self.script.parts.push_back((true, Err(error)));
                self.is_over = true;
            }
            MockItem::Finish(reason) => self.finish_reason = reason,
        }
    }

    fn end(&mut self) {
        self.script.close();
        let (finish_reason, usage) = (self.finish_reason, self.usage);
        self.script.push(StreamPart::Finish { finish_reason, usage, provider_metadata: None });
        self.is_over = true;
    }
}

impl LanguageModel for MockModel {
    fn provider(&self) -> &str {
        "mock"
    }

    fn model_id(&self) -> &str {
        "mock"
    }

    fn reads_request(&self) -> bool {
        false
    }

    fn answerers(&self) -> Vec<Answerer> {
        let (provider, model_id) = (self.provider().to_owned(), self.model_id().to_owned());
        vec![Answerer { provider, model_id, base_url: None, is_local: true }]
    }

    fn stream<'a>(&'a self, _request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        let delay = self.options.delay;
        let parts = stream::iter(self.next_parts());
        async move {
            // Without a timer a mocked run needs no turn of the event loop for each piece.
            if delay.is_zero() {
                return Ok(parts.map(|(_, part)| part).boxed_local());
            }
            Ok(parts
                .then(move |(waits, part)| async move {
                    if waits {
                        tokio::time::sleep(delay).await;
                    }
                    part
                })
                .boxed_local())
        }
        .boxed_local()
    }
}

/// Which kind of block is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Text,
    Reasoning,
}

/// Builds the parts of one turn, opening and closing blocks as needed.
#[derive(Default)]
struct TurnScript {
    parts: VecDeque<(bool, Result<StreamPart, ProviderError>)>,
    open: Option<Block>,
    blocks: usize,
}

impl TurnScript {
    fn push(&mut self, part: StreamPart) {
        self.parts.push_back((false, Ok(part)));
    }

    fn id(&self) -> String {
        self.blocks.to_string()
    }

    fn delta(&mut self, block: Block, delta: String) {
        if self.open != Some(block) {
            self.close();
            self.open = Some(block);
            let id = self.id();
            self.push(match block {
                Block::Text => StreamPart::TextStart { id, provider_metadata: None },
                Block::Reasoning => StreamPart::ReasoningStart { id, provider_metadata: None },
            });
        }
        let id = self.id();
        let part = match block {
            Block::Text => StreamPart::TextDelta { id, delta, provider_metadata: None },
            Block::Reasoning => StreamPart::ReasoningDelta { id, delta, provider_metadata: None },
        };
        self.parts.push_back((true, Ok(part)));
    }

    fn close(&mut self) {
        let id = self.id();
        match self.open.take() {
            None => return,
            Some(Block::Text) => self.push(StreamPart::TextEnd { id, provider_metadata: None }),
            Some(Block::Reasoning) => self.push(StreamPart::ReasoningEnd { id, provider_metadata: None }),
        }
        self.blocks += 1;
    }

    fn tool_call(&mut self, MockCall { tool_call_id, tool_name, input }: MockCall) {
        let id = tool_call_id.clone();
        self.push(StreamPart::ToolInputStart { id: id.clone(), tool_name: tool_name.clone() });
        self.push(StreamPart::ToolInputDelta { id: id.clone(), delta: input.clone() });
        self.push(StreamPart::ToolInputEnd { id });
        let call = StreamPart::ToolCall { tool_call_id, tool_name, input, provider_metadata: None };
        self.parts.push_back((true, Ok(call)));
    }
}

/// What an item of each type may hold besides its type.
const KEYS: &[(&str, &[&str])] = &[
    ("text", &["text"]),
    ("reasoning", &["text"]),
    ("tool-call", &["toolName", "toolCallId", "args"]),
    ("error", &["error"]),
    ("finish", &["finishReason"]),
];

/// What `finishReason` may be.
const FINISH_REASONS: [&str; 6] = ["stop", "length", "content-filter", "tool-calls", "error", "other"];

/// Other words for a key, as providers and SDKs have them.
const OTHER_WORDS: &[(&str, &str)] = &[
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
];

/// An item that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("mock item {index} {problem}")]
pub(crate) struct WrongMockItem {
    /// Which one, from 0.
    pub(crate) index: usize,
    /// The key that is wrong, when it is there.
    pub(crate) key: Option<String>,
    /// What is wrong.
    problem: String,
}

fn check_keys(index: usize, kind: &str, item: &Value, keys: &[&str]) -> Result<(), WrongMockItem> {
    let Some(fields) = item.as_object() else { return Ok(()) };
    let Some(unknown) = fields.keys().find(|key| *key != "type" && !keys.contains(&key.as_str())) else {
        return Ok(());
    };
    let other_word =
        || OTHER_WORDS.iter().find(|(word, key)| word == unknown && keys.contains(key)).map(|(_, key)| *key);
    let advice = match closest(unknown, keys.iter().copied()).or_else(other_word) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => format!("it may have {}", keys.join(", ")),
    };
    let problem = format!("({kind}) has an unknown key '{unknown}'; {advice}");
    Err(WrongMockItem { index, key: Some(unknown.clone()), problem })
}

impl MockItem {
    /// Reads one item of a `mock` array.
    ///
    /// Shapes: `{type: 'text', text}`, `{type: 'reasoning', text}`, `{type: 'tool-call', toolName, toolCallId?, args}`
    /// (a string is taken as raw JSON text), `{type: 'error', error}`, `{type: 'finish', finishReason}`; no other keys, which
    /// would most likely be slips. `index` only makes the error and a missing call id readable.
    pub(crate) fn from_json(index: usize, item: &Value) -> Result<MockItem, WrongMockItem> {
        let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
        if let Some((_, keys)) = KEYS.iter().find(|(known, _)| *known == kind) {
            check_keys(index, kind, item, keys)?;
        }
        let wrong = |key: &str, what: &str| WrongMockItem {
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
            }))),
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
                let advice = meant.map_or_else(String::new, |meant| format!(" (did you mean '{meant}'?)"));
                let what = format!("needs a 'type' of 'text', 'reasoning', 'tool-call', 'error' or 'finish'{advice}");
                Err(wrong("type", &what))
            }
        }
    }
}
