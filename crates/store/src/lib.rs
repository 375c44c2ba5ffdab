//! The journal of runs, and exports of a run as OpenTelemetry spans or as an HTML page.

pub mod journal;
pub mod trace;
