//! TODO

pub mod bindings;
pub mod mcp;
pub mod plugin;
pub mod prompt;
pub mod session;
