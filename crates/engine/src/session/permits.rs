//! Limits how many requests are in flight at once.

use std::{cell::Cell, rc::Rc, sync::Arc};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(super) struct Permits {
    semaphore: Arc<Semaphore>,
    count: Cell<usize>,
    /// Number of permits to destroy on release, because the limit was lowered while they were in use.
    surplus: Rc<Cell<usize>>,
}

pub(super) struct Permit {
    /// `None` only during drop.
    permit: Option<OwnedSemaphorePermit>,
    surplus: Rc<Cell<usize>>,
}

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        Permits { semaphore: Arc::new(Semaphore::new(count)), count: Cell::new(count), surplus: Rc::default() }
    }

    pub(super) fn set(&self, count: usize) {
        let before = self.count.replace(count);
        if let Some(fewer) = before.checked_sub(count) {
            let missing = fewer - self.semaphore.forget_permits(fewer);
            self.surplus.set(self.surplus.get() + missing);
            return;
        }
        let more = count - before;
        let spared = more.min(self.surplus.get());
        self.surplus.set(self.surplus.get() - spared);
        self.semaphore.add_permits(more - spared);
    }

    pub(super) async fn acquire(&self) -> Option<Permit> {
        let permit = self.semaphore.clone().acquire_owned().await.ok()?;
        Some(Permit { permit: Some(permit), surplus: self.surplus.clone() })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let (Some(permit), Some(fewer)) = (self.permit.take(), self.surplus.get().checked_sub(1)) {
            permit.forget();
            self.surplus.set(fewer);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn acquire_all(permits: &Permits) -> Vec<Permit> {
        std::iter::from_fn(|| permits.acquire().now_or_never().flatten()).collect()
    }

    #[test]
    fn permits_in_use_count_when_the_limit_changes() {
        let permits = Permits::new(3);
        let mut inside = acquire_all(&permits);
        assert_eq!(inside.len(), 3);
        permits.set(5);
        inside.extend(acquire_all(&permits));
        assert_eq!(inside.len(), 5);
        permits.set(2);
        inside.truncate(2);
        assert!(acquire_all(&permits).is_empty());
        permits.set(3);
        inside.extend(acquire_all(&permits));
        assert_eq!(inside.len(), 3);
        drop(inside);
        assert_eq!(acquire_all(&permits).len(), 3);
    }
}
