//! TypeScript that a model writes: type check and sandbox.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

#[cfg(unix)]
mod fake_worker;
mod helpers;
mod hostile;
mod sandbox;
mod typecheck;
