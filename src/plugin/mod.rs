//! The built-in plugins as pure state machines: the task list and the task graph (docs/reference.md, "Task list" and "Task
//! graph"), and the texts of code mode.
//!
//! A transition takes a state and the arguments of a tool, and returns a new state and the tool's result. It never fails and
//! never loses a task: an impossible request gets `{success: false, error, message, …}` and leaves the state unchanged. Only
//! `generateTaskGraph` replaces tasks, as documented.

mod read;
mod refusal;
pub(crate) mod run_tool_code;
pub(crate) mod search_functions;
pub(crate) mod task_graph;
pub(crate) mod task_list;
pub(crate) mod text_methods;
