//! The task graph of `defTaskGraph`: tasks with dependencies, and eight tools to build and work through them
//! (docs/reference/task-graph.md).
//!
//! A task may start, or be completed, if every dependency is completed. So the dependencies of a task that is in progress or
//! completed are completed, unless the prompt file itself set the state otherwise. Every tool returns
//! `{success: true, …, message}` or `{success: false, …, error, message}`, and a refusal leaves the graph unchanged.

mod add_tasks;
mod checks;
mod context;
mod edges;
mod generate;
mod graph;
mod node;
mod questions;
mod status;
mod tools;
mod tree;
mod update;

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

pub use add_tasks::{fork_task, spawn_task};
pub use checks::{detect_cycles, get_unblocked_tasks, normalize_task_graph, validate_task_graph};
pub use generate::generate_task_graph;
pub use graph::TaskGraph;
pub use node::{HumanQuestion, TaskNode, TaskNodeStatus, parse_tasks};
pub use questions::{answer_question, ask_human};
pub use status::render_status;
pub use tools::{call_tool, tools};
pub use tree::read_tree;
pub use update::{list_unblocked_tasks, update_task_status};

/// The key of the state tuple and the name of the system section.
pub const STATE_KEY: &str = "taskGraph";
