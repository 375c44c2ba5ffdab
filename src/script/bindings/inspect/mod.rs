//! Looking at a prompt file without a model: what is wrong with its exports, and its first render, as plain data
//! (docs/reference.md, "Checking"). Must not know how findings are shown, nor where in the source a value stands.
//!
//! - `look` – the order of things: load, exports, input, render; what ended it early
//! - `offer` – what the file offers to whoever calls it
//! - `exports` – what is wrong with each export, and with the mock's calls
//! - `input`, `stand_in` – what the first render is given: its input, and a model
//! - `render` – the first run of the function, and the request that would follow
//! - `silence` – what stands in for models and limits
//! - `verdict` – what threw, as a fault or as a note

mod exports;
mod fault;
mod input;
mod look;
mod offer;
mod render;
mod silence;
mod stand_in;
mod verdict;

pub(crate) use fault::{Fault, Inspection, Key, NamedModel, Rendered, RenderedTool, Weight};
pub(crate) use look::{Inspected, inspect_file};
pub(crate) use offer::{Offer, offer_of_file};
pub(crate) use silence::{NoLimits, Silence};
