//! What a whole run has used, and its end at a limit (docs/reference.md, "Limits"): every request of every prompt is let in
//! here, watched and settled. The arithmetic is `cost`'s. Must not know what a prompt or a tool is.

use std::{
    cell::{Cell, RefCell},
    convert::Infallible,
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::Value;
use tokio::sync::Notify;

use super::{
    answer::Answer,
    permits::{Permit, Permits},
};
use crate::{
    chat::{ContentPart, Message, PromptMessages, StreamPart, Usage},
    cost::{Budget, Limits, OwnPrices, PRICES_VARIABLE, PricedModel, Prices, Reached, RequestId, near_model},
    diagnostic::Diagnostic,
    prompt::{RunError, RunLimits},
    provider::{Answerer, LanguageModel},
};

/// How long tools and agents have to come to an end by themselves once a limit is reached; their signals are aborted then.
pub(super) const GRACE: Duration = Duration::from_millis(250);

/// How long something is waited for that takes no time as a rule.
const MOMENT: Duration = Duration::from_millis(50);

/// The limits of one run and what it has used of them. Shared by all its prompts.
pub(crate) struct Meter {
    /// From the command line.
    typed: Limits,
    prices: RefCell<Prices>,
    budget: RefCell<Budget>,
    permits: Permits,
    began: Instant,
    ended: RefCell<Option<Rc<RunError>>>,
    /// A limit was set, or reached.
    change: Notify,
    /// The longest input of a request so far: what the next one is priced by where the length decides.
    longest_input: Cell<u64>,
}

impl Meter {
    /// Of a run that begins now, with what was typed and what the environment says.
    pub(crate) fn new(typed: Limits, own_prices: OwnPrices) -> Self {
        Meter {
            typed,
            prices: RefCell::new(Prices::new(own_prices)),
            budget: RefCell::new(Budget::new(typed)),
            permits: Permits::new(typed.parallel()),
            began: Instant::now(),
            ended: RefCell::default(),
            change: Notify::new(),
            longest_input: Cell::new(0),
        }
    }

    fn limits(&self) -> Limits {
        *self.budget.borrow().limits()
    }

    /// Lets a request in, when its turn has come.
    ///
    /// # Errors
    /// A limit is reached, or has been: the whole run ends. A limit on cost cannot be kept, for want of a price.
    pub(super) async fn admit(self: &Rc<Self>, model: &dyn LanguageModel) -> Result<Admission, RunError> {
        self.check()?;
        let permit = tokio::select! {
            biased;
            () = self.reached() => return Err(self.end()),
            permit = self.permits.acquire(model.is_scripted()) => permit,
        };
        self.counted().await;
        // Others have used something meanwhile.
        self.check()?;
        let answerers = model.answerers();
        let price = self.output_price(&answerers)?;
        let allowance = self.budget.borrow_mut().ask(price);
        let allowance = match allowance {
            Ok(allowance) => allowance,
            Err(reached) => {
                self.sent().await;
                return Err(self.stop(reached));
            }
        };
        Ok(Admission {
            meter: self.clone(),
            request: allowance.request,
            output_left: allowance.output_left,
            permit: RefCell::new(permit),
            answerers,
        })
    }

    /// Waits a moment for requests that were let in just before, such as those of other agents: they count as used, and the
    /// end of the run would keep them from going out.
    async fn sent(&self) {
        if self.budget.borrow().is_asking() {
            let _ = tokio::time::timeout(MOMENT, self.reached()).await;
        }
    }

    /// Waits a moment for the counts of answers that have called tools: who is asked now may well be an agent that is such a
    /// tool, and the counts come last.
    async fn counted(&self) {
        let known = async {
            while self.budget.borrow().is_about_to_know() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let _ = tokio::time::timeout(MOMENT, known).await;
    }

    /// The price of a token of the answer: the highest, where several models may give it.
    fn output_price(&self, answerers: &[Answerer]) -> Result<f64, RunError> {
        if self.limits().cost.is_none() {
            return Ok(0.0);
        }
        let prices = self.prices.borrow();
        let mut highest = 0.0_f64;
        for answerer in answerers {
            match prices.of_output_token(&priced(answerer), self.longest_input.get()) {
                Some(price) => highest = highest.max(price),
                None => return Err(self.refuse(unknown_price(answerer))),
            }
        }
        Ok(highest)
    }

    fn check(&self) -> Result<(), RunError> {
        if self.deadline().is_some_and(|deadline| Instant::now() >= deadline) {
            let limit = self.limits().time.unwrap_or_default();
            let reached = self.budget.borrow().time_is_up(limit);
            self.stop(reached);
        }
        match &*self.ended.borrow() {
            Some(error) => Err((**error).clone()),
            None => Ok(()),
        }
    }

    /// Why the run ended; only to be asked when it has.
    pub(super) fn end(&self) -> RunError {
        self.ended.borrow().as_deref().cloned().unwrap_or(RunError::Aborted)
    }

    /// Ends the whole run at a limit. Of several the first counts.
    fn stop(&self, Reached { message, .. }: Reached) -> RunError {
        self.refuse(RunError::Limit { message })
    }

    fn refuse(&self, error: RunError) -> RunError {
        self.ended.borrow_mut().get_or_insert_with(|| Rc::new(error));
        self.change.notify_waiters();
        self.end()
    }

    /// Ends the run when its time is over; never resolves.
    pub(super) async fn watch_clock(&self) {
        loop {
            let changed = self.change.notified();
            match self.deadline().filter(|_| self.ended.borrow().is_none()) {
                None => changed.await,
                Some(deadline) => tokio::select! {
                    () = changed => {}
                    () = tokio::time::sleep_until(deadline.into()) => {
                        let _ = self.check();
                    }
                },
            }
        }
    }
}

impl RunLimits for Meter {
    fn configure(&self, limits: &Value, prices: &Value) -> Result<Vec<String>, RunError> {
        let usage = |message: String| RunError::Usage(Box::new(Diagnostic::new(message)));
        let (limits, unknown) = Limits::from_json(limits).map_err(|error| usage(error.to_string()))?;
        let limits = self.typed.and(limits);
        if !prices.is_null() {
            let own = OwnPrices::from_json("config.prices", prices).map_err(|error| usage(error.to_string()))?;
            let mut prices = self.prices.borrow_mut();
            let own = own.over(prices.own().clone());
            prices.set_own(own);
        }
        self.permits.set(limits.parallel());
        self.budget.borrow_mut().set_limits(limits);
        self.change.notify_waiters();
        Ok(unknown)
    }

    fn add_prices(&self, prices: &Value) -> Result<(), String> {
        let others = OwnPrices::from_json("config.prices", prices).map_err(|error| error.to_string())?;
        let mut prices = self.prices.borrow_mut();
        let own = prices.own().clone().over(others);
        prices.set_own(own);
        Ok(())
    }

    fn may_end(&self) -> bool {
        let Limits { steps, tokens, cost, time, .. } = self.limits();
        steps.is_some() || tokens.is_some() || cost.is_some() || time.is_some()
    }

    fn deadline(&self) -> Option<Instant> {
        self.began.checked_add(self.limits().time?)
    }

    fn ended(&self) -> Option<Rc<RunError>> {
        // A script that did not let the clock be looked at may be over as well.
        let _ = self.check();
        self.ended.borrow().clone()
    }

    fn reached(&self) -> LocalBoxFuture<'_, ()> {
        async {
            loop {
                // Made before looking, so that nothing in between is missed.
                let changed = self.change.notified();
                if self.ended.borrow().is_some() {
                    return;
                }
                changed.await;
            }
        }
        .boxed_local()
    }
}

/// A request that was let in. What it used is entered when it is settled or dropped.
pub(super) struct Admission {
    meter: Rc<Meter>,
    request: RequestId,
    /// How many tokens the answer may have.
    pub(super) output_left: Option<u64>,
    /// Held while the model answers, not while tools do.
    permit: RefCell<Option<Permit>>,
    answerers: Vec<Answerer>,
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

    /// Takes note of a piece of the answer.
    ///
    /// # Errors
    /// A limit is passed, in all likelihood: the whole run ends.
    pub(super) fn heard(&self, part: &StreamPart) -> Result<(), RunError> {
        let text = match part {
            StreamPart::TextDelta { delta, .. }
            | StreamPart::ReasoningDelta { delta, .. }
            | StreamPart::ToolInputDelta { delta, .. } => delta,
            StreamPart::ToolCall { .. } => {
                self.meter.budget.borrow_mut().ends(self.request);
                return Ok(());
            }
            _ => return Ok(()),
        };
        let heard = self.meter.budget.borrow_mut().heard(self.request, text);
        heard.map_err(|reached| self.meter.stop(reached))
    }

    /// Ends the run when the answer has used up what was left and its tools do not come to an end at once: what they would
    /// be reported with is a request that is refused. Never resolves.
    pub(super) async fn end_when_used_up(&self) -> Infallible {
        let Limits { tokens, cost, .. } = self.meter.limits();
        if tokens.is_some() || cost.is_some() {
            tokio::time::sleep(MOMENT).await;
            let used_up = self.meter.budget.borrow().used_up();
            if let Some(reached) = used_up {
                self.meter.stop(reached);
            }
        }
        std::future::pending().await
    }

    /// Lets the next request take its turn: the model has nothing more to say, or what it says is not read for now.
    pub(super) fn make_way(&self) {
        self.permit.take();
    }

    /// What an answer that is broken off has used and cost so far, by its text; `None` before there is any.
    pub(super) fn estimate(&self, answer: &Answer) -> Option<(Usage, Option<f64>)> {
        let output = Some(self.meter.budget.borrow().heard_tokens(self.request)).filter(|tokens| *tokens > 0)?;
        let cost = self.meter.prices.borrow().cost(&priced(&self.answerer(answer)), &Usage::new(Some(0), Some(output)));
        Some((Usage::new(None, Some(output)), cost))
    }

    /// Who gave the answer, of those that were asked.
    fn answerer(&self, answer: &Answer) -> Answerer {
        let is_answerer =
            |answerer: &&Answerer| answerer.provider == answer.provider && answerer.model_id == answer.model_id;
        self.answerers.iter().find(is_answerer).cloned().unwrap_or_else(|| Answerer {
            provider: answer.provider.clone(),
            model_id: answer.model_id.clone(),
            ..Answerer::default()
        })
    }

    /// Enters what the request used and says what that cost, if it is known.
    pub(super) fn settle(&self, answer: &Answer, asked: &PromptMessages) -> Option<f64> {
        let answerer = self.answerer(answer);
        let model = PricedModel { answered_by: answer.response.model_id.as_deref(), ..priced(&answerer) };
        let Meter { prices, budget, longest_input, .. } = &*self.meter;
        let prices = prices.borrow();
        longest_input.set(longest_input.get().max(answer.usage.input_tokens.unwrap_or(0)));
        let asked = if answer.usage.input_tokens.is_none() { characters(&asked.to_vec()) } else { 0 };
        budget.borrow_mut().settle(self.request, &answer.usage, asked, |usage| prices.cost(&model, usage));
        prices.cost(&model, &answer.usage)
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        // Does nothing where it was settled. Of an answer that broke off, what was heard is counted.
        let nothing = Usage::new(Some(0), None);
        self.meter.budget.borrow_mut().settle(self.request, &nothing, 0, |_| None);
    }
}

fn priced(answerer: &Answerer) -> PricedModel<'_> {
    PricedModel {
        provider: &answerer.provider,
        model_id: &answerer.model_id,
        answered_by: None,
        base_url: answerer.base_url.as_deref(),
        is_local: answerer.is_local,
    }
}

fn unknown_price(answerer: &Answerer) -> RunError {
    let name = format!("{}:{}", answerer.provider, answerer.model_id);
    let message =
        format!("The price of {name} is not known, so a limit on cost (--max-cost, config.limits.cost) cannot be kept");
    let entry = serde_json::json!({ name: { "input": 1, "output": 4 } });
    let meant = near_model(&answerer.provider, &answerer.model_id, &jiff::Timestamp::now().strftime("%F").to_string());
    let meant = meant.map(|id| format!("Did you mean {}:{id}? ", answerer.provider)).unwrap_or_default();
    let hint = format!(
        "{meant}Say what it costs in US dollars per million tokens, in config.prices or in {PRICES_VARIABLE}, such as {entry}."
    );
    RunError::Usage(Box::new(Diagnostic::new(message).with_hint(hint)))
}

/// How long a request is, for an estimate of its tokens. What is no text has other prices and is left out.
fn characters(messages: &[Rc<Message>]) -> u64 {
    let parts = messages.iter().flat_map(|message| message.content_parts());
    let length = |part: &ContentPart| match part {
        ContentPart::Text { text, .. } | ContentPart::Reasoning { text, .. } => text.as_str().chars().count(),
        ContentPart::ToolCall { input, .. } => input.value().to_string().len(),
        ContentPart::ToolResult { output, .. } => output.wire_text().len(),
        _ => 0,
    };
    parts.map(|part| length(part) as u64).sum()
}
