//! Text on its way to standard output, where every thread finds it: the one that ends the process writes what the printer has not
//! come to.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// What the printer still has to write, and where the line stands.
pub(super) struct Pending {
    text: Mutex<String>,
    at_line_start: AtomicBool,
}

impl Pending {
    /// Nothing was written.
    pub(super) fn new() -> Self {
        Pending { text: Mutex::default(), at_line_start: AtomicBool::new(true) }
    }

    /// Adds text; gives the length of all that waits.
    pub(super) fn push(&self, text: &str) -> usize {
        let mut waiting = self.text();
        waiting.push_str(text);
        waiting.len()
    }

    /// Takes everything that waits.
    pub(super) fn take(&self) -> String {
        std::mem::take(&mut *self.text())
    }

    /// Whether what was written has ended its line.
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
