//! `spawnTask` and `forkTask`: add tasks to an existing graph.
//!
//! A spawned task is independent: `parentId` is only informative, and no task depends on it unless it `unblocks` them. A fork
//! splits a task: the sub-tasks take over its dependencies, and the task itself becomes the join, which depends on all of them
//! and receives their results. Its dependents still depend on the join, so nothing else has to change.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    TaskNode, TaskNodeStatus,
    generate::{brief, status_text},
    graph::TaskGraph,
    validate_task_graph,
};
use crate::plugin::{
    read::{self, ShapeError, argument},
    refusal::{ToolRefusal, quoted},
};

/// `spawnTask({title, description?, id?, dependencies?, unblocks?, required_capabilities?, parentId?})`: adds a pending
/// task.
///
/// Without `id` one is derived from the parent's. Result: `{success: true, taskId, task, ready, message}`. Refused, with
/// `errors`, are duplicate ids, unknown references, cycles, and blocking a task that is in progress or completed.
pub fn spawn_task(graph: &TaskGraph, input: &Value) -> (TaskGraph, Value) {
    graph.settle(spawn(graph, input))
}

/// `forkTask({taskId, subtasks: [{title, description?, id?, dependencies?, required_capabilities?}]})`: splits a task.
///
/// Each sub-task depends on what the task depends on, and inherits its text and, unless it names others, its capabilities. The
/// task becomes pending and depends on all sub-tasks. Result: `{success: true, taskId, task, subtasks: [{id, title}], message}`.
/// Refused are completed tasks, tasks that wait for a human, and what [`spawn_task`] refuses.
pub fn fork_task(graph: &TaskGraph, input: &Value) -> (TaskGraph, Value) {
    graph.settle(fork(graph, input))
}

fn spawn(graph: &TaskGraph, input: &Value) -> Result<(TaskGraph, Value), ToolRefusal> {
    let mut task = TaskNode::read_new(input, "spawnTask").map_err(wrong_shape)?;
    if let Some(parent) = &task.parent_id {
        // The id without the brackets of the status section, which models copy.
        task.parent_id = Some(graph.node(graph.find(parent)?).id.clone());
    }
    let mut tasks = graph.stored();
    let mut taken: HashSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
    let stem = task.parent_id.clone();
    give_id(&mut task, stem.as_deref(), &mut taken);
    let task_id = task.id.clone();
    tasks.push(task);
    let extended = extended(graph, tasks)?;
    let position = extended.find(&task_id)?;
    let ready = extended.is_ready(position);
    let message = match ready {
        true => format!("Task \"{task_id}\" added. It is ready to start."),
        false => {
            format!("Task \"{task_id}\" added. It waits for {}.", quoted(extended.unmet_dependencies(position)))
        }
    };
    let result = json!({
        "success": true,
        "taskId": task_id,
        "task": extended.shown(position),
        "ready": ready,
        "message": message,
    });
    Ok((extended, result))
}

fn fork(graph: &TaskGraph, input: &Value) -> Result<(TaskGraph, Value), ToolRefusal> {
    let position = graph.find(&argument(input, "taskId")?)?;
    let original = graph.node(position);
    let refuse = |refusal: ToolRefusal| refusal.with("taskId", json!(original.id));
    if matches!(original.status, TaskNodeStatus::Completed | TaskNodeStatus::WaitingHuman) {
        let status = status_text(original.status);
        return Err(refuse(ToolRefusal::new(
            format!("Task is {status}: {}", original.id),
            format!("Task \"{}\" is {status} and cannot be split.", original.id),
        )));
    }
    let mut subtasks =
        read::read_array(&input["subtasks"], "subtasks", TaskNode::read_new).map_err(wrong_shape).map_err(refuse)?;
    if subtasks.is_empty() {
        let message = "\"subtasks\" is empty; give the tasks to split it into.";
        return Err(refuse(ToolRefusal::new("Missing subtasks", message)));
    }
    let mut tasks = graph.stored();
    let mut taken: HashSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
    for subtask in &mut subtasks {
        give_id(subtask, Some(&original.id), &mut taken);
        take_over(subtask, original);
    }
    let ids: Vec<String> = subtasks.iter().map(|subtask| subtask.id.clone()).collect();
    let join = &mut tasks[position];
    // A failed task is tried again, so its result, the reason of the failure, is dropped.
    join.status = TaskNodeStatus::Pending;
    join.output_result = None;
    join.dependencies.extend(ids.iter().cloned());
    // Before the task they came from, so that the graph is in the order of the work.
    tasks.splice(position..position, subtasks);
    let extended = extended(graph, tasks).map_err(refuse)?;
    let split: Vec<&TaskNode> =
        ids.iter().filter_map(|id| extended.find(id).ok()).map(|at| extended.node(at)).collect();
    let result = json!({
        "success": true,
        "taskId": original.id,
        "task": extended.shown(extended.find(&original.id)?),
        "subtasks": split.iter().map(|task| brief(task)).collect::<Vec<_>>(),
        "message": format!(
            "Task \"{}\" was split into {}. It becomes ready when all of them are completed.",
            original.id,
            quoted(&ids)
        ),
    });
    Ok((extended, result))
}

/// Copies dependencies, capabilities and text from the task that was split.
fn take_over(subtask: &mut TaskNode, original: &TaskNode) {
    let own = std::mem::replace(&mut subtask.dependencies, original.dependencies.clone());
    subtask.dependencies.extend(own);
    subtask.parent_id = Some(original.id.clone());
    if subtask.required_capabilities.is_empty() {
        subtask.required_capabilities.clone_from(&original.required_capabilities);
    }
    if subtask.input_context.is_none() {
        subtask.input_context.clone_from(&original.input_context);
    }
}

fn give_id(task: &mut TaskNode, parent: Option<&str>, taken: &mut HashSet<String>) {
    if task.id.is_empty() {
        let stem = parent.map_or_else(|| "task-".to_owned(), |parent| format!("{parent}."));
        task.id = (1..).map(|number| format!("{stem}{number}")).find(|id| !taken.contains(id)).unwrap_or_default();
    }
    taken.insert(task.id.clone());
}

/// The graph with more tasks. Fails if that causes a new problem, or blocks a task that has already begun.
fn extended(graph: &TaskGraph, tasks: Vec<TaskNode>) -> Result<TaskGraph, ToolRefusal> {
    // A prompt file may have set a graph with problems, which do not concern the new task.
    let known: HashSet<String> = graph.problems().into_iter().collect();
    let mut problems = validate_task_graph(&tasks);
    problems.retain(|problem| !known.contains(problem));
    let extended = TaskGraph::from_stored(&tasks);
    if problems.is_empty() {
        let begun = |id: &&TaskNode| matches!(id.status, TaskNodeStatus::InProgress | TaskNodeStatus::Completed);
        problems.extend(graph.nodes().iter().map(AsRef::as_ref).filter(begun).filter_map(|task| {
            let before = graph.find(&task.id).map(|at| graph.unmet_dependencies(at).len()).unwrap_or_default();
            let at = extended.find(&task.id).ok()?;
            let unmet = extended.unmet_dependencies(at);
            let still_begun = extended.node(at).status == task.status;
            (still_begun && unmet.len() > before).then(|| {
                format!("Task \"{}\" is already {} and cannot wait for a new task", task.id, status_text(task.status))
            })
        }));
    }
    if problems.is_empty() { Ok(extended) } else { Err(invalid(problems)) }
}

fn wrong_shape(ShapeError(faults): ShapeError) -> ToolRefusal {
    invalid(faults)
}

fn invalid(problems: Vec<String>) -> ToolRefusal {
    let message = format!("The task graph was not changed. {}.", problems.join(". "));
    ToolRefusal::new("Invalid task", message).with("errors", json!(problems))
}
