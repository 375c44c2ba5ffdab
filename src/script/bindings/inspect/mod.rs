//! Inspection of a prompt file without a model: faults of its exports, and its first render (docs/reference.md,
//! "Checking").

mod exports;
mod fault;
mod input;
mod inspect_file;
mod no_models;
mod offer;
mod render;
mod thrown_fault;

pub(crate) use fault::{Fault, FaultSeverity, Inspection, Key, NamedModel, Rendered, RenderedTool};
pub(crate) use inspect_file::{InspectOptions, inspect_file};
pub(crate) use no_models::{NoLimits, NoModels};
pub(crate) use offer::{Offer, offer_of_file};
