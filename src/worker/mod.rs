//! Prompt files as services of Restate, an engine for durable work: what `lmthing worker` is.
//!
//! Owns: the HTTP server that Restate calls, what it tells of the services, their registration, invocations and their runs, what is
//! logged of them.
//!
//! Must not know: arguments, the terminal, nor how prompt files are found and described.

#![allow(dead_code, reason = "until all of it is here")]

mod body;
mod endpoint;
mod identity;
mod listen;
mod log;
mod manifest;
mod register;
mod scan;
mod seam;
mod serving;
mod tally;

pub(crate) use listen::Listener;
pub(crate) use log::{Level, Log, LogFormat};
pub(crate) use register::Registration;
pub(crate) use seam::{Invocations, Service};
pub(crate) use serving::Worker;
