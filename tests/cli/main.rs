//! Commands other than `run`: check, test, new, types; examples and documentation.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

mod action;
mod benchmarks;
mod check_cache;
mod check_command;
mod check_exports;
mod check_first_request;
mod check_kinds;
mod check_meant;
mod check_places;
mod check_render;
mod check_types;
mod docs;
mod docs_command;
mod docs_run;
mod eval_files;
mod examples;
mod findings;
mod lsp_findings;
mod lsp_server;
mod new;
mod npm;
mod pages;
mod report;
mod skill;
mod test_command;
mod test_expect;
mod test_files;
mod test_leftovers;
mod test_output;
mod test_recordings;
mod test_run;
mod test_run_matchers;
mod test_smoke;
mod test_snapshots;
mod types;
mod types_command;
mod typescript;
#[cfg(unix)]
mod vscode;
mod words;
