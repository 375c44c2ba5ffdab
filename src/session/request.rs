//! A request that was let in, as it is known to whoever enters what it used. Must not know limits, nor what a prompt is.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use crate::{
    chat::{ContentPart, Message, PromptMessages, StreamPart, Usage},
    cost::{OwnPrices, PricedModel, RequestId},
    event::AgentScope,
    provider::ModelIdentity,
};

/// A request and what is known of its answer. The meter has those that are not settled: with the process they end without
/// being dropped.
pub(super) struct Request {
    pub(super) id: RequestId,
    /// Of the prompt that asks.
    pub(super) scope: AgentScope,
    pub(super) asked: PromptMessages,
    /// Who may answer.
    pub(super) model_identities: Vec<ModelIdentity>,
    /// Those of the file that asks, when the program was not started with that.
    pub(super) prices: Option<Rc<OwnPrices>>,
    pub(super) stage: Cell<Stage>,
    pub(super) heard: RefCell<Heard>,
}

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It has not gone out.
    LetIn,
    /// Nothing of an answer has come.
    Sent,
    /// It failed before anything came, and costs nothing.
    Refused,
    /// Something has come, and will be paid for.
    Answered,
    /// What it used is entered.
    Settled,
}

/// What an answer has told of itself so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Who gives it, by provider and model id.
    pub(super) answerer: Option<(String, String)>,
    /// What the provider calls the model.
    answered_by: Option<String>,
    /// What it used, as far as the provider has said.
    pub(super) usage: Usage,
}

impl Request {
    /// Takes note of a piece of the answer.
    pub(super) fn take(&self, part: &StreamPart) {
        match part {
            // Made up by our side, or by a server that goes on to refuse.
            StreamPart::StreamStart { .. } | StreamPart::Error { .. } => return,
            StreamPart::ResponseMetadata(metadata) => {
                let mut heard = self.heard.borrow_mut();
                heard.answered_by = metadata.model_id.clone().or(heard.answered_by.take());
                return;
            }
            StreamPart::Finish { usage, .. } => self.heard.borrow_mut().usage = *usage,
            _ => {}
        }
        if self.stage.get() != Stage::Settled {
            self.stage.set(Stage::Answered);
        }
    }

    /// Does something with what decides on the price of its answer: with who gave it, of those that were asked.
    pub(super) fn priced<T>(&self, look: impl FnOnce(&PricedModel<'_>) -> T) -> T {
        let heard = self.heard.borrow();
        let found = heard.answerer.as_ref().map(|(provider, model_id)| {
            let is_answerer =
                |answerer: &&ModelIdentity| answerer.provider == *provider && answerer.model_id == *model_id;
            self.model_identities.iter().find(is_answerer).cloned().unwrap_or_else(|| ModelIdentity {
                provider: provider.clone(),
                model_id: model_id.clone(),
                ..ModelIdentity::default()
            })
        });
        // Nobody has answered yet: as the first that is asked.
        let answerer = found.or_else(|| self.model_identities.first().cloned()).unwrap_or_default();
        look(&PricedModel { answered_by: heard.answered_by.as_deref(), ..priced(&answerer, self.prices.as_deref()) })
    }
}

/// What decides on the price of a model that may answer a prompt of a file with these prices.
pub(super) fn priced<'a>(answerer: &'a ModelIdentity, file_prices: Option<&'a OwnPrices>) -> PricedModel<'a> {
    PricedModel {
        provider: &answerer.provider,
        model_id: &answerer.model_id,
        answered_by: None,
        base_url: answerer.base_url.as_deref(),
        is_local: answerer.is_local,
        file_prices,
    }
}

/// How long a request is, for an estimate of its tokens. What is no text has other prices and is left out.
pub(super) fn characters(messages: &[Rc<Message>]) -> u64 {
    let parts = messages.iter().flat_map(|message| message.content_parts());
    let length = |part: &ContentPart| match part {
        ContentPart::Text { text, .. } | ContentPart::Reasoning { text, .. } => text.as_str().chars().count(),
        ContentPart::ToolCall { input, .. } => input.value().to_string().len(),
        ContentPart::ToolResult { output, .. } => output.wire_text().len(),
        _ => 0,
    };
    parts.map(|part| length(part) as u64).sum()
}
