//! What a run left behind, made visible elsewhere.
//!
//! Owns: the run as spans for OpenTelemetry ([`otel`]), and as a page ([`page`]). Must not know: JavaScript, how a run works,
//! what is printed.

pub(crate) mod otel;
pub(crate) mod page;
