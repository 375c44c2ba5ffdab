//! Exports of a run: as OpenTelemetry spans ([`otel`]), and as an HTML page ([`page`]).

pub(crate) mod otel;
pub(crate) mod page;
