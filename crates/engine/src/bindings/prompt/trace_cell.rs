//! Tracing of cells for the garbage collector.

use std::cell::RefCell;

use rquickjs::class::{Trace, Tracer};

/// Traces the value of a cell. Skips a borrowed cell, which makes the collector keep everything.
pub(super) fn trace_cell<'js, T: Trace<'js>>(cell: &RefCell<T>, tracer: Tracer<'_, 'js>) {
    if let Ok(value) = cell.try_borrow() {
        value.trace(tracer);
    }
}
