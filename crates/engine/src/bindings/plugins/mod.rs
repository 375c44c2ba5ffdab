//! The built-in task list and task graph.

pub mod task_graph;
pub mod task_list;
mod task_tools;
