//! A scripted HTTP server on 127.0.0.1 and a minimal step loop, for tests of the providers.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

pub mod blocking;
pub mod proxies;
pub mod server;
pub mod setup;
pub mod steps;
pub mod tls;
