//! What stands in for models and limits while a file is looked at: nobody answers, and nothing is used up. Must not know what is
//! looked at.

use std::{cell::Cell, rc::Rc, time::Instant};

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::Value;

use crate::{
    event::EventKind,
    prompt::{PriceList, PromptHost, RunError, RunLimits, RunOutcome, StepLoop},
};

/// A step loop that makes no step: whoever runs a prompt gets an empty text, and no error.
#[derive(Default)]
pub(crate) struct Silence {
    /// Whether anybody has asked.
    was_asked: Cell<bool>,
}

impl Silence {
    /// Whether a prompt was to be run.
    pub(crate) fn was_asked(&self) -> bool {
        self.was_asked.get()
    }
}

impl StepLoop for Silence {
    fn run<'a>(self: Rc<Self>, host: Rc<dyn PromptHost + 'a>) -> LocalBoxFuture<'a, ()> {
        self.was_asked.set(true);
        // Here and not in the future: a second run that is asked for before the first is polled has to be refused.
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

/// Limits that are never reached.
pub(crate) struct NoLimits;

impl RunLimits for NoLimits {
    fn configure(&self, _limits: &Value, _prices: &Value) -> Result<Vec<String>, RunError> {
        Ok(Vec::new())
    }

    fn add_prices(&self, _prices: &Value, _outer: Option<PriceList>) -> Result<PriceList, String> {
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
