//! Whose turn it is: so many requests are in flight at once, and further ones wait. Must not know what a request is.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long requests wait for models of the script's own that do not get on. Such a model may run a prompt itself and wait
/// for its answer: its request would have to end before the one that it waits for begins.
const PATIENCE: Duration = Duration::from_secs(1);

/// The turns of a run's requests.
pub(super) struct Permits {
    semaphore: RefCell<Arc<Semaphore>>,
    count: Cell<usize>,
    /// How many of them models of the script's own have.
    scripted: Rc<Scripted>,
}

struct Scripted {
    count: Cell<usize>,
    /// When one of them was given back last.
    freed: Cell<Instant>,
}

/// The right to ask a model, until it is dropped.
pub(super) struct Permit {
    _permit: OwnedSemaphorePermit,
    scripted: Option<Rc<Scripted>>,
}

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        let scripted = Scripted { count: Cell::new(0), freed: Cell::new(Instant::now()) };
        let semaphore = RefCell::new(Arc::new(Semaphore::new(count)));
        Permits { semaphore, count: Cell::new(count), scripted: Rc::new(scripted) }
    }

    /// Lets so many in at once from now on.
    pub(super) fn set(&self, count: usize) {
        self.semaphore.replace(Arc::new(Semaphore::new(count)));
        self.count.set(count);
    }

    /// Waits for a turn; without a permit it is one that nobody has to wait for. `is_scripted` says whether the script itself
    /// is asked.
    pub(super) async fn acquire(&self, is_scripted: bool) -> Option<Permit> {
        let semaphore = self.semaphore.borrow().clone();
        let permit = tokio::select! {
            biased;
            permit = semaphore.acquire_owned() => permit.ok()?,
            () = self.stuck() => return None,
        };
        let scripted = is_scripted.then(|| self.scripted.clone());
        scripted.iter().for_each(|scripted| scripted.count.set(scripted.count.get() + 1));
        Some(Permit { _permit: permit, scripted })
    }

    /// Waits until all turns are the script's own models', and none has ended for a while.
    async fn stuck(&self) {
        let began = Instant::now();
        loop {
            let idle = self.scripted.freed.get().max(began).elapsed();
            match PATIENCE.checked_sub(idle).filter(|left| !left.is_zero()) {
                Some(left) => tokio::time::sleep(left).await,
                None if self.scripted.count.get() >= self.count.get() => return,
                None => tokio::time::sleep(PATIENCE).await,
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(scripted) = &self.scripted {
            scripted.count.set(scripted.count.get().saturating_sub(1));
            scripted.freed.set(Instant::now());
        }
    }
}
