//! The built-in zod, compared with the npm package.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

mod zod;
