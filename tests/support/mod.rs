//! Helpers of the integration tests. Each test binary includes this module and uses a part of it.

#![allow(dead_code, unused_imports, reason = "each test binary uses a part of this")]

pub mod canned;
pub mod http;
pub mod mcp;
pub mod npm_packages;
#[cfg(unix)]
pub mod processes;
mod program;
pub mod resume;
mod skipped;
pub mod tls;
mod wait;

pub use program::*;
pub use skipped::skipped;
pub use wait::*;
