//! Whose turn it is: so many requests are in flight at once, and further ones wait. Must not know what a request is.

use std::{cell::Cell, rc::Rc, sync::Arc};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The turns of a run's requests.
pub(super) struct Permits {
    semaphore: Arc<Semaphore>,
    count: Cell<usize>,
    /// How many turns too many were given by the time that there were to be fewer: they end with these.
    too_many: Rc<Cell<usize>>,
}

/// The right to ask a model, until it is dropped.
pub(super) struct Permit {
    /// Always there until then.
    permit: Option<OwnedSemaphorePermit>,
    too_many: Rc<Cell<usize>>,
}

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        Permits { semaphore: Arc::new(Semaphore::new(count)), count: Cell::new(count), too_many: Rc::default() }
    }

    /// Lets so many in at once from now on; those that are in count.
    pub(super) fn set(&self, count: usize) {
        let before = self.count.replace(count);
        if let Some(fewer) = before.checked_sub(count) {
            let missing = fewer - self.semaphore.forget_permits(fewer);
            self.too_many.set(self.too_many.get() + missing);
            return;
        }
        let more = count - before;
        let spared = more.min(self.too_many.get());
        self.too_many.set(self.too_many.get() - spared);
        self.semaphore.add_permits(more - spared);
    }

    /// Waits for a turn.
    pub(super) async fn acquire(&self) -> Option<Permit> {
        // Nobody closes it.
        let permit = self.semaphore.clone().acquire_owned().await.ok()?;
        Some(Permit { permit: Some(permit), too_many: self.too_many.clone() })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let (Some(permit), Some(fewer)) = (self.permit.take(), self.too_many.get().checked_sub(1)) {
            permit.forget();
            self.too_many.set(fewer);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// How many get in at once.
    fn let_in(permits: &Permits) -> Vec<Permit> {
        std::iter::from_fn(|| permits.acquire().now_or_never().flatten()).collect()
    }

    #[test]
    fn those_that_are_in_count_when_the_number_changes() {
        let permits = Permits::new(3);
        let mut inside = let_in(&permits);
        assert_eq!(inside.len(), 3);
        permits.set(5);
        inside.extend(let_in(&permits));
        assert_eq!(inside.len(), 5);
        permits.set(2);
        inside.truncate(2);
        assert!(let_in(&permits).is_empty());
        permits.set(3);
        inside.extend(let_in(&permits));
        assert_eq!(inside.len(), 3);
        drop(inside);
        assert_eq!(let_in(&permits).len(), 3);
    }
}
