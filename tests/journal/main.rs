//! Journals, and runs that are resumed from them.

#![allow(clippy::unwrap_used, reason = "tests fail that way")]

#[path = "../support/mod.rs"]
mod support;

#[cfg(unix)]
mod approve_stop;
#[cfg(unix)]
mod approve_stop_forms;
#[cfg(unix)]
mod approve_stop_kill;
#[cfg(unix)]
mod chat;
#[cfg(unix)]
mod export_as_test;
mod file;
mod helpers;
#[cfg(unix)]
mod locked;
#[cfg(unix)]
mod resume_agents;
#[cfg(unix)]
mod resume_command;
#[cfg(unix)]
mod resume_kill;
#[cfg(unix)]
mod resume_limits;
#[cfg(unix)]
mod resume_prompts;
#[cfg(unix)]
mod resume_steps;
mod runs;
mod secrets;
#[cfg(unix)]
mod state_text;
