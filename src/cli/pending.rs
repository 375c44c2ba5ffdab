//! Text not yet written to stdout. Shared, so that the thread that ends the process can write it.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

pub(super) struct Pending {
    text: Mutex<String>,
    at_line_start: AtomicBool,
    is_closed: AtomicBool,
}

impl Pending {
    pub(super) fn new() -> Self {
        Pending { text: Mutex::default(), at_line_start: AtomicBool::new(true), is_closed: AtomicBool::new(false) }
    }

    /// Returns the length of all unwritten text.
    pub(super) fn push(&self, text: &str) -> usize {
        let mut waiting = self.text();
        waiting.push_str(text);
        waiting.len()
    }

    pub(super) fn take(&self) -> String {
        std::mem::take(&mut *self.text())
    }

    /// Takes the text for a thread other than the printer's. Must be called with stdout locked.
    pub(super) fn close(&self) -> String {
        self.is_closed.store(true, Ordering::Relaxed);
        self.take()
    }

    /// Whether another thread has reported the end of the run, so that nothing may follow. Must be called with stdout
    /// locked.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    pub(super) fn is_at_line_start(&self) -> bool {
        self.at_line_start.load(Ordering::Relaxed)
    }

    pub(super) fn set_at_line_start(&self, at_line_start: bool) {
        self.at_line_start.store(at_line_start, Ordering::Relaxed);
    }

    fn text(&self) -> MutexGuard<'_, String> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
