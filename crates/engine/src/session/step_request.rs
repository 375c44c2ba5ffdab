//! The requests of one step: the first, and those that continue a paused answer
//! (docs/reference/provider-tools.md#paused-turns).

use std::{cell::RefCell, rc::Rc};

use super::{
    admission::{Admission, RequestContext, admit},
    answer::Answer,
    meter::Meter,
    run_log::RunLog,
};
use crate::prompt::{PromptHost, RunError, RunSettings, StepPlan};
use lmthing_base::{
    cache::{CacheConversation, CacheRules, SentPrompt, request_length},
    chat::{CallSettings, Message, ModelRequest, RequestPlace, ToolSpec},
    cost::BatchedRequest,
};
use lmthing_providers::{LanguageModel, model_label};

#[derive(Clone, Copy)]
pub(super) struct StepRequest<'a> {
    pub(super) number: usize,
    pub(super) plan: &'a StepPlan,
    pub(super) active_tools: &'a Rc<[String]>,
    /// The tools in the request, if the model or the journal reads them.
    pub(super) tools: Option<&'a Rc<[ToolSpec]>>,
    pub(super) settings: &'a RunSettings,
    pub(super) model: &'a dyn LanguageModel,
    pub(super) meter: &'a Rc<Meter>,
    pub(super) log: RunLog<'a>,
    pub(super) cache: &'a RefCell<CacheConversation>,
}

/// A paused answer.
pub(super) struct PausedTurn {
    pub(super) message: Rc<Message>,
    /// The provider and id of its model.
    pub(super) model: (String, String),
}

impl StepRequest<'_> {
    /// Waits until the request may be sent. It ends with the `paused` turn, if it continues one.
    pub(super) async fn admit(self, host: &dyn PromptHost, paused: Option<&PausedTurn>) -> Result<Admission, RunError> {
        let StepRequest { plan, model, tools, .. } = self;
        let with_turn = paused.map(|turn| plan.messages.followed_by(turn.message.clone()));
        let messages = with_turn.as_ref().unwrap_or(&plan.messages);
        let (scope, standing) = (host.record().scope(), host.standing());
        let tools = tools.map_or(&[][..], |tools| tools);
        let (continues_step, tier) = (paused.is_some(), self.settings.call.tier);
        let (batches, key) = (self.meter.batches.as_ref(), scope.agent().key());
        let stage = batches.and_then(|batches| batches.stage_of(key, self.number));
        let (step, max_output) = (self.number, self.settings.call.max_output_tokens);
        let context = RequestContext {
            model,
            scope,
            standing,
            messages,
            tools,
            continues_step,
            batched: stage.map(|stage| BatchedRequest { step, max_output, stage }),
            tier,
        };
        admit(self.meter, context).await
    }

    /// Compares an answered request with the one before it, as the prompt cache of its model does.
    pub(super) fn compare(self, admission: &Admission, answer: &Answer, rules: &CacheRules) {
        let usage = admission.usage();
        let sent = SentPrompt {
            model: model_label(&answer.provider, &answer.model_id).into(),
            messages: self.plan.messages.clone(),
            tools: self.tools.cloned(),
            active_tools: self.active_tools.clone(),
            settings: self.settings.call.clone(),
            input_tokens: request_length(answer.content(), &usage),
        };
        self.cache.borrow_mut().add(sent, &usage, rules, |usage| admission.cost(usage));
    }

    pub(super) fn build(
        self,
        host: &dyn PromptHost,
        admission: &Admission,
        paused: Option<PausedTurn>,
    ) -> ModelRequest {
        // A model that reads no requests gets none.
        let Some(tools) = self.tools.filter(|_| self.model.reads_request()) else { return ModelRequest::default() };
        let mut messages = self.plan.messages.to_vec();
        let (output_left, is_unwatched) = (admission.output_left, self.meter.batches.is_some());
        let mut settings = CallSettings { output_left, is_unwatched, ..(*self.settings.call).clone() };
        if let Some(PausedTurn { message, model }) = paused {
            messages.push(message);
            settings.continued_model = Some(model);
        }
        let key = host.record().scope().agent().key().to_owned();
        let place = RequestPlace { key, step: self.number, number: 0 };
        ModelRequest { messages, tools: tools.to_vec(), settings, place }
    }
}
