//! The task graph of `defTaskGraph`: tasks with dependencies, and eight tools to build and work through them
//! (docs/reference.md, "Task graph").
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

pub(crate) use add_tasks::{fork_task, spawn_task};
pub(crate) use checks::{detect_cycles, get_unblocked_tasks, normalize_task_graph, validate_task_graph};
pub(crate) use generate::generate_task_graph;
pub(crate) use graph::TaskGraph;
pub(crate) use node::{HumanQuestion, TaskNode, TaskNodeStatus, parse_tasks};
pub(crate) use questions::{answer_question, ask_human};
pub(crate) use status::render_status;
pub(crate) use tools::{call_tool, tools};
pub(crate) use tree::read_tree;
pub(crate) use update::{list_unblocked_tasks, update_task_status};

/// The key of the state tuple and the name of the system section.
pub(crate) const STATE_KEY: &str = "taskGraph";
