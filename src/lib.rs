//! The command line of lmthing, a runner for scripted LLM prompts.
//!
//! `docs/maintainers/architecture.md` describes the crates below it and how data goes through them.

pub mod cli;
