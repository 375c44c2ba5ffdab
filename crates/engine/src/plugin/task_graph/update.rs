//! `getUnblockedTasks` and `updateTaskStatus`: find work and report on it.

use serde_json::{Value, json};

use super::{
    TaskNodeStatus,
    generate::{brief, status_text},
    graph::TaskGraph,
};
use crate::plugin::{
    read::{argument, optional_argument},
    refusal::{ToolRefusal, count_tasks, quoted},
};

/// The tool `getUnblockedTasks({})`: the tasks that can be started, with their `input_context`.
///
/// Result: `{success: true, count, tasks, message}`; the message gives the reason if there are none. Never changes the graph.
/// (The utility of the same name is [`get_unblocked_tasks`](super::get_unblocked_tasks).)
pub fn list_unblocked_tasks(graph: &TaskGraph) -> (TaskGraph, Value) {
    let ready = graph.ready();
    let message = match ready.len() {
        0 => nothing_ready(graph),
        1 => "1 task is ready to start.".to_owned(),
        count => format!("{count} tasks are ready to start."),
    };
    let result = json!({
        "success": true,
        "count": ready.len(),
        "tasks": ready.iter().map(|&position| graph.shown(position)).collect::<Vec<_>>(),
        "message": message,
    });
    (graph.clone(), result)
}

fn nothing_ready(graph: &TaskGraph) -> String {
    let count = |status| graph.nodes().iter().filter(|node| node.status == status).count();
    let total = graph.nodes().len();
    if total == 0 {
        return "There are no tasks yet. Create them with generateTaskGraph.".to_owned();
    }
    if count(TaskNodeStatus::Completed) == total {
        return format!("Nothing is left to do: all {} completed.", count_tasks(total));
    }
    let standings: Vec<String> = [
        TaskNodeStatus::InProgress,
        TaskNodeStatus::WaitingHuman,
        TaskNodeStatus::Failed,
        TaskNodeStatus::Pending,
        TaskNodeStatus::Completed,
    ]
    .into_iter()
    .filter(|&status| count(status) > 0)
    .map(|status| {
        // A pending task that is not ready is blocked.
        let word = if status == TaskNodeStatus::Pending { "blocked" } else { status_text(status) };
        format!("{} {word}", count(status))
    })
    .collect();
    format!("No task is ready to start: {}.", standings.join(", "))
}

/// `updateTaskStatus({taskId, status, output_result?})`: sets a task to `in_progress`, `completed` or `failed`.
///
/// Result: `{success: true, taskId, task, newlyUnblocked: [{id, title}], message}`, or a refusal `{success: false, taskId,
/// error, message, …}`. Refused are starting and completing a task whose dependencies are not completed (listed in
/// `unmetDependencies`), a task that waits for a human (it may fail), and reopening a completed task that others built on.
/// Repeating a status is allowed; completing again with another `output_result` replaces it. For a failed task `output_result` is
/// the reason.
pub fn update_task_status(graph: &TaskGraph, input: &Value) -> (TaskGraph, Value) {
    graph.settle(update(graph, input))
}

fn update(graph: &TaskGraph, input: &Value) -> Result<(TaskGraph, Value), ToolRefusal> {
    let position = graph.find(&argument(input, "taskId")?)?;
    let task_id = &graph.node(position).id;
    let refuse = |refusal: ToolRefusal| refusal.with("taskId", json!(task_id));
    let status = argument(input, "status").and_then(|text| read_status(&text)).map_err(refuse)?;
    let output = optional_argument(input, "output_result");
    check(graph, position, status).map_err(refuse)?;
    let was_completed = graph.node(position).status == TaskNodeStatus::Completed;
    let restarted = graph.node(position).status == TaskNodeStatus::Failed && status != TaskNodeStatus::Failed;
    let graph = graph.with_changed(position, |task| {
        task.status = status;
        // Only a failure reaches this with an open question, which needs no answer then.
        task.human_question = None;
        if output.is_some() {
            task.output_result = output;
        } else if restarted {
            task.output_result = None;
        }
    });
    let newly: Vec<Value> = match status {
        // Completing again only replaces the result; newly unblocked tasks were reported the first time.
        TaskNodeStatus::Completed if !was_completed => {
            let waiting = graph.edges().downstream[position].iter();
            waiting.filter(|&&next| graph.is_ready(next)).map(|&next| brief(graph.node(next))).collect()
        }
        _ => Vec::new(),
    };
    let result = json!({
        "success": true,
        "taskId": graph.node(position).id,
        "task": graph.shown(position),
        "message": update_message(&graph, position, &newly),
        "newlyUnblocked": newly,
    });
    Ok((graph, result))
}

fn read_status(text: &str) -> Result<TaskNodeStatus, ToolRefusal> {
    match TaskNodeStatus::from_text(text) {
        Some(status @ (TaskNodeStatus::InProgress | TaskNodeStatus::Completed | TaskNodeStatus::Failed)) => Ok(status),
        _ => Err(ToolRefusal::new(
            format!("Unknown status: {text}"),
            format!("\"status\" must be in_progress, completed or failed, not \"{text}\"."),
        )),
    }
}

fn check(graph: &TaskGraph, position: usize, status: TaskNodeStatus) -> Result<(), ToolRefusal> {
    let task = graph.node(position);
    let verb = if status == TaskNodeStatus::Completed { "completed" } else { "started" };
    let unmet = graph.unmet_dependencies(position);
    if status != TaskNodeStatus::Failed && !unmet.is_empty() {
        let names = quoted(&unmet);
        let what = if unmet.len() == 1 { "this dependency is" } else { "these dependencies are" };
        return Err(ToolRefusal::new(
            format!("Task is blocked: {}", task.id),
            format!("Task \"{}\" cannot be {verb} yet: {what} not completed: {names}.", task.id),
        )
        .with("unmetDependencies", json!(unmet)));
    }
    if task.status == TaskNodeStatus::WaitingHuman && status != TaskNodeStatus::Failed {
        let question = task.human_question.as_ref().map(|question| question.question.as_str()).unwrap_or_default();
        return Err(ToolRefusal::new(
            format!("Task is waiting for a human: {}", task.id),
            format!(
                "Task \"{}\" cannot be {verb} before its question is answered (\"{question}\"). Use answerQuestion.",
                task.id
            ),
        ));
    }
    if task.status == TaskNodeStatus::Completed && status != TaskNodeStatus::Completed {
        return check_reopening(graph, position);
    }
    Ok(())
}

/// A completed task may be reopened only while no other task was built on it.
fn check_reopening(graph: &TaskGraph, position: usize) -> Result<(), ToolRefusal> {
    let task = graph.node(position);
    let begun: Vec<&str> = graph.edges().downstream[position]
        .iter()
        .map(|&next| graph.node(next))
        .filter(|next| matches!(next.status, TaskNodeStatus::InProgress | TaskNodeStatus::Completed))
        .map(|next| next.id.as_str())
        .collect();
    if begun.is_empty() {
        return Ok(());
    }
    Err(ToolRefusal::new(
        format!("Task is completed: {}", task.id),
        format!(
            "Task \"{}\" is completed and was built on by {}. Complete it again with another output_result to replace its \
             result.",
            task.id,
            quoted(begun)
        ),
    ))
}

fn update_message(graph: &TaskGraph, position: usize, newly: &[Value]) -> String {
    let task = graph.node(position);
    let mut message = format!("Task \"{}\" ({}) is now {}.", task.id, task.title, status_text(task.status));
    if !newly.is_empty() {
        let names = quoted(newly.iter().filter_map(|task| task["id"].as_str()));
        message.push_str(&format!(" Now ready to start: {names}."));
    }
    let open = graph.nodes().iter().any(|node| node.status != TaskNodeStatus::Completed);
    if !open {
        message.push_str(" All tasks are completed.");
    }
    if task.status == TaskNodeStatus::Failed {
        let waiting = graph.edges().downstream[position].iter().map(|&next| &graph.node(next).id);
        let names = quoted(waiting);
        if !names.is_empty() {
            message.push_str(&format!(" Waiting for it: {names}. Set it to in_progress to try again."));
        }
    }
    message
}
