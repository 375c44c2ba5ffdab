//! Admits requests to models and accounts for their answers (docs/reference/limits.md).

use std::{cell::RefCell, convert::Infallible, rc::Rc, time::Duration};

use super::{
    meter::Meter,
    permits::Permit,
    request::{AnswerInfo, Request, Stage, characters},
};
use crate::prompt::{RunError, RunLimits, Standing};
use lmthing_base::{
    chat::{ModelRequest, PromptMessages, StreamPart, Tier, ToolSpec, Usage},
    cost::{BatchStage, BatchedRequest, Estimate},
    event::AgentScope,
};
use lmthing_providers::{LanguageModel, ModelResponse};

/// A short wait for something that usually has happened already.
const MOMENT: Duration = Duration::from_millis(50);

pub(super) struct RequestContext<'a> {
    pub(super) model: &'a dyn LanguageModel,
    pub(super) scope: &'a AgentScope,
    pub(super) standing: Standing,
    pub(super) messages: &'a PromptMessages,
    pub(super) tools: &'a [ToolSpec],
    /// Whether the request goes on with a paused answer.
    pub(super) continues_step: bool,
    /// Set if it goes, or went, into a batch, at its price.
    pub(super) batched: Option<BatchedRequest>,
    pub(super) tier: Option<Tier>,
}

pub(super) async fn admit(meter: &Rc<Meter>, context: RequestContext<'_>) -> Result<Admission, RunError> {
    meter.check_open()?;
    let permit = tokio::select! {
        biased;
        () = meter.reached() => return Err(meter.end()),
        permit = meter.acquire_permit(context.standing.is_within_answer) => permit,
    };
    wait_for_counts(meter).await;
    // Other requests may have used up the limit meanwhile.
    meter.check_open()?;
    let length = match context.model.reads_request() && meter.limits_use() {
        true => characters(&context.messages.to_vec()),
        false => 0,
    };
    let prices = context.standing.prices.and_then(|list| meter.file_prices(list));
    let model_identities = context.model.model_identities();
    meter.check_searches(context.model, context.tools, prices.as_deref())?;
    let estimate =
        meter.estimate((length, context.batched.is_some()), &model_identities, prices.as_deref(), context.tier)?;
    let RequestContext { continues_step, batched, .. } = context;
    let estimate = Estimate { continues_step, batched, ..estimate };
    let allowance = match meter.reserve(estimate) {
        Ok(allowance) => allowance,
        Err(reached) => {
            wait_until_sent(meter).await;
            return Err(meter.stop(reached));
        }
    };
    let request = Request {
        id: allowance.request,
        scope: context.scope.clone(),
        messages: context.messages.clone(),
        model_identities,
        prices,
        awaits_batch: batched.is_some_and(|batched| batched.stage != BatchStage::Answered),
        stage: Stage::Admitted.into(),
        answer: AnswerInfo::of_server(context.model.server()).into(),
    };
    Ok(Admission {
        meter: meter.clone(),
        request: meter.track(request),
        output_left: allowance.output_left,
        permit: RefCell::new(permit),
    })
}

/// Gives requests admitted just before, such as those of other agents, time to be sent. The end of the run would stop
/// them although they count as used.
async fn wait_until_sent(meter: &Meter) {
    if meter.ends_at_limits() && meter.has_unanswered() {
        let _ = tokio::time::timeout(MOMENT, meter.reached()).await;
    }
}

/// Waits briefly for the token counts of answers that have called tools: the counts arrive last, and this request may
/// come from an agent that is such a tool.
async fn wait_for_counts(meter: &Meter) {
    let known = async {
        while meter.expects_counts() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let _ = tokio::time::timeout(MOMENT, known).await;
}

pub(super) struct Admission {
    meter: Rc<Meter>,
    request: Rc<Request>,
    pub(super) output_left: Option<u64>,
    /// Held while the model answers, but not while tools run.
    permit: RefCell<Option<Permit>>,
}

impl Admission {
    pub(super) async fn reached(&self) {
        if self.meter.may_end() {
            self.meter.reached().await;
        } else {
            std::future::pending().await
        }
    }

    pub(super) fn end(&self) -> RunError {
        self.meter.end()
    }

    pub(super) async fn send<'a>(
        &self,
        model: &'a dyn LanguageModel,
        request: ModelRequest,
    ) -> Result<ModelResponse<'a>, RunError> {
        self.request.stage.set(Stage::Sent);
        let answering = tokio::select! {
            biased;
            () = self.reached() => return Err(self.end()),
            answering = model.answer(request) => answering.inspect_err(|_| self.mark_failed())?,
        };
        self.set_answerer(&answering);
        Ok(answering)
    }

    fn set_answerer(&self, response: &ModelResponse<'_>) {
        let mut answer = self.request.answer.borrow_mut();
        answer.answerer = Some(response.identity.clone().unwrap_or_else(|| self.request.identity(response)));
        answer.server = response.server.as_deref().map(Into::into);
    }

    pub(super) fn mark_failed(&self) {
        if self.request.stage.get() == Stage::Sent {
            self.request.stage.set(Stage::Refused);
        }
    }

    pub(super) fn add_part(&self, part: &StreamPart) -> Result<(), RunError> {
        self.request.add_part(part);
        match part {
            StreamPart::TextDelta { delta, .. }
            | StreamPart::ReasoningDelta { delta, .. }
            | StreamPart::ToolInputDelta { delta, .. } => self.meter.count_text(&self.request, delta),
            StreamPart::ToolCall { provider_executed: false, .. } => {
                self.meter.mark_ending(&self.request);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ends the run if the answer has used up the limit and its tools take longer: the request with their results
    /// would be refused. Never resolves.
    pub(super) async fn end_when_used_up(&self) -> Infallible {
        if self.meter.limits_use() {
            tokio::time::sleep(MOMENT).await;
            self.meter.stop_when_used_up();
        }
        std::future::pending().await
    }

    /// Releases the permit: the model has ended its answer, or reading it has stopped.
    pub(super) fn release_permit(&self) {
        self.permit.take();
    }

    /// Records the use of the request and emits it. Returns the cost in US dollars, if it is known.
    pub(super) fn settle(&self) -> Option<f64> {
        self.meter.settle(&self.request)
    }

    /// Records the use of an answer that was cut short, estimated if the provider has not reported it, and emits it.
    /// Returns it with the cost in US dollars; a request that was not sent has used nothing.
    pub(super) fn settle_early(&self) -> (Usage, Option<f64>) {
        self.release_permit();
        self.meter.release(&self.request).unwrap_or((Usage::default(), Some(0.0)))
    }

    /// The usage that the provider has reported.
    pub(super) fn usage(&self) -> Usage {
        self.request.answer.borrow().usage
    }

    /// What the answer would cost in US dollars with this usage.
    pub(super) fn cost(&self, usage: &Usage) -> Option<f64> {
        self.meter.cost(&self.request, usage)
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.meter.release(&self.request);
    }
}
