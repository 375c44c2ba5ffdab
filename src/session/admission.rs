//! Letting a request in, and what is done with it until it is settled: its turn, its limits, what its answer says
//! (docs/reference.md, "Limits"). Must not know how a run ends, nor what a prompt is.

use std::{cell::RefCell, convert::Infallible, rc::Rc, time::Duration};

use super::{
    meter::Meter,
    permits::Permit,
    request::{Request, Stage, characters},
};
use crate::{
    chat::{PromptMessages, StreamPart},
    event::AgentScope,
    prompt::{RunError, RunLimits, Standing},
    provider::LanguageModel,
};

/// How long something is waited for that takes no time as a rule.
const MOMENT: Duration = Duration::from_millis(50);

/// Who asks, and what.
pub(super) struct Asker<'a> {
    pub(super) model: &'a dyn LanguageModel,
    /// Of the prompt.
    pub(super) scope: &'a AgentScope,
    pub(super) standing: Standing,
    pub(super) messages: &'a PromptMessages,
}

/// Lets a request in, when its turn has come.
///
/// # Errors
/// A limit is reached, or has been: the whole run ends. A limit on cost cannot be kept, for want of a price.
pub(super) async fn admit(meter: &Rc<Meter>, asker: Asker<'_>) -> Result<Admission, RunError> {
    meter.check()?;
    let permit = tokio::select! {
        biased;
        () = meter.reached() => return Err(meter.end()),
        permit = meter.turn(asker.standing.is_within_answer) => permit,
    };
    counted(meter).await;
    // Others have used something meanwhile.
    meter.check()?;
    let asked = match asker.model.reads_request() && meter.counts() {
        true => characters(&asker.messages.to_vec()),
        false => 0,
    };
    let prices = asker.standing.prices.and_then(|list| meter.file_prices(list));
    let model_identities = asker.model.model_identities();
    let estimate = meter.estimate(asked, &model_identities, prices.as_deref())?;
    let allowance = match meter.ask(estimate) {
        Ok(allowance) => allowance,
        Err(reached) => {
            sent(meter).await;
            return Err(meter.stop(reached));
        }
    };
    let request = Request {
        id: allowance.request,
        scope: asker.scope.clone(),
        asked: asker.messages.clone(),
        model_identities,
        prices,
        stage: Stage::LetIn.into(),
        heard: RefCell::default(),
    };
    Ok(Admission {
        meter: meter.clone(),
        request: meter.let_in(request),
        output_left: allowance.output_left,
        permit: RefCell::new(permit),
    })
}

/// Waits a moment for requests that were let in just before, such as those of other agents: they count as used, and the
/// end of the run would keep them from going out.
async fn sent(meter: &Meter) {
    if meter.is_asking() {
        let _ = tokio::time::timeout(MOMENT, meter.reached()).await;
    }
}

/// Waits a moment for the counts of answers that have called tools: who is asked now may well be an agent that is such a
/// tool, and the counts come last.
async fn counted(meter: &Meter) {
    let known = async {
        while meter.is_about_to_know() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let _ = tokio::time::timeout(MOMENT, known).await;
}

/// A request that was let in. What it used is entered when it is settled or dropped.
pub(super) struct Admission {
    meter: Rc<Meter>,
    request: Rc<Request>,
    /// How many tokens the answer may have.
    pub(super) output_left: Option<u64>,
    /// Held while the model answers, not while tools do.
    permit: RefCell<Option<Permit>>,
}

impl Admission {
    /// Resolves when the whole run has to end.
    pub(super) async fn reached(&self) {
        if self.meter.may_end() {
            self.meter.reached().await;
        } else {
            std::future::pending().await
        }
    }

    /// Why it has to.
    pub(super) fn end(&self) -> RunError {
        self.meter.end()
    }

    /// Takes note that the request goes out.
    pub(super) fn goes_out(&self) {
        self.request.stage.set(Stage::Sent);
    }

    /// Takes note of who answers.
    pub(super) fn answered_by(&self, provider: &str, model_id: &str) {
        self.request.heard.borrow_mut().answerer = Some((provider.to_owned(), model_id.to_owned()));
    }

    /// Takes note that the request failed.
    pub(super) fn failed(&self) {
        if self.request.stage.get() == Stage::Sent {
            self.request.stage.set(Stage::Refused);
        }
    }

    /// Takes note of a piece of the answer.
    ///
    /// # Errors
    /// A limit is passed, in all likelihood: the whole run ends.
    pub(super) fn heard(&self, part: &StreamPart) -> Result<(), RunError> {
        self.request.take(part);
        match part {
            StreamPart::TextDelta { delta, .. }
            | StreamPart::ReasoningDelta { delta, .. }
            | StreamPart::ToolInputDelta { delta, .. } => self.meter.heard(&self.request, delta),
            StreamPart::ToolCall { .. } => {
                self.meter.answer_ends(&self.request);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ends the run when the answer has used up what was left and its tools do not come to an end at once: what they would
    /// be reported with is a request that is refused. Never resolves.
    pub(super) async fn end_when_used_up(&self) -> Infallible {
        if self.meter.counts() {
            tokio::time::sleep(MOMENT).await;
            self.meter.stop_when_used_up();
        }
        std::future::pending().await
    }

    /// Lets the next request take its turn: the model has nothing more to say, or what it says is not read for now.
    pub(super) fn make_way(&self) {
        self.permit.take();
    }

    /// Enters what the request used, and tells it with what that cost.
    ///
    /// Returns that cost in US dollars, if it is known.
    pub(super) fn settle(&self) -> Option<f64> {
        self.meter.settle(&self.request)
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.meter.give_up(&self.request);
    }
}
