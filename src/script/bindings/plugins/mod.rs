//! The built-in task list and task graph, between JavaScript and their engine-free halves in `crate::plugin`. Must not
//! know the rules of tasks.

pub(crate) mod task_graph;
pub(crate) mod task_list;
mod task_tools;
