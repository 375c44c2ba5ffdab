//! The task graph of `defTaskGraph`: tasks that wait for each other, and eight tools to build and work through them
//! (docs/reference.md, "Task graph").
//!
//! - `node` – one task and how it is read
//! - `edges` – who waits for whom, by position
//! - `checks` – the utilities: cycles, validation, normalising, ready tasks
//! - `graph` – the state the tools work on
//! - `context` – what a task is told of its upstream tasks
//! - `generate`, `update`, `grow`, `ask`, `tree` – the tools
//! - `tools` – their descriptors, and calling one by name
//! - `status` – the status section of the system prompt
//!
//! Rules: a task may start, or be completed, when every dependency is completed; so whatever is in progress or completed
//! stands on completed work, unless the prompt file itself wrote the state otherwise. Every tool answers with
//! `{success: true, …, message}` or `{success: false, …, error, message}`, and a refusal leaves the graph as it was.

mod ask;
mod checks;
mod context;
mod edges;
mod generate;
mod graph;
mod grow;
mod node;
mod status;
mod tools;
mod tree;
mod update;

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

pub(crate) use ask::{answer_question, ask_human};
pub(crate) use checks::{detect_cycles, get_unblocked_tasks, normalize_task_graph, validate_task_graph};
pub(crate) use generate::generate_task_graph;
pub(crate) use graph::TaskGraph;
pub(crate) use grow::{fork_task, spawn_task};
pub(crate) use node::{HumanQuestion, TaskNode, TaskNodeStatus, parse_tasks};
pub(crate) use status::render_status;
pub(crate) use tools::{call_tool, tools};
pub(crate) use tree::read_tree;
pub(crate) use update::{list_unblocked_tasks, update_task_status};

/// The key of the state tuple and the name of the system section.
pub(crate) const STATE_KEY: &str = "taskGraph";
