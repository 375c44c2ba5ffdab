//! Showing the garbage collector what lies in Rust cells.

use std::cell::RefCell;

use rquickjs::class::{Trace, Tracer};

/// Shows the collector what a cell holds. A cell that is being changed is passed over: then the collector keeps everything.
pub(crate) fn trace_cell<'js, T: Trace<'js>>(cell: &RefCell<T>, tracer: Tracer<'_, 'js>) {
    if let Ok(value) = cell.try_borrow() {
        value.trace(tracer);
    }
}
