//! The prompt object: what it keeps, and the methods that say what is in a prompt: variables, sections, messages, state,
//! effects. Knows nothing of running one.

pub(crate) mod bag;
pub(crate) mod call;
pub(crate) mod config_keys;
pub(crate) mod core;
pub(crate) mod declared;
pub(crate) mod definitions;
pub(crate) mod doubles;
mod effect_context;
pub(crate) mod effects;
pub(crate) mod entry;
mod explain;
pub(crate) mod mcp_use;
pub(crate) mod memory;
pub(crate) mod method_table;
pub(crate) mod object;
mod option_reader;
pub(crate) mod options;
pub(crate) mod reference;
pub(crate) mod run;
pub(crate) mod state;
pub(crate) mod state_entry;
mod step_modifier;
pub(crate) mod told_tool;
pub(crate) mod tool_spec;
mod trace;
mod written_data;
