//! Why and how a run is ended before its work is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::script::diagnose::Thrown;

/// Why a run must end now. The first one counts; whatever the script does afterwards is not seen.
#[derive(Clone, Debug)]
pub enum Halt {
    /// `process.exit(code)`.
    Exit(i32),
    /// A callback of a timer, a microtask or an event threw.
    Uncaught(Thrown),
    /// A promise was rejected and nobody handled it.
    UnhandledRejection(Thrown),
}

/// Stops running JavaScript from any thread: the script sees an exception that it cannot catch.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Stops the script for good.
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
