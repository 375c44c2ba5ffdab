//! TypeScript: parsing, checking and removal of types (`code`), and worker processes for model-written code (`sandbox`).

pub mod code;
pub mod sandbox;
