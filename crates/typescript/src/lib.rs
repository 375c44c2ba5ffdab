//! TODO

pub mod code;
pub mod sandbox;
