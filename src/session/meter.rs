//! What a whole run has used, and its end at a limit (docs/reference.md, "Limits"): every request of every prompt is let in
//! here, watched and settled. The arithmetic is `cost`'s. Must not know what a prompt or a tool is.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::Value;
use tokio::sync::Notify;

use super::{
    clock::RunClock,
    overall::{Overall, Share},
    permits::{Permit, Permits},
    price_book::PriceBook,
    request::{Request, Stage, characters},
};
use crate::{
    chat::Usage,
    cost::{Allowance, Budget, Estimate, LimitReached, Limits, OwnPrices, RequestId, RunUsage, tokens_of},
    diagnostic::Diagnostic,
    event::EventKind,
    prompt::{PriceList, RunError, RunLimits},
    provider::ModelIdentity,
};

/// How long tools and agents have to come to an end by themselves once a limit is reached; their signals are aborted then.
pub(super) const GRACE: Duration = Duration::from_millis(250);

/// The limits of one run and what it has used of them. Shared by all its prompts.
pub(crate) struct Meter {
    prices: PriceBook,
    /// The budget too: the time of a run is watched from other threads.
    clock: RunClock,
    /// Of the runs that this one is one of.
    share: Option<Share>,
    permits: Permits,
    /// Requests that are not settled.
    open: RefCell<BTreeMap<RequestId, Rc<Request>>>,
    ended: RefCell<Option<Rc<RunError>>>,
    /// Whether the run can be cancelled from outside.
    is_cancellable: bool,
    /// A limit was set, or reached.
    change: Notify,
}

impl Meter {
    /// Of a run that begins now, with what was typed and what the environment says.
    pub(crate) fn new(typed: Limits, own_prices: OwnPrices) -> Self {
        Meter::after(RunUsage::default(), typed, own_prices)
    }

    /// Of a run that goes on: so much was used before. What was typed limits what is used from now on.
    pub(crate) fn after(before: RunUsage, typed: Limits, own_prices: OwnPrices) -> Self {
        Meter {
            prices: PriceBook::new(own_prices),
            clock: RunClock::new(Budget::after(before, typed)),
            share: None,
            permits: Permits::new(typed.parallel()),
            open: RefCell::default(),
            ended: RefCell::default(),
            is_cancellable: false,
            change: Notify::new(),
        }
    }

    /// The same, of a run that can be cancelled from outside ([`RunLimits::fail`]): its tools have a signal then.
    #[cfg(feature = "worker")]
    pub(crate) fn cancellable(self) -> Self {
        Meter { is_cancellable: true, ..self }
    }

    /// Of one of several runs, whose limits hold for all of them together.
    pub(crate) fn within(overall: &Arc<Overall>, own_prices: OwnPrices) -> Self {
        let typed = Limits { time: overall.time_left(), ..Limits::default() };
        Meter { share: Some(Share::new(overall.clone())), ..Meter::new(typed, own_prices) }
    }

    fn limits(&self) -> Limits {
        let own = *self.clock.budget().limits();
        self.share.as_ref().map_or(own, |share| own.and(share.limits()))
    }

    /// Waits for the turn of a request; without a permit it is one that nobody has to wait for. `at_once` says that it has to
    /// go out while the answer is made that it belongs to.
    pub(super) async fn turn(&self, at_once: bool) -> Option<Permit> {
        if at_once { None } else { self.permits.acquire().await }
    }

    /// Whether what requests use is limited.
    pub(super) fn counts(&self) -> bool {
        let Limits { tokens, cost, .. } = self.limits();
        tokens.is_some() || cost.is_some()
    }

    /// The prices of a file that is run from code.
    pub(super) fn file_prices(&self, list: PriceList) -> Option<Rc<OwnPrices>> {
        self.prices.of_file(list)
    }

    /// What a request of so many characters takes, and a token of its answer costs: the highest, where several models may
    /// give it.
    ///
    /// # Errors
    /// Cost is limited, and a price is not known.
    pub(super) fn estimate(
        &self,
        asked: u64,
        model_identities: &[ModelIdentity],
        file_prices: Option<&OwnPrices>,
    ) -> Result<Estimate, RunError> {
        if self.limits().cost.is_none() {
            return Ok(Estimate { input_tokens: tokens_of(asked), ..Estimate::default() });
        }
        self.prices
            .estimate(asked, model_identities, file_prices)
            .map_err(|problem| self.refuse(RunError::Usage(problem)))
    }

    /// Asks for a request.
    ///
    /// # Errors
    /// The limit that it would pass.
    pub(super) fn ask(&self, estimate: Estimate) -> Result<Allowance, LimitReached> {
        let allowance = self.clock.budget().ask(estimate)?;
        let Some(share) = &self.share else { return Ok(allowance) };
        match share.ask(allowance.request, estimate) {
            Ok(left) => Ok(Allowance { output_left: left.into_iter().chain(allowance.output_left).min(), ..allowance }),
            Err(reached) => {
                self.clock.budget().release(allowance.request);
                Err(reached)
            }
        }
    }

    /// Keeps a request that may go out until it is settled or given up.
    pub(super) fn let_in(&self, request: Request) -> Rc<Request> {
        let request = Rc::new(request);
        self.open.borrow_mut().insert(request.id, request.clone());
        request
    }

    /// Whether there are requests of whose answers nothing has been heard.
    pub(super) fn is_asking(&self) -> bool {
        self.clock.budget().has_unanswered_requests()
    }

    /// Whether more will be known in a moment of what was used.
    pub(super) fn is_about_to_know(&self) -> bool {
        self.clock.budget().expects_usage_soon()
    }

    /// Counts text of an answer.
    ///
    /// # Errors
    /// A limit is passed, in all likelihood: the whole run ends.
    pub(super) fn heard(&self, request: &Request, text: &str) -> Result<(), RunError> {
        let heard = self.clock.budget().add_output(request.id, text);
        let of_all = || self.share.as_ref().map_or(Ok(()), |share| share.heard(request.id, text));
        heard.and_then(|()| of_all()).map_err(|reached| self.stop(reached))
    }

    /// Notes that an answer has come to its tool calls, with which answers end.
    pub(super) fn answer_ends(&self, request: &Request) {
        self.clock.budget().mark_ending(request.id);
    }

    /// Ends the run when a limit leaves nothing to answer with.
    pub(super) fn stop_when_used_up(&self) {
        let used_up = self.clock.budget().blocking_limit();
        let used_up = used_up.or_else(|| self.share.as_ref()?.used_up());
        if let Some(reached) = used_up {
            self.stop(reached);
        }
    }

    /// Enters what a request with a whole answer used, and tells it with what that cost: by the provider's counts.
    ///
    /// Returns that cost in US dollars, if it is known.
    pub(super) fn settle(&self, request: &Request) -> Option<f64> {
        let usage = request.heard.borrow().usage;
        self.enter(request);
        let cost = request.priced(|model| self.prices.cost(model, &usage));
        request.scope.emit(&EventKind::AnswerFinish { usage, cost });
        cost
    }

    /// Enters what a request used whose answer broke off, estimated where the provider had not told it by then; nothing of one
    /// that never went out, or that failed before anything came. Does nothing where it was entered before.
    pub(super) fn give_up(&self, request: &Request) {
        match request.stage.get() {
            Stage::Settled => {}
            Stage::LetIn | Stage::Refused => {
                request.stage.set(Stage::Settled);
                self.open.borrow_mut().remove(&request.id);
                self.clock.budget().release(request.id);
                self.share.iter().for_each(|share| share.release(request.id));
            }
            Stage::Sent | Stage::Answered => {
                let Some(usage) = self.enter(request) else { return };
                let cost = request.priced(|model| self.prices.cost(model, &usage));
                request.scope.emit(&EventKind::AnswerFinish { usage, cost });
            }
        }
    }

    /// The clock of the run, for threads that have to know when it is late.
    pub(crate) fn clock(&self) -> &RunClock {
        &self.clock
    }

    /// Gives up all requests under way: the run is over.
    pub(crate) fn close(&self) {
        self.clock.finish();
        let open: Vec<_> = self.open.borrow().values().cloned().collect();
        open.iter().for_each(|request| self.give_up(request));
    }

    /// Enters what a request used in the budget; gives the counts, with estimates where there are none.
    fn enter(&self, request: &Request) -> Option<Usage> {
        request.stage.set(Stage::Settled);
        self.open.borrow_mut().remove(&request.id);
        let usage = request.heard.borrow().usage;
        self.prices.heard(&usage);
        let asked = if usage.input_tokens.is_none() { characters(&request.asked.to_vec()) } else { 0 };
        request.priced(|model| {
            let cost = |usage: &Usage| self.prices.cost(model, usage);
            self.share.iter().for_each(|share| share.settle(request.id, &usage, asked, cost));
            self.clock.budget().settle(request.id, &usage, asked, cost)
        })
    }

    /// Looks at the clock.
    ///
    /// # Errors
    /// A limit is reached, or has been.
    pub(super) fn check(&self) -> Result<(), RunError> {
        if self.deadline().is_some_and(|deadline| Instant::now() >= deadline) {
            let reached = self.clock.budget().time_limit_reached();
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
    pub(super) fn stop(&self, LimitReached { message, .. }: LimitReached) -> RunError {
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
        if !prices.is_null() {
            self.prices.add_own(prices).map_err(usage)?;
        }
        self.clock.budget().set_file_limits(limits);
        self.clock.limit_changed();
        self.permits.set(self.limits().parallel());
        self.change.notify_waiters();
        Ok(unknown)
    }

    fn add_prices(&self, prices: &Value, outer: Option<PriceList>) -> Result<PriceList, String> {
        self.prices.add_file(prices, outer)
    }

    fn may_end(&self) -> bool {
        let Limits { steps, tokens, cost, time, .. } = self.limits();
        self.is_cancellable || steps.is_some() || tokens.is_some() || cost.is_some() || time.is_some()
    }

    fn deadline(&self) -> Option<Instant> {
        self.clock.deadline()
    }

    fn stop_clock(&self) {
        self.clock.pause();
        self.change.notify_waiters();
    }

    fn let_clock_go(&self) {
        self.clock.resume();
        self.change.notify_waiters();
    }

    fn fail(&self, error: RunError) {
        self.refuse(error);
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
