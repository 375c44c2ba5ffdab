//! Helpers of the integration tests. Each test binary includes this module and uses a part of it.

#![allow(dead_code, unused_imports, reason = "each test binary uses a part of this")]

pub(crate) mod batches;
pub(crate) mod caching;
pub(crate) mod canned;
pub(crate) mod http;
mod lsp;
pub(crate) mod mcp;
pub(crate) mod npm_packages;
#[cfg(unix)]
pub(crate) mod processes;
mod program;
pub(crate) mod resume;
mod skipped;
#[cfg(target_os = "linux")]
pub(crate) mod terminal;
pub(crate) mod tls;
mod wait;

pub(crate) use lsp::{LspClient, uri};
pub(crate) use program::*;
pub(crate) use skipped::skipped;
pub(crate) use wait::*;

/// The root of the repository.
pub(crate) fn root() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}
