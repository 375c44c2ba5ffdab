//! The built-in task list and task graph.

pub(crate) mod task_graph;
pub(crate) mod task_list;
mod task_tools;
