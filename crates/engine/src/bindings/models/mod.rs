//! Values of `model`: model strings and model objects.

pub(crate) mod factories;
pub(crate) mod js_model;
pub(crate) mod mock;
pub(crate) mod resolve;
mod sdk_parts;
mod sdk_request;
mod sdk_searches;
mod sdk_tools;
