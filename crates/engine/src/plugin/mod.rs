//! The built-in plugins as pure state machines: the task list and the task graph
//! (docs/reference/task-list.md and docs/reference/task-graph.md), and the texts of code mode.
//!
//! A transition takes a state and the arguments of a tool, and returns a new state and the tool's result. It never fails and
//! never loses a task: an impossible request gets `{success: false, error, message, …}` and leaves the state unchanged. Only
//! `generateTaskGraph` replaces tasks, as documented.

pub mod provider_tools;
mod read;
mod refusal;
pub mod run_tool_code;
pub mod search_functions;
pub mod task_graph;
pub mod task_list;
pub mod text_methods;
