//! What a whole run has used, and its limits (docs/reference/limits.md).

mod limits;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use super::{
    batches::BatchAnswers,
    clock::RunClock,
    combined_limits::{CombinedLimits, Share},
    permits::{Permit, Permits},
    price_book::PriceBook,
    request::{Request, Stage, characters},
};
use crate::prompt::{PriceList, RunError, RunLimits};
use lmthing_base::{
    chat::{Tier, ToolSpec, Usage},
    cost::{Allowance, Budget, Estimate, LimitReached, Limits, OwnPrices, RequestId, RunUsage, tokens_of},
    event::RunSummary,
};
use lmthing_providers::{LanguageModel, ModelIdentity};

/// How long tools and agents may take to end after a limit is reached; their signals are aborted then.
pub(super) const GRACE: Duration = Duration::from_millis(250);

/// The limits of one run and what is used of them. Shared by all prompts of the run.
pub struct Meter {
    prices: PriceBook,
    /// With the budget, as other threads watch the time of the run.
    clock: RunClock,
    /// Set if the run is one of several with common limits.
    share: Option<Share>,
    permits: Permits,
    open: RefCell<BTreeMap<RequestId, Rc<Request>>>,
    ended: RefCell<Option<Rc<RunError>>>,
    is_cancellable: bool,
    is_interruptible: bool,
    has_separate_requests: bool,
    is_closed_to_requests: Cell<bool>,
    /// Set if the requests of the run go into batches.
    pub(super) batches: Option<Rc<dyn BatchAnswers>>,
    /// Whether the usage of a long run was reported.
    is_long_run_noticed: Cell<bool>,
    change: Notify,
}

impl Meter {
    /// `typed` are the limits of the command line.
    pub fn new(typed: Limits, own_prices: OwnPrices) -> Self {
        Meter::after(RunUsage::default(), typed, own_prices)
    }

    /// Continues a run that has used `before`. `typed` limits only what is used from now on.
    pub fn after(before: RunUsage, typed: Limits, own_prices: OwnPrices) -> Self {
        Meter {
            prices: PriceBook::new(own_prices),
            clock: RunClock::new(Budget::after(before, typed)),
            share: None,
            permits: Permits::new(typed.parallel()),
            open: RefCell::default(),
            ended: RefCell::default(),
            is_cancellable: false,
            is_interruptible: false,
            has_separate_requests: false,
            is_closed_to_requests: Cell::new(false),
            batches: None,
            is_long_run_noticed: Cell::new(false),
            change: Notify::new(),
        }
    }

    /// Marks the run as cancellable by [`RunLimits::fail`]: its tools get a signal.
    pub fn cancellable(self) -> Self {
        Meter { is_cancellable: true, ..self }
    }

    /// Marks the run as one that a signal to the process ends, by [`RunLimits::fail`].
    pub fn interruptible(self) -> Self {
        Meter { is_interruptible: true, ..self }
    }

    /// Has messages name options of the command alone, as there is no file with limits.
    pub fn without_file(mut self) -> Self {
        self.clock.budget().set_without_file();
        self.prices.has_no_file = true;
        self
    }

    /// A limit on use refuses requests one by one: those under way go on.
    pub fn with_separate_requests(self) -> Self {
        Meter { has_separate_requests: true, ..self }
    }

    /// The requests of the run go into batches: any number at once, and what is answered is paid.
    pub fn with_batches(self, batches: Option<Rc<dyn BatchAnswers>>) -> Self {
        Meter { batches, ..self }
    }

    /// A run under limits of several. It has used `before` of its own, and requests are `reserved` that it makes again.
    pub fn within(
        combined_limits: &Arc<CombinedLimits>,
        (before, reserved): (RunUsage, Vec<RequestId>),
        own_prices: OwnPrices,
    ) -> Self {
        let typed = Limits { time: combined_limits.time_left(), ..Limits::default() };
        let meter = Meter::after(before, typed, own_prices);
        meter.clock.budget().report_as_one_run();
        Meter { share: Some(Share::new(combined_limits.clone(), reserved)), ..meter }
    }

    fn limits(&self) -> Limits {
        let own = *self.clock.budget().limits();
        self.share.as_ref().map_or(own, |share| own.and(share.limits()))
    }

    /// `at_once` is for a request inside an answer that is being made: waiting would block that answer.
    pub(super) async fn acquire_permit(&self, at_once: bool) -> Option<Permit> {
        if at_once || self.batches.is_some() { None } else { self.permits.acquire().await }
    }

    /// Withdraws the requests that wait for batches, as the run is to be repeated. Among common limits they stay
    /// reserved; returns their ids there.
    pub(super) fn suspend(&self) -> Vec<RequestId> {
        let open = std::mem::take(&mut *self.open.borrow_mut()).into_values();
        let withdraw = |request: Rc<Request>| {
            request.stage.set(Stage::Settled);
            self.clock.budget().withdraw(request.id);
            self.share.as_ref()?.leave(request.id)
        };
        open.filter_map(withdraw).collect()
    }

    pub(super) fn limits_use(&self) -> bool {
        let Limits { tokens, cost, .. } = self.limits();
        tokens.is_some() || cost.is_some()
    }

    /// The usage of a run with many steps and without limits; once.
    pub(super) fn long_run_notice(&self) -> Option<String> {
        if self.is_long_run_noticed.get() || self.share.is_some() {
            return None;
        }
        let notice = self.clock.budget().long_run_notice();
        self.is_long_run_noticed.set(notice.is_some());
        notice
    }

    pub(super) fn file_prices(&self, list: PriceList) -> Option<Rc<OwnPrices>> {
        self.prices.of_file(list)
    }

    /// Estimates the input and the price of an output token of a request with this many characters. Of several
    /// possible models the highest price counts.
    pub(super) fn estimate(
        &self,
        (length, is_batched): (u64, bool),
        model_identities: &[ModelIdentity],
        file_prices: Option<&OwnPrices>,
        tier: Option<Tier>,
    ) -> Result<Estimate, RunError> {
        if self.limits().cost.is_none() {
            return Ok(Estimate { input_tokens: tokens_of(length), ..Estimate::default() });
        }
        self.prices
            .estimate((length, is_batched), model_identities, file_prices, tier)
            .map_err(|problem| self.refuse(RunError::Usage(problem)))
    }

    /// Refuses a search of the provider's own whose price is unknown, if there is a limit on cost.
    pub(super) fn check_searches(
        &self,
        model: &dyn LanguageModel,
        tools: &[ToolSpec],
        file_prices: Option<&OwnPrices>,
    ) -> Result<(), RunError> {
        if self.limits().cost.is_none() || tools.iter().all(|tool| tool.provider_tool.is_none()) {
            return Ok(());
        }
        let checked = self.prices.check_searches(&model.searching_models(tools), file_prices);
        checked.map_err(|problem| self.refuse(RunError::Usage(problem)))
    }

    pub(super) fn reserve(&self, estimate: Estimate) -> Result<Allowance, LimitReached> {
        let allowance = self.clock.budget().ask(estimate)?;
        let Some(share) = &self.share else { return Ok(allowance) };
        match share.reserve(allowance.request, estimate) {
            Ok(left) => Ok(Allowance { output_left: left.into_iter().chain(allowance.output_left).min(), ..allowance }),
            Err(reached) => {
                self.clock.budget().release(allowance.request);
                Err(reached)
            }
        }
    }

    pub(super) fn track(&self, request: Request) -> Rc<Request> {
        let request = Rc::new(request);
        self.open.borrow_mut().insert(request.id, request.clone());
        request
    }

    /// Whether a limit on use ends what is under way.
    pub(super) fn ends_at_limits(&self) -> bool {
        !self.has_separate_requests
    }

    pub(super) fn has_unanswered(&self) -> bool {
        self.clock.budget().has_unanswered_requests()
    }

    pub(super) fn expects_counts(&self) -> bool {
        self.clock.budget().expects_usage_soon()
    }

    pub(super) fn count_text(&self, request: &Request, text: &str) -> Result<(), RunError> {
        let add_output = self.clock.budget().add_output(request.id, text);
        let of_all = || self.share.as_ref().map_or(Ok(()), |share| share.count_text(request.id, text));
        add_output.and_then(|()| of_all()).map_err(|reached| self.stop(reached))
    }

    pub(super) fn mark_ending(&self, request: &Request) {
        self.clock.budget().mark_ending(request.id);
    }

    pub(super) fn stop_when_used_up(&self) {
        let blocking_limit = self.clock.budget().blocking_limit();
        let blocking_limit = blocking_limit.or_else(|| self.share.as_ref()?.blocking_limit());
        if let Some(reached) = blocking_limit {
            self.stop(reached);
        }
    }

    /// Records the use of a request with a complete answer, by the provider's counts. Returns the cost in US dollars.
    pub(super) fn settle(&self, request: &Request) -> Option<f64> {
        let usage = request.answer.borrow().usage;
        self.record(request);
        let cost = self.cost(request, &usage);
        request.emit_finish(usage, cost);
        cost
    }

    /// What the answer to a request would cost in US dollars with this usage.
    pub(super) fn cost(&self, request: &Request, usage: &Usage) -> Option<f64> {
        request.priced(|model| self.prices.cost(model, usage))
    }

    /// Records the use of an incomplete answer, estimated if the provider has not sent its counts. A request that was
    /// not sent or failed before any answer used nothing. Does nothing for a settled request. Returns the use and its cost in
    /// US dollars.
    pub(super) fn release(&self, request: &Request) -> Option<(Usage, Option<f64>)> {
        match request.stage.get() {
            Stage::Settled => None,
            Stage::Admitted | Stage::Sent if request.awaits_batch => {
                request.stage.set(Stage::Settled);
                self.open.borrow_mut().remove(&request.id);
                self.clock.budget().withdraw(request.id);
                self.share.iter().for_each(|share| share.withdraw(request.id));
                None
            }
            Stage::Admitted | Stage::Refused => {
                request.stage.set(Stage::Settled);
                self.open.borrow_mut().remove(&request.id);
                self.clock.budget().release(request.id);
                self.share.iter().for_each(|share| share.release(request.id));
                None
            }
            Stage::Sent | Stage::Answered => {
                let usage = self.record(request)?;
                let cost = self.cost(request, &usage);
                request.emit_finish(usage, cost);
                Some((usage, cost))
            }
        }
    }

    pub fn clock(&self) -> &RunClock {
        &self.clock
    }

    pub fn close(&self) {
        self.clock.finish();
        let open: Vec<_> = self.open.borrow().values().cloned().collect();
        for request in open {
            self.release(&request);
        }
    }

    fn record(&self, request: &Request) -> Option<Usage> {
        request.stage.set(Stage::Settled);
        self.open.borrow_mut().remove(&request.id);
        let usage = request.answer.borrow().usage;
        self.prices.record_usage(&usage);
        let length = if usage.input_tokens.is_none() { characters(&request.messages.to_vec()) } else { 0 };
        request.priced(|model| {
            let cost = |usage: &Usage| self.prices.cost(model, usage);
            self.share.iter().for_each(|share| share.settle(request.id, &usage, length, cost));
            self.clock.budget().settle(request.id, &usage, length, cost)
        })
    }

    pub(super) fn check(&self) -> Result<(), RunError> {
        if self.deadline().is_some_and(|deadline| Instant::now() >= deadline) {
            let LimitReached { message, .. } = self.clock.budget().time_limit_reached();
            self.refuse(RunError::Limit { message });
        }
        match &*self.ended.borrow() {
            Some(error) => Err((**error).clone()),
            None => Ok(()),
        }
    }

    /// Why the run ended; to be called only when it has.
    pub(super) fn end(&self) -> RunError {
        self.ended.borrow().as_deref().cloned().unwrap_or(RunError::Aborted)
    }

    /// Fails if no request may begin any more.
    pub(super) fn check_open(&self) -> Result<(), RunError> {
        self.check()?;
        if self.is_closed_to_requests.get() { Err(RunError::Aborted) } else { Ok(()) }
    }

    /// Ends the whole run at a limit on use, unless its requests are separate. The first error wins.
    pub(super) fn stop(&self, LimitReached { message, .. }: LimitReached) -> RunError {
        let error = RunError::Limit { message };
        if self.ends_at_limits() { self.refuse(error) } else { error }
    }

    fn refuse(&self, error: RunError) -> RunError {
        self.ended.borrow_mut().get_or_insert_with(|| Rc::new(error));
        self.change.notify_waiters();
        self.end()
    }

    /// Ends the run at its deadline; never resolves.
    pub async fn watch_clock(&self) {
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

/// What earlier processes have used of the limits, with this many answered requests.
pub fn used_before(summary: &RunSummary, requests: usize) -> RunUsage {
    let sums = summary.sums();
    let tokens = [sums.usage.input_tokens, sums.usage.output_tokens];
    RunUsage {
        steps: requests as u64,
        tokens: tokens.into_iter().flatten().fold(0, u64::saturating_add),
        cost: sums.known_cost,
        time: Duration::from_millis(summary.duration_ms),
    }
}
