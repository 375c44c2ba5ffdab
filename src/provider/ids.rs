//! Ids for tool calls of providers that send none (Gemini).

use std::cell::Cell;

thread_local! {
    // A counter, not chance, so that equal runs are recorded alike; one a thread, as a run lives on one.
    static COUNTER: Cell<u64> = const { Cell::new(0) };
}

/// The next id, unique within the run.
pub(super) fn next(prefix: &str) -> String {
    COUNTER.with(|counter| {
        counter.set(counter.get() + 1);
        format!("{prefix}_{}", counter.get())
    })
}
