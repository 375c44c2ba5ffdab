//! `spawnTask` and `forkTask`: adding tasks to a graph that is being worked through.
//!
//! A spawned task stands beside the others: `parentId` only says where it belongs, and nobody waits for it unless it
//! `unblocks` them. A fork is a split: the sub-tasks take over what the task waits for, and the task itself becomes the
//! join, which waits for all of them and is told their results. Its dependents wait for the join as before, so nothing
//! else has to change.

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
    refusal::{Refusal, quoted},
};

/// `spawnTask({title, description?, id?, dependencies?, unblocks?, required_capabilities?, parentId?})`: adds a pending
/// task.
///
/// Without `id` one is made from the parent's. Result: `{success: true, taskId, task, ready, message}`. Refused, with
/// `errors`, are an id that is taken, unknown references, cycles, and blocking a task that is under way or completed.
pub(crate) fn spawn_task(graph: &TaskGraph, input: &Value) -> (TaskGraph, Value) {
    graph.settle(spawn(graph, input))
}

/// `forkTask({taskId, subtasks: [{title, description?, id?, dependencies?, required_capabilities?}]})`: splits a task.
///
/// Each sub-task waits for what the task waits for, gets its own text and, unless it names others, its capabilities.
/// The task is pending again and waits for all sub-tasks. Result: `{success: true, taskId, task, subtasks: [{id,
/// title}], message}`. Completed tasks and those that wait for a human are refused, and what [`spawn_task`] refuses.
pub(crate) fn fork_task(graph: &TaskGraph, input: &Value) -> (TaskGraph, Value) {
    graph.settle(fork(graph, input))
}

fn spawn(graph: &TaskGraph, input: &Value) -> Result<(TaskGraph, Value), Refusal> {
    let mut task = TaskNode::read_new(input, "spawnTask").map_err(wrong_shape)?;
    if let Some(parent) = &task.parent_id {
        // As the parent itself writes its id: models copy the brackets of the status section.
        task.parent_id = Some(graph.node(graph.find(parent)?).id.clone());
    }
    let mut tasks = graph.stored();
    let mut taken: HashSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
    let stem = task.parent_id.clone();
    give_id(&mut task, stem.as_deref(), &mut taken);
    let task_id = task.id.clone();
    tasks.push(task);
    let grown = grown(graph, tasks)?;
    let position = grown.find(&task_id)?;
    let ready = grown.is_ready(position);
    let message = match ready {
        true => format!("Task \"{task_id}\" added. It is ready to start."),
        false => {
            format!("Task \"{task_id}\" added. It waits for {}.", quoted(grown.unmet_dependencies(position)))
        }
    };
    let result = json!({
        "success": true,
        "taskId": task_id,
        "task": grown.shown(position),
        "ready": ready,
        "message": message,
    });
    Ok((grown, result))
}

fn fork(graph: &TaskGraph, input: &Value) -> Result<(TaskGraph, Value), Refusal> {
    let position = graph.find(&argument(input, "taskId")?)?;
    let original = graph.node(position);
    let refuse = |refusal: Refusal| refusal.with("taskId", json!(original.id));
    if matches!(original.status, TaskNodeStatus::Completed | TaskNodeStatus::WaitingHuman) {
        let status = status_text(original.status);
        return Err(refuse(Refusal::new(
            format!("Task is {status}: {}", original.id),
            format!("Task \"{}\" is {status} and cannot be split.", original.id),
        )));
    }
    let mut subtasks =
        read::read_array(&input["subtasks"], "subtasks", TaskNode::read_new).map_err(wrong_shape).map_err(refuse)?;
    if subtasks.is_empty() {
        let message = "\"subtasks\" is empty; give the tasks to split it into.";
        return Err(refuse(Refusal::new("Missing subtasks", message)));
    }
    let mut tasks = graph.stored();
    let mut taken: HashSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
    for subtask in &mut subtasks {
        give_id(subtask, Some(&original.id), &mut taken);
        take_over(subtask, original);
    }
    let ids: Vec<String> = subtasks.iter().map(|subtask| subtask.id.clone()).collect();
    // The task itself becomes the join, so whoever waits for it need not be told.
    let join = &mut tasks[position];
    // Whatever it was: it has new work before it. Its result, if any, is why it failed.
    join.status = TaskNodeStatus::Pending;
    join.output_result = None;
    join.dependencies.extend(ids.iter().cloned());
    // Next to the task they came from, so that the graph reads in the order of the work.
    tasks.splice(position..position, subtasks);
    let grown = grown(graph, tasks).map_err(refuse)?;
    let split: Vec<&TaskNode> = ids.iter().filter_map(|id| grown.find(id).ok()).map(|at| grown.node(at)).collect();
    let result = json!({
        "success": true,
        "taskId": original.id,
        "task": grown.shown(grown.find(&original.id)?),
        "subtasks": split.iter().map(|task| brief(task)).collect::<Vec<_>>(),
        "message": format!(
            "Task \"{}\" was split into {}. It becomes ready when all of them are completed.",
            original.id,
            quoted(&ids)
        ),
    });
    Ok((grown, result))
}

/// What a sub-task has from the task it was split from.
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

/// Chooses an id when the model did not: `parent.1`, or `task-1` without a parent.
fn give_id(task: &mut TaskNode, parent: Option<&str>, taken: &mut HashSet<String>) {
    if task.id.is_empty() {
        let stem = parent.map_or_else(|| "task-".to_owned(), |parent| format!("{parent}."));
        task.id = (1..).map(|number| format!("{stem}{number}")).find(|id| !taken.contains(id)).unwrap_or_default();
    }
    taken.insert(task.id.clone());
}

/// The graph with more tasks, if that brings no problem that was not there before and blocks nothing already begun.
fn grown(graph: &TaskGraph, tasks: Vec<TaskNode>) -> Result<TaskGraph, Refusal> {
    // A prompt file may have set a graph with problems; they are no reason to refuse a sound task.
    let known: HashSet<String> = graph.problems().into_iter().collect();
    let mut problems = validate_task_graph(&tasks);
    problems.retain(|problem| !known.contains(problem));
    let grown = TaskGraph::from_stored(&tasks);
    if problems.is_empty() {
        let begun = |id: &&TaskNode| matches!(id.status, TaskNodeStatus::InProgress | TaskNodeStatus::Completed);
        problems.extend(graph.nodes().iter().map(AsRef::as_ref).filter(begun).filter_map(|task| {
            let before = graph.find(&task.id).map(|at| graph.unmet_dependencies(at).len()).unwrap_or_default();
            let at = grown.find(&task.id).ok()?;
            let unmet = grown.unmet_dependencies(at);
            let still_begun = grown.node(at).status == task.status;
            (still_begun && unmet.len() > before).then(|| {
                format!("Task \"{}\" is already {} and cannot wait for a new task", task.id, status_text(task.status))
            })
        }));
    }
    if problems.is_empty() { Ok(grown) } else { Err(invalid(problems)) }
}

fn wrong_shape(ShapeError(faults): ShapeError) -> Refusal {
    invalid(faults)
}

fn invalid(problems: Vec<String>) -> Refusal {
    let message = format!("The task graph was not changed. {}.", problems.join(". "));
    Refusal::new("Invalid task", message).with("errors", json!(problems))
}
