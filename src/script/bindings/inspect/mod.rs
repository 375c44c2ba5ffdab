//! Looking at a prompt file without a model: what is wrong with its exports, and its first render, as plain data
//! (docs/reference.md, "Checking"). Must not know how findings are shown, nor where in the source a value stands.
//!
//! - `exports` – what is wrong with each export, and with the mock's calls

mod exports;
mod fault;

pub(crate) use exports::{Exports, calls_against, look, path_in};
pub(crate) use fault::{Fault, Inspection, Key, Rendered, RenderedTool, Weight};
