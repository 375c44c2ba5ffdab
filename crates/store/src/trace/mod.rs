//! Exports of a run: as OpenTelemetry spans ([`otel`]), and as an HTML page ([`page`]).

pub mod otel;
pub mod page;
