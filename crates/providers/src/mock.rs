//! The scripted model: plays a list of items without a network (docs/reference/mock-models.md).
//!
//! A tool call item ends a turn; the next items belong to the next turn. After the last item, turns are empty and end
//! with `stop`.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeSet, VecDeque},
    time::Duration,
    vec,
};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};

use super::{
    LanguageModel, MockTurn, ModelIdentity, ModelResponse, PartStream, ProviderError, ProviderErrorKind,
    mock_item::{MockCall, MockItem, MockResult},
};
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, FinishReason, ModelRequest, ResponseMetadata, StreamPart, Usage},
};

#[derive(Clone, Debug)]
pub struct MockOptions {
    pub delay: Duration,
    pub usage: Option<Usage>,
    pub streaming: bool,
}

impl Default for MockOptions {
    fn default() -> Self {
        MockOptions { delay: Duration::ZERO, usage: None, streaming: true }
    }
}

impl MockOptions {
    /// A mock has a cache if its usage says what was read from it. What was not read is no fault.
    fn cache_rules(&self) -> CacheRules {
        match self.usage.and_then(|usage| usage.cached_input_tokens) {
            Some(_) => CacheRules { tolerance: 100, ..CacheRules::automatic(0, 1) },
            None => CacheRules::NONE,
        }
    }
}

type OnExhausted = Box<dyn FnOnce(usize)>;

pub struct MockModel {
    items: RefCell<vec::IntoIter<MockItem>>,
    item_count: usize,
    options: MockOptions,
    turns: Cell<usize>,
    /// Turns that were played in another process.
    answered: RefCell<BTreeSet<usize>>,
    number: Cell<Option<usize>>,
    on_exhausted: RefCell<Option<OnExhausted>>,
}

impl MockModel {
    pub fn new(items: Vec<MockItem>, options: MockOptions) -> Self {
        let item_count = items.len();
        let items = RefCell::new(items.into_iter());
        MockModel {
            items,
            item_count,
            options,
            turns: Cell::new(0),
            answered: RefCell::default(),
            number: Cell::default(),
            on_exhausted: RefCell::default(),
        }
    }

    /// Calls `callback` the first time that a turn is requested after the end of a non-empty script.
    #[must_use]
    pub fn on_exhausted(self, callback: impl FnOnce(usize) + 'static) -> Self {
        MockModel { on_exhausted: RefCell::new(Some(Box::new(callback))), ..self }
    }

    /// Identifies the mock within the run, and skips the turns that were played in another process.
    pub fn set_number(&self, number: usize, answered: Vec<usize>) {
        self.number.set(Some(number));
        self.answered.borrow_mut().extend(answered);
    }

    fn begin_turn(&self) -> (usize, vec::IntoIter<MockItem>) {
        loop {
            let turn = self.turns.replace(self.turns.get() + 1);
            if !self.answered.borrow_mut().remove(&turn) {
                return (turn, self.next_turn());
            }
            // At the end of the script there is no turn to skip, and `on_exhausted` must not fire.
            if self.items.borrow().len() > 0 {
                self.next_turn();
            }
        }
    }

    fn next_turn(&self) -> vec::IntoIter<MockItem> {
        let mut items = self.items.borrow_mut();
        // An empty script is intended: the run of the file itself produces no text.
        if items.len() == 0
            && self.item_count > 0
            && let Some(callback) = self.on_exhausted.take()
        {
            callback(self.item_count);
        }
        let within = items.as_slice().iter().take_while(|item| item.is_within_turn()).count();
        // The item that ends the turn belongs to it. The last turn takes the list itself, which may be long.
        match within + 1 >= items.len() {
            true => std::mem::take(&mut *items),
            false => items.by_ref().take(within + 1).collect::<Vec<_>>().into_iter(),
        }
    }

    fn next_parts(&self) -> (usize, Turn) {
        let (turn, mut items) = self.begin_turn();
        if !self.options.streaming {
            items = joined(items).into_iter();
        }
        let mut script = PartQueue::default();
        // The same parts in the same order as from a provider: the step loop must not see a difference.
        script.push(StreamPart::StreamStart { warnings: Vec::new() });
        script.push(StreamPart::ResponseMetadata(ResponseMetadata {
            id: Some(format!("mock-{turn}")),
            model_id: Some("mock".into()),
            ..ResponseMetadata::default()
        }));
        // Zeros instead of unknown, so that sums of mocked runs can be compared.
        let usage = self.options.usage.unwrap_or_else(|| Usage::new(Some(0), Some(0)));
        let usage = Usage { has_cache_count: usage.cached_input_tokens.is_some(), ..usage };
        let provider_calls = Vec::new();
        (turn, Turn { items, script, provider_calls, finish_reason: FinishReason::Stop, usage, is_over: false })
    }

    fn play(&self, turn: Turn) -> PartStream<'_> {
        let delay = self.options.delay;
        let parts = stream::iter(turn);
        // Without a delay no timer is needed, which saves an iteration of the event loop for each part.
        if delay.is_zero() {
            return parts.map(|(_, part)| part).boxed_local();
        }
        parts
            .then(move |(waits, part)| async move {
                if waits {
                    tokio::time::sleep(delay).await;
                }
                part
            })
            .boxed_local()
    }
}

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

/// The parts of one turn, made one at a time because a turn may be long. `true` marks parts that the delay precedes.
struct Turn {
    items: vec::IntoIter<MockItem>,
    script: PartQueue,
    /// Id and name of the calls that the provider runs.
    provider_calls: Vec<(String, String)>,
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
                if call.provider_executed {
                    self.provider_calls.push((call.tool_call_id.clone(), call.tool_name.clone()));
                } else {
                    self.finish_reason = FinishReason::ToolCalls;
                }
                self.script.tool_call(*call);
            }
            MockItem::ToolResult(result) => {
                self.script.close();
                let part = self.result(*result);
                self.script.parts.push_back((true, Ok(part)));
            }
            MockItem::Source(source) => self.script.push(StreamPart::Source(*source)),
            MockItem::Error(message) => {
                self.script.close();
                let error = ProviderError::new(ProviderErrorKind::Stream, "mock", "mock", message);
                self.script.parts.push_back((true, Err(error)));
                self.is_over = true;
            }
            MockItem::Finish(reason) => self.finish_reason = reason,
        }
    }

    fn result(&self, MockResult { tool_call_id, tool_name, result, is_error }: MockResult) -> StreamPart {
        let is_meant = |(id, name): &&(String, String)| {
            tool_call_id.as_ref().is_none_or(|wanted| wanted == id)
                && tool_name.as_ref().is_none_or(|wanted| wanted == name)
        };
        let call = self.provider_calls.iter().rev().find(is_meant).cloned().unwrap_or_default();
        StreamPart::ToolResult {
            tool_call_id: tool_call_id.unwrap_or(call.0),
            tool_name: tool_name.unwrap_or(call.1),
            result,
            is_error,
            provider_metadata: None,
        }
    }

    fn end(&mut self) {
        self.script.close();
        let (finish_reason, usage) = (self.finish_reason, self.usage);
        self.script.push(StreamPart::Finish { finish_reason, usage, is_paused: false, provider_metadata: None });
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

    fn model_identities(&self) -> Vec<ModelIdentity> {
        let (provider, model_id) = (self.provider().to_owned(), self.model_id().to_owned());
        vec![ModelIdentity { provider, model_id, is_local: true, ..ModelIdentity::default() }]
    }

    fn stream<'a>(&'a self, _request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        let (_, turn) = self.next_parts();
        async move { Ok(self.play(turn)) }.boxed_local()
    }

    fn answer<'a>(&'a self, _request: ModelRequest) -> LocalBoxFuture<'a, Result<ModelResponse<'a>, ProviderError>> {
        let (turn, script) = self.next_parts();
        let turn = Some(MockTurn { mock: self.number.get(), turn });
        async move {
            let (provider, model_id) = (self.provider(), self.model_id());
            let (parts, cache_rules) = (self.play(script), self.options.cache_rules());
            Ok(ModelResponse { provider, model_id, server: None, parts, turn, identity: None, cache_rules })
        }
        .boxed_local()
    }

    fn cache_rules(&self, _settings: &CallSettings) -> CacheRules {
        self.options.cache_rules()
    }

    fn skip_turns(&self, turns: &[usize]) {
        if self.number.get().is_none() {
            self.answered.borrow_mut().extend(turns);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Text,
    Reasoning,
}

#[derive(Default)]
struct PartQueue {
    parts: VecDeque<(bool, Result<StreamPart, ProviderError>)>,
    open: Option<Block>,
    blocks: usize,
}

impl PartQueue {
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

    fn tool_call(&mut self, MockCall { tool_call_id, tool_name, input, provider_executed }: MockCall) {
        let id = tool_call_id.clone();
        self.push(StreamPart::ToolInputStart { id: id.clone(), tool_name: tool_name.clone() });
        self.push(StreamPart::ToolInputDelta { id: id.clone(), delta: input.clone() });
        self.push(StreamPart::ToolInputEnd { id });
        let call = StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, provider_metadata: None };
        self.parts.push_back((true, Ok(call)));
    }
}
