//! What a restricted prompt file can and cannot reach.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

#[cfg(unix)]
mod files;
mod helpers;
#[cfg(unix)]
mod keys;
#[cfg(unix)]
mod mcp;
#[cfg(unix)]
mod resume;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod sources;
#[cfg(unix)]
mod ways;
