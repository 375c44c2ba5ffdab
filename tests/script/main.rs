//! What prompt files can import, compared with Node and with npm packages.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

mod node_cases;
mod zod;
