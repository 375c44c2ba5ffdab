//! The requests of a run that go into batches, with their places.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

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

    pub(crate) async fn ask(&self, mut request: BatchRequest) -> Dispatch {
        let number = {
            let mut asked = self.asked.borrow_mut();
            let count = asked.entry(request.place.clone()).or_default();
            std::mem::replace(count, *count + 1)
        };
        request.place.number = number;
        self.batching.ask(request).await
    }
}
