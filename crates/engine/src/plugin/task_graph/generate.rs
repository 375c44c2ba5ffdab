//! `generateTaskGraph`: creates or replaces the graph as a whole.

use serde_json::{Value, json};

use super::{TaskNode, TaskNodeStatus, graph::TaskGraph, node, validate_task_graph};
use crate::plugin::{
    read::ShapeError,
    refusal::{ToolRefusal, count_tasks, quoted},
};

/// `generateTaskGraph({tasks})`: replaces the graph by the given tasks.
///
/// Result: `{success: true, count, unblocked: [{id, title}], message}`. If a task has the wrong shape or the graph is invalid:
/// `{success: false, errors: [one message per problem], error, message}`, and the old graph stays.
pub fn generate_task_graph(graph: &TaskGraph, input: &Value) -> (TaskGraph, Value) {
    graph.settle(generate(input))
}

fn generate(input: &Value) -> Result<(TaskGraph, Value), ToolRefusal> {
    // Some models send the list itself.
    let given = if input.is_array() { input } else { &input["tasks"] };
    let tasks = node::parse_tasks(given).map_err(|ShapeError(faults)| invalid(faults))?;
    if tasks.is_empty() {
        return Err(invalid(vec!["tasks is empty; give at least one task".to_owned()]));
    }
    let problems = validate_task_graph(&tasks);
    if !problems.is_empty() {
        return Err(invalid(problems));
    }
    let graph = TaskGraph::new(&tasks);
    let ready = graph.ready();
    let message = format!(
        "Task graph created with {}. {}",
        count_tasks(tasks.len()),
        if ready.is_empty() {
            "None is ready to start.".to_owned()
        } else {
            format!("Ready to start: {}.", quoted(ready.iter().map(|&position| &graph.node(position).id)))
        }
    );
    let result = json!({
        "success": true,
        "count": tasks.len(),
        "unblocked": ready.iter().map(|&position| brief(graph.node(position))).collect::<Vec<_>>(),
        "message": message,
    });
    Ok((graph, result))
}

fn invalid(problems: Vec<String>) -> ToolRefusal {
    let message = format!(
        "The task graph was not changed. {}. Correct the tasks and call generateTaskGraph again.",
        problems.join(". ")
    );
    ToolRefusal::new("Invalid task graph", message).with("errors", json!(problems))
}

pub(super) fn brief(task: &TaskNode) -> Value {
    json!({ "id": task.id, "title": task.title })
}

pub(super) fn status_text(status: TaskNodeStatus) -> &'static str {
    match status {
        TaskNodeStatus::Pending => "pending",
        TaskNodeStatus::InProgress => "in progress",
        TaskNodeStatus::Completed => "completed",
        TaskNodeStatus::Failed => "failed",
        TaskNodeStatus::WaitingHuman => "waiting for a human",
    }
}
