//! The prompt object, and the methods that define its content.

pub(crate) mod bag;
pub(crate) mod call;
pub(crate) mod config_keys;
pub(crate) mod core;
pub(crate) mod declared;
pub(crate) mod definitions;
mod effect_context;
pub(crate) mod effects;
pub(crate) mod entry;
mod explain;
pub(crate) mod known_options;
pub(crate) mod mcp_server;
pub(crate) mod memory;
pub(crate) mod method_table;
pub(crate) mod object;
mod option_reader;
pub(crate) mod options;
pub(crate) mod recorded;
pub(crate) mod reference;
pub(crate) mod run;
pub(crate) mod state;
pub(crate) mod state_entry;
mod step_modifier;
pub(crate) mod tool_spec;
mod trace_cell;
pub(crate) mod unconverted_tool;
mod written_data;
