//! `readTree`: the whole graph, with sub-tasks nested in their parents.

use serde_json::{Map, Value, json};

use super::{TaskNodeStatus, graph::TaskGraph};
use crate::plugin::{
    read::optional_argument,
    refusal::{ToolRefusal, count_tasks},
};

/// Sub-tasks deeper than this are siblings of their parent, because JSON readers limit nesting.
const MAX_DEPTH: usize = 32;

/// `readTree({taskId?})`: every task, or one with its sub-tasks, nested by `parent_id`.
///
/// Result: `{success: true, count, statuses: {pending: n, …}, tree: [{id, title, status, ready, dependencies, unblocks,
/// children, …}], message}`. Never changes the graph.
pub fn read_tree(graph: &TaskGraph, input: &Value) -> (TaskGraph, Value) {
    graph.settle(read(graph, input).map(|result| (graph.clone(), result)))
}

fn read(graph: &TaskGraph, input: &Value) -> Result<Value, ToolRefusal> {
    let root = optional_argument(input, "taskId").map(|task_id| graph.find(&task_id)).transpose()?;
    let outline = outline(graph, root);
    let mut statuses = Map::new();
    for (position, _) in &outline {
        let entry = statuses.entry(graph.node(*position).status.as_str()).or_insert(json!(0));
        *entry = json!(entry.as_u64().unwrap_or_default() + 1);
    }
    let ready = outline.iter().filter(|(position, _)| graph.is_ready(*position)).count();
    let completed = statuses.get(TaskNodeStatus::Completed.as_str()).and_then(Value::as_u64).unwrap_or_default();
    Ok(json!({
        "success": true,
        "count": outline.len(),
        "statuses": statuses,
        "tree": nest(graph, &outline),
        "message": format!("{}, {completed} completed, {ready} ready to start.", count_tasks(outline.len())),
    }))
}

/// A task with its descendants, or all tasks, in pre-order, each once, with its depth.
///
/// Parents come before children. A task whose parent does not exist, or is its own descendant, is still included.
fn outline(graph: &TaskGraph, root: Option<usize>) -> Vec<(usize, usize)> {
    let parent_of = |position: usize| graph.edges().positions.get(graph.node(position).parent_id.as_ref()?).copied();
    let count = graph.nodes().len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut roots = Vec::new();
    for position in 0..count {
        match parent_of(position) {
            Some(parent) => children[parent].push(position),
            None => roots.push(position),
        }
    }
    // After the roots all tasks follow again, for those that are their own ancestors; visited ones are skipped.
    let starts: Vec<usize> = root.map_or_else(|| roots.into_iter().chain(0..count).collect(), |root| vec![root]);
    let mut seen = vec![false; count];
    let mut outlined = Vec::new();
    for start in starts {
        let mut stack = vec![(start, 0)];
        while let Some((position, depth)) = stack.pop() {
            if std::mem::replace(&mut seen[position], true) {
                continue;
            }
            outlined.push((position, depth));
            let below = (depth + 1).min(MAX_DEPTH);
            // An explicit stack, as the depth of nesting is not limited.
            stack.extend(children[position].iter().rev().map(|&child| (child, below)));
        }
    }
    outlined
}

/// Turns the outline into nested objects, from its end, so that children are complete before their parent takes them.
fn nest(graph: &TaskGraph, outline: &[(usize, usize)]) -> Vec<Value> {
    let mut waiting: Vec<Vec<Value>> = vec![Vec::new(); MAX_DEPTH + 2];
    for &(position, depth) in outline.iter().rev() {
        let mut children = std::mem::take(&mut waiting[depth + 1]);
        children.reverse();
        waiting[depth].push(entry(graph, position, children));
    }
    let mut roots = std::mem::take(&mut waiting[0]);
    roots.reverse();
    roots
}

fn entry(graph: &TaskGraph, position: usize, children: Vec<Value>) -> Value {
    let task = graph.node(position);
    let mut entry = json!({
        "id": task.id,
        "title": task.title,
        "status": task.status,
        "ready": graph.is_ready(position),
        "dependencies": task.dependencies,
        "unblocks": task.unblocks,
    });
    if let Some(question) = &task.human_question {
        entry["question"] = json!(question.question);
    }
    if let Some(output) = &task.output_result {
        entry["output_result"] = json!(output);
    }
    entry["children"] = Value::Array(children);
    entry
}
