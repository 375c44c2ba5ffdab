//! Stand-ins for models and limits during an inspection.

use std::{cell::Cell, rc::Rc, time::Instant};

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::Value;

use crate::prompt::{PriceList, PromptHost, RunError, RunLimits, RunOutcome, StepLoop};
use lmthing_base::{cost::InvalidPrices, event::EventKind};

/// A step loop without steps: every run ends at once with an empty text.
#[derive(Default)]
pub struct NoModels {
    was_called: Cell<bool>,
}

impl NoModels {
    pub fn was_called(&self) -> bool {
        self.was_called.get()
    }
}

impl StepLoop for NoModels {
    fn run<'a>(self: Rc<Self>, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()> {
        self.was_called.set(true);
        // Not in the future: a second run that begins before the first poll must be refused.
        host.record().start();
        async move {
            let record = host.record();
            record.append(EventKind::PromptEnd);
            record.scope().end(None);
            record.finish(RunOutcome::Done);
        }
        .boxed_local()
    }
}

pub struct NoLimits;

impl RunLimits for NoLimits {
    fn configure(&self, _limits: &Value, _prices: &Value) -> Result<(), RunError> {
        Ok(())
    }

    fn add_prices(&self, _prices: &Value, _outer: Option<PriceList>) -> Result<PriceList, InvalidPrices> {
        Ok(PriceList(0))
    }

    fn may_end(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn fail(&self, _error: RunError) {}

    fn ended(&self) -> Option<Rc<RunError>> {
        None
    }

    fn reached(&self) -> LocalBoxFuture<'_, ()> {
        std::future::pending().boxed_local()
    }
}
