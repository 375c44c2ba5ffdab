//! Looking at a prompt file without a model: what is wrong with its exports, and its first render, as plain data
//! (docs/reference.md, "Checking"). Must not know how findings are shown, nor where in the source a value stands.

mod fault;

pub(crate) use fault::{Fault, Inspection, Key, Rendered, RenderedTool, Weight};
