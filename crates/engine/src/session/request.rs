//! An admitted request and its use of the limits.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use lmthing_base::{
    chat::{ContentPart, Message, PromptMessages, StreamPart, Usage},
    cost::{OwnPrices, PricedModel, RequestId},
    event::{AgentScope, EventKind},
};
use lmthing_providers::{ModelIdentity, ModelResponse};

/// Tracked by the meter until it is settled, because at the end of the process it is not dropped.
pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) scope: AgentScope,
    pub(super) messages: PromptMessages,
    pub(super) model_identities: Vec<ModelIdentity>,
    /// The prices of the file that makes the request, if it is not the file that the program was started with.
    pub(super) prices: Option<Rc<OwnPrices>>,
    /// Whether it waits for a batch, and nothing is used until that has answered.
    pub(super) awaits_batch: bool,
    pub(super) stage: Cell<Stage>,
    pub(super) answer: RefCell<AnswerInfo>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Admitted,
    Sent,
    /// Failed before any answer, so without cost.
    Refused,
    /// Part of an answer has arrived, which has a cost.
    Answered,
    Settled,
}

#[derive(Debug, Default)]
pub(super) struct AnswerInfo {
    pub(super) answerer: Option<ModelIdentity>,
    /// The server that was asked, until another one answers.
    pub(super) server: Option<Rc<str>>,
    answered_by: Option<String>,
    tier: Option<String>,
    pub(super) usage: Usage,
}

impl AnswerInfo {
    pub(super) fn of_server(server: Option<String>) -> Self {
        AnswerInfo { server: server.map(Into::into), ..AnswerInfo::default() }
    }
}

impl Request {
    pub(super) fn add_part(&self, part: &StreamPart) {
        match part {
            // Generated locally, or sent by a server before it refuses.
            StreamPart::StreamStart { .. } | StreamPart::Error { .. } => return,
            StreamPart::ResponseMetadata(metadata) => {
                let mut answer = self.answer.borrow_mut();
                answer.answered_by = metadata.model_id.clone().or(answer.answered_by.take());
                answer.tier = metadata.service_tier.clone().or(answer.tier.take());
                return;
            }
            StreamPart::Finish { usage, .. } => self.answer.borrow_mut().usage = *usage,
            _ => {}
        }
        if self.stage.get() != Stage::Settled {
            self.stage.set(Stage::Answered);
        }
    }

    pub(super) fn emit_finish(&self, usage: Usage, cost: Option<f64>) {
        let answer = self.answer.borrow();
        let (server, is_estimated) = (answer.server.clone(), answer.usage != usage);
        drop(answer);
        self.scope.emit(&EventKind::AnswerFinish { usage, is_estimated, cost, server });
    }

    /// The one of the models that may answer that has answered.
    pub(super) fn identity(&self, response: &ModelResponse<'_>) -> ModelIdentity {
        let (provider, model_id) = (response.provider, response.model_id);
        let answers = |model: &&ModelIdentity| model.provider == provider && model.model_id == model_id;
        let (provider, model_id) = (provider.to_owned(), model_id.to_owned());
        let unknown = || ModelIdentity { provider, model_id, ..ModelIdentity::default() };
        self.model_identities.iter().find(answers).cloned().unwrap_or_else(unknown)
    }

    pub(super) fn priced<T>(&self, read: impl FnOnce(&PricedModel<'_>) -> T) -> T {
        let answer = self.answer.borrow();
        // No answer yet: priced as the first candidate.
        let answerer = answer.answerer.as_ref().or_else(|| self.model_identities.first()).cloned().unwrap_or_default();
        let (answered_by, tier) = (answer.answered_by.as_deref(), answer.tier.as_deref());
        read(&PricedModel { answered_by, tier, ..priced(&answerer, self.prices.as_deref()) })
    }
}

pub(super) fn priced<'a>(answerer: &'a ModelIdentity, file_prices: Option<&'a OwnPrices>) -> PricedModel<'a> {
    PricedModel {
        provider: &answerer.provider,
        model_id: &answerer.model_id,
        answered_by: None,
        tier: None,
        base_url: answerer.base_url.as_deref(),
        is_local: answerer.is_local,
        file_prices,
    }
}

/// The length of a request, to estimate its tokens. Parts other than text are priced differently and left out.
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
