//! The graph utilities of `lmthing/plugins`: pure functions over a list of tasks, valid or not.
//!
//! All of them take time linear in tasks and references.

use std::{
    borrow::Borrow,
    collections::{HashMap, HashSet},
};

use super::{TaskNode, TaskNodeStatus, edges::Edges};
use crate::plugin::refusal::quoted;

/// `detectCycles`: the ids of the tasks caught in a cycle, in graph order; empty for a graph that can be worked
/// through.
///
/// Caught are the tasks on a cycle and those downstream of one: none of them can ever become ready. (This is what is
/// left over by Kahn's algorithm.) A task that depends on itself is a cycle. Edges count whether they are written as
/// `dependencies` or as `unblocks`; references to unknown ids do not count.
pub(crate) fn detect_cycles<T: Borrow<TaskNode>>(tasks: &[T]) -> Vec<String> {
    Edges::new(tasks).caught.into_iter().map(|position| tasks[position].borrow().id.clone()).collect()
}

/// `validateTaskGraph`: one message for each problem; empty for a valid graph.
///
/// Problems: an id used more than once, each reference to an unknown id in `dependencies` or `unblocks`, and cycles
/// (one message for all of them, naming the tasks that can never run and one way round).
pub(crate) fn validate_task_graph<T: Borrow<TaskNode>>(tasks: &[T]) -> Vec<String> {
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

/// `normalizeTaskGraph`: makes both sides of every edge known, so that `b` depends on `a` exactly when `a` unblocks
/// `b`.
///
/// Keeps all tasks and their order, drops repeated references, keeps references to unknown ids where they are. What is
/// added stands after what was there, in graph order. Doing it twice changes nothing.
pub(crate) fn normalize_task_graph<T: Borrow<TaskNode>>(tasks: &[T]) -> Vec<TaskNode> {
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
/// A dependency that does not exist is not completed. Takes `dependencies` as they are written; normalise first when
/// edges may be in `unblocks` only.
pub(crate) fn get_unblocked_tasks<T: Borrow<TaskNode>>(tasks: &[T]) -> Vec<TaskNode> {
    let mut statuses: HashMap<&str, TaskNodeStatus> = HashMap::with_capacity(tasks.len());
    for task in tasks.iter().map(Borrow::borrow) {
        // Of two tasks with one id the first counts, as for edges.
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
        quoted(edges.caught.iter().map(id_of)),
        way_round.join(" -> ")
    ))
}

/// `given` without repetitions, then what `further` adds.
fn union<'a>(given: &'a [String], further: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    given.iter().map(String::as_str).chain(further).filter(|id| seen.insert(*id)).map(str::to_owned).collect()
}
