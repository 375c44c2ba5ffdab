//! The prompt object, and the methods that define its content.

pub mod bag;
pub mod call;
pub mod config_keys;
pub mod core;
pub mod declared;
pub mod definitions;
mod effect_context;
pub mod effects;
pub mod entry;
mod explain;
pub mod mcp_server;
pub mod memory;
pub mod method_table;
pub mod object;
mod option_reader;
pub mod options;
pub mod redefinitions;
pub mod reference;
pub mod run;
pub mod state;
pub mod state_entry;
mod step_modifier;
pub mod tool_spec;
pub mod unconverted_tool;
mod written_data;
