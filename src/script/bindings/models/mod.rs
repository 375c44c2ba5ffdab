//! What `model` may be, and the functions that make model objects. Must not know prompts, nor a provider's wire format.

pub(crate) mod factories;
pub(crate) mod js_model;
pub(crate) mod mock;
pub(crate) mod resolve;
