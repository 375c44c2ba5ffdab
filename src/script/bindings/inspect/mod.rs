//! Looking at a prompt file without a model: what is wrong with its exports, and its first render, as plain data
//! (docs/reference.md, "Checking"). Must not know how findings are shown, nor where in the source a value stands.

mod config;
mod exports;
mod fault;
mod faults;
mod mock;
mod model;
mod place;

pub(crate) use exports::{Exports, look};
pub(crate) use fault::{Fault, Inspection, Key, Rendered, RenderedTool, Weight};
pub(crate) use mock::calls_against;
pub(crate) use place::path_in;
