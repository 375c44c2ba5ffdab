//! Values of `model`: model strings and model objects.

pub mod factories;
pub mod js_model;
pub mod mock;
pub mod resolve;
