//! The graph utilities of `lmthing/plugins`: pure functions over a list of tasks, valid or not, in linear time.

use std::{
    borrow::Borrow,
    collections::{HashMap, HashSet},
};

use super::{TaskNode, TaskNodeStatus, edges::Edges};
use crate::plugin::refusal::quoted;

/// `detectCycles`: the ids of the tasks that can never become ready because of a cycle, in graph order; empty for a graph without
/// cycles.
///
/// These are the tasks on a cycle and those downstream of one, which Kahn's algorithm leaves over. A task that depends on itself
/// is a cycle. Edges count whether they are given as `dependencies` or as `unblocks`; references to unknown ids do not count.
pub fn detect_cycles<T: Borrow<TaskNode>>(tasks: &[T]) -> Vec<String> {
    Edges::new(tasks).never_ready.into_iter().map(|position| tasks[position].borrow().id.clone()).collect()
}

/// `validateTaskGraph`: one message per problem; empty for a valid graph.
///
/// Problems are duplicate ids, references to unknown ids in `dependencies` or `unblocks`, and cycles (one message for all of
/// them, with the tasks that can never run and one cycle).
pub fn validate_task_graph<T: Borrow<TaskNode>>(tasks: &[T]) -> Vec<String> {
    let edges = Edges::new(tasks);
    let mut problems = duplicate_ids(tasks);
    for task in tasks.iter().map(Borrow::borrow) {
        let mut reported = HashSet::new();
        for (field, references) in [("depends on", &task.dependencies), ("unblocks", &task.unblocks)] {
            for reference in references.iter().filter(|id| !edges.positions.contains_key(*id)) {
                if reported.insert((field, reference)) {
                    problems.push(format!("Task \"{}\" {field} unknown task \"{reference}\"", task.id));
                }
            }
        }
    }
    problems.extend(cycle_problem(tasks, &edges));
    problems
}

/// `normalizeTaskGraph`: records every edge on both sides, so that `b` depends on `a` exactly if `a` unblocks `b`.
///
/// Keeps all tasks and their order, drops repeated references, and keeps references to unknown ids in place. Added references
/// follow the existing ones, in graph order. The operation is idempotent.
pub fn normalize_task_graph<T: Borrow<TaskNode>>(tasks: &[T]) -> Vec<TaskNode> {
    let edges = Edges::new(tasks);
    let id_of = |position: &usize| tasks[*position].borrow().id.as_str();
    tasks
        .iter()
        .map(Borrow::borrow)
        .map(|task| {
            let here = edges.positions[&task.id];
            TaskNode {
                dependencies: union(&task.dependencies, edges.upstream[here].iter().map(id_of)),
                unblocks: union(&task.unblocks, edges.downstream[here].iter().map(id_of)),
                ..task.clone()
            }
        })
        .collect()
}

/// `getUnblockedTasks` of `lmthing/plugins`: the pending tasks whose `dependencies` are all completed, in graph order.
///
/// A dependency that does not exist is not completed. Uses `dependencies` as given; normalize first if edges may be in
/// `unblocks` only.
pub fn get_unblocked_tasks<T: Borrow<TaskNode>>(tasks: &[T]) -> Vec<TaskNode> {
    let mut statuses: HashMap<&str, TaskNodeStatus> = HashMap::with_capacity(tasks.len());
    for task in tasks.iter().map(Borrow::borrow) {
        // Of two tasks with the same id the first counts, as for edges.
        statuses.entry(&task.id).or_insert(task.status);
    }
    let completed = |id: &String| statuses.get(id.as_str()) == Some(&TaskNodeStatus::Completed);
    tasks
        .iter()
        .map(Borrow::borrow)
        .filter(|task| task.status == TaskNodeStatus::Pending && task.dependencies.iter().all(completed))
        .cloned()
        .collect()
}

fn duplicate_ids<T: Borrow<TaskNode>>(tasks: &[T]) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut reported = HashSet::new();
    tasks
        .iter()
        .map(|task| task.borrow().id.as_str())
        .filter(|id| !seen.insert(*id) && reported.insert(*id))
        .map(|id| format!("Duplicate task id \"{id}\""))
        .collect()
}

fn cycle_problem<T: Borrow<TaskNode>>(tasks: &[T], edges: &Edges) -> Option<String> {
    let id_of = |position: &usize| tasks[*position].borrow().id.as_str();
    let cycle = edges.find_cycle();
    let first = cycle.first()?;
    let way_round: Vec<&str> = cycle.iter().chain([first]).map(id_of).collect();
    Some(format!(
        "Circular dependency: {} can never run ({}, where each depends on the next)",
        quoted(edges.never_ready.iter().map(id_of)),
        way_round.join(" -> ")
    ))
}

/// `given` without repetitions, followed by the new ones of `further`.
fn union<'a>(given: &'a [String], further: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    given.iter().map(String::as_str).chain(further).filter(|id| seen.insert(*id)).map(str::to_owned).collect()
}
