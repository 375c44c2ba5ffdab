//! The limits of a run, as its prompts use them.

use std::{rc::Rc, time::Instant};

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::Value;

use super::Meter;
use crate::prompt::{PriceList, RunError, RunLimits};
use lmthing_base::{
    cost::{InvalidPrices, Limits},
    diagnostic::Diagnostic,
};
use lmthing_providers::ModelIdentity;

impl RunLimits for Meter {
    fn configure(&self, limits: &Value, prices: &Value) -> Result<(), RunError> {
        let usage = |message: String| RunError::Usage(Box::new(Diagnostic::new(message)));
        let limits = Limits::from_json(limits).map_err(|error| usage(error.to_string()))?;
        if !prices.is_null() {
            self.prices.add_own(prices).map_err(|error| usage(error.to_string()))?;
        }
        self.clock.budget().set_file_limits(limits);
        self.clock.limit_changed();
        self.permits.set(self.limits().parallel());
        self.change.notify_waiters();
        Ok(())
    }

    fn add_prices(&self, prices: &Value, outer: Option<PriceList>) -> Result<PriceList, InvalidPrices> {
        self.prices.add_file(prices, outer)
    }

    fn has_cost(&self) -> bool {
        self.limits().cost.is_some()
    }

    fn check_prices(&self, models: &[ModelIdentity]) -> Result<(), Box<Diagnostic>> {
        self.prices.estimate((0, false), models, None, None).map(drop)
    }

    fn may_end(&self) -> bool {
        let Limits { steps, tokens, cost, time, .. } = self.limits();
        self.is_cancellable || steps.is_some() || tokens.is_some() || cost.is_some() || time.is_some()
    }

    fn deadline(&self) -> Option<Instant> {
        self.clock.deadline()
    }

    fn pause_clock(&self) {
        self.clock.pause();
        self.change.notify_waiters();
    }

    fn resume_clock(&self) {
        self.clock.resume();
        self.change.notify_waiters();
    }

    fn may_be_interrupted(&self) -> bool {
        self.is_interruptible
    }

    fn refuse_requests(&self) {
        self.is_closed_to_requests.set(true);
    }

    fn fail(&self, error: RunError) {
        self.refuse(error);
    }

    fn ended(&self) -> Option<Rc<RunError>> {
        // The deadline may have passed while a script blocked the thread.
        let _ = self.check();
        self.ended.borrow().clone()
    }

    fn reached(&self) -> LocalBoxFuture<'_, ()> {
        async {
            loop {
                // Created before the check, so that no notification is missed.
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
