//! The scripted model: answers from a list, without a network.
//!
//! Text items stream one by one; a tool call item ends the model's turn and the items after it belong to the next turn;
//! when the list is used up the model answers with nothing and `stop` (docs/reference.md, "Mock models").

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeSet, VecDeque},
    time::Duration,
    vec,
};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};

use super::{
    Answerer, Answering, LanguageModel, MockTurn, PartStream, ProviderError, ProviderErrorKind,
    mock_item::{MockCall, MockItem},
};
use crate::chat::{FinishReason, ModelRequest, ResponseMetadata, StreamPart, Usage};

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
    /// Turns that were answered in another process.
    answered: RefCell<BTreeSet<usize>>,
    /// See [`MockTurn::mock`].
    number: Cell<Option<usize>>,
    /// Called once.
    used_up: RefCell<Option<UsedUp>>,
}

impl MockModel {
    /// A model that plays `items` from the start.
    pub(crate) fn new(items: Vec<MockItem>, options: MockOptions) -> Self {
        let count = items.len();
        let items = RefCell::new(items.into_iter());
        MockModel {
            items,
            count,
            options,
            turns: Cell::new(0),
            answered: RefCell::default(),
            number: Cell::default(),
            used_up: RefCell::default(),
        }
    }

    /// Has `tell` called the first time the model is asked for an answer when nothing is left of the script.
    #[must_use]
    pub(crate) fn when_used_up(self, tell: impl FnOnce(usize) + 'static) -> Self {
        MockModel { used_up: RefCell::new(Some(Box::new(tell))), ..self }
    }

    /// Tells it from the run's other mocks, and leaves out the turns that were answered in another process.
    pub(crate) fn set_number(&self, number: usize, answered: Vec<usize>) {
        self.number.set(Some(number));
        self.answered.borrow_mut().extend(answered);
    }

    /// Begins the next turn of the script.
    fn begin_turn(&self) -> (usize, vec::IntoIter<MockItem>) {
        loop {
            let turn = self.turns.replace(self.turns.get() + 1);
            if !self.answered.borrow_mut().remove(&turn) {
                return (turn, self.next_turn());
            }
            // Beyond its end there is nothing to leave out, and nobody to tell of it.
            if self.items.borrow().len() > 0 {
                self.next_turn();
            }
        }
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

    /// The number and the stream parts of the next turn; `true` marks a part the delay comes before.
    fn next_parts(&self) -> (usize, Turn) {
        let (turn, mut items) = self.begin_turn();
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
        (turn, Turn { items, script, finish_reason: FinishReason::Stop, usage, is_over: false })
    }

    fn play(&self, turn: Turn) -> PartStream<'_> {
        let delay = self.options.delay;
        let parts = stream::iter(turn);
        // Without a timer a mocked run needs no turn of the event loop for each piece.
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
        let (_, turn) = self.next_parts();
        async move { Ok(self.play(turn)) }.boxed_local()
    }

    fn answer<'a>(&'a self, _request: ModelRequest) -> LocalBoxFuture<'a, Result<Answering<'a>, ProviderError>> {
        let (turn, script) = self.next_parts();
        let turn = Some(MockTurn { mock: self.number.get(), turn });
        async move {
            Ok(Answering { provider: self.provider(), model_id: self.model_id(), parts: self.play(script), turn })
        }
        .boxed_local()
    }

    fn leave_out(&self, turns: &[usize]) {
        if self.number.get().is_none() {
            self.answered.borrow_mut().extend(turns);
        }
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
