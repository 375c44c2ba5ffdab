//! The requests of a run that go into batches, with their places.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use futures_util::future::LocalBoxFuture;

use super::{BatchRequest, Batching, Dispatch, RequestPlace};

pub(crate) struct Gate {
    batching: Rc<dyn Batching>,
    /// How many requests each step has made.
    asked: RefCell<HashMap<RequestPlace, usize>>,
}

impl Gate {
    pub(crate) fn new(batching: Rc<dyn Batching>) -> Self {
        Gate { batching, asked: RefCell::default() }
    }

    /// The place of the next request of a step.
    pub(crate) fn numbered(&self, place: &RequestPlace) -> RequestPlace {
        let mut asked = self.asked.borrow_mut();
        let count = asked.entry(place.clone()).or_default();
        let number = std::mem::replace(count, *count + 1);
        RequestPlace { number, ..place.clone() }
    }

    pub(crate) fn ask(&self, request: BatchRequest) -> LocalBoxFuture<'_, Dispatch> {
        self.batching.ask(request)
    }
}
