//! Inspection of a prompt file without a model: faults of its exports, and its first render
//! (docs/reference/check.md).

mod clock;
pub(crate) mod exports;
mod fault;
mod input;
mod inspect_file;
mod no_models;
mod offer;
mod pieces;
mod render;
pub(crate) mod thrown_fault;
mod varying;

pub use clock::Clock;
pub use fault::{Fault, FaultSeverity, Inspection, NamedModel, PathKey, Rendered, RenderedDefinition, RenderedTool};
pub use inspect_file::{InspectOptions, REPEAT_LIMIT, Search, inspect_file};
pub use no_models::{NoLimits, NoModels};
pub use offer::{Offer, offer_of_file};
pub use pieces::{Piece, PieceKind};
