//! `defTaskGraph` and the graph utilities over the engine-free task graph.
//!
//! The graph lives in Rust; the state's array is made from it, task by task, and only for tasks that changed. What the
//! tools do is in [`crate::plugin`] (docs/reference.md, "Task graph").

use std::{cell::RefCell, rc::Rc};

use rquickjs::{Array, Class, Ctx, Function, JsLifetime, Object, Result, Value, class::Trace, object::Accessor};

use super::task_tools::{self, define_plugin, given_tasks};
use crate::{
    plugin::task_graph::{self, STATE_KEY, TaskGraph, TaskNode},
    script::{
        bindings::{
            prompt::{call::Call, object::PromptObject},
            values::{from_json, from_serde, to_json, type_error},
        },
        warn,
    },
};

/// The graph of a prompt and the array that shows it.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
struct GraphHolder<'js> {
    #[qjs(skip_trace)]
    graph: Rc<RefCell<TaskGraph>>,
    /// Holds the array under `SHOWN`, so that it can be replaced.
    shown: Object<'js>,
}

/// Tools that tell a graph is there; the others come with them.
const TOOLS: &[&str] = &["generateTaskGraph", "updateTaskStatus", "getUnblockedTasks"];

/// The array that shows the graph.
const SHOWN: &str = "array";

/// `defTaskGraph(tasks?)`: `[graph, setGraph]` of the state `taskGraph`, the eight graph tools, and a section
/// `taskGraph` with the status in every step's system prompt. `tasks`: task nodes, used on the first run only. Throws a
/// `TypeError` for tasks of another shape; graphs with problems (cycles, unknown references) warn on stderr.
/// Rules: docs/reference.md, "Task graph".
pub(crate) fn def_task_graph(call: Call<'_>) -> Result<Value<'_>> {
    let ctx = call.ctx.clone();
    let known = call.prompt.borrow().bag.task_graph();
    let initial = match known {
        Some(_) => Value::new_undefined(ctx.clone()),
        // It has a state, from which it is read when somebody looks.
        None if call.core.has_stored_task_graph.get() => Value::new_undefined(ctx.clone()),
        None => {
            let graph = TaskGraph::new(&read(&ctx, &given_tasks(&call)?, "defTaskGraph")?);
            for problem in graph.problems() {
                warn::warning(&ctx, &format!("defTaskGraph: {problem}"))?;
            }
            let graph = Rc::new(RefCell::new(graph));
            let shown = show(&ctx, &graph, None)?;
            let holder = GraphHolder { graph, shown: Object::new(ctx.clone())? };
            holder.shown.set(SHOWN, shown.clone())?;
            let holder = Class::instance(ctx.clone(), holder)?;
            call.prompt.borrow().bag.set_task_graph(holder.into_inner());
            shown.into_value()
        }
    };
    define_plugin(&call, task_graph::tools(), call_tool, STATE_KEY, initial)
}

fn read<'js>(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<Vec<TaskNode>> {
    task_graph::parse_tasks(&to_json(ctx, value)?).map_err(|error| type_error(ctx, format!("{place}: {error}")))
}

/// The graph as it is now: what the prompt's code set since the last look counts.
fn current<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
) -> Result<Option<(Class<'js, GraphHolder<'js>>, TaskGraph)>> {
    let is_stored = prompt.borrow().core.has_stored_task_graph.get();
    if is_stored {
        take_up(ctx, prompt)?;
    }
    let (holder, state) = {
        let prompt = prompt.borrow();
        (prompt.bag.task_graph(), prompt.bag.state(STATE_KEY))
    };
    let holder = holder.and_then(|holder| Class::<GraphHolder>::from_object(&holder));
    let (Some(holder), Some(state)) = (holder, state) else { return Ok(None) };
    let value = state.value()?;
    let shown: Value = holder.borrow().shown.get(SHOWN)?;
    // Told by identity: a script that sets the graph gives another array, and reading one over is dear.
    if value != shown {
        let tasks = read(ctx, &value, STATE_KEY)?;
        let borrowed = holder.borrow();
        let graph = borrowed.graph.borrow().with_tasks(&tasks);
        *borrowed.graph.borrow_mut() = graph;
        borrowed.shown.set(SHOWN, value)?;
    }
    let graph = holder.borrow().graph.borrow().clone();
    Ok(Some((holder, graph)))
}

/// Reads the graph from a state of an earlier process, which from then on is the array that shows it.
fn take_up<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let state = prompt.borrow().bag.state(STATE_KEY);
    let Some(state) = state else { return Ok(()) };
    let value = state.value()?;
    let graph = TaskGraph::new(&read(ctx, &value, STATE_KEY)?);
    let graph = Rc::new(RefCell::new(graph));
    if let Some(array) = value.as_array() {
        for (position, node) in graph.borrow().nodes().iter().enumerate() {
            if let Some(task) = array.get::<Value>(position)?.as_object() {
                show_context(task, &graph, position, node)?;
            }
        }
    }
    let holder = GraphHolder { graph, shown: Object::new(ctx.clone())? };
    holder.shown.set(SHOWN, value)?;
    let holder = Class::instance(ctx.clone(), holder)?;
    let prompt = prompt.borrow();
    prompt.bag.set_task_graph(holder.into_inner());
    prompt.core.has_stored_task_graph.set(false);
    Ok(())
}

fn call_tool<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    name: &str,
    input: &serde_json::Value,
) -> Result<serde_json::Value> {
    let Some((holder, graph)) = current(ctx, prompt)? else { return Ok(serde_json::Value::Null) };
    let Some((changed, answer)) = task_graph::call_tool(&graph, name, input) else {
        return Ok(serde_json::Value::Null);
    };
    // A refusal leaves the state the very same value, so that no effect that depends on it runs.
    if !changed.same_as(&graph) {
        let borrowed = holder.borrow();
        let before: Array = borrowed.shown.get(SHOWN)?;
        *borrowed.graph.borrow_mut() = changed;
        let shown = show(ctx, &borrowed.graph, Some((&graph, &before)))?;
        let state = prompt.borrow().bag.state(STATE_KEY);
        if let Some(state) = state {
            state.set_value(shown.clone().into_value())?;
        }
        borrowed.shown.set(SHOWN, shown)?;
    }
    Ok(answer)
}

/// The status section of the step being prepared.
pub(crate) fn section<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Option<(String, String)>> {
    if !task_tools::is_made(prompt, TOOLS) {
        return Ok(None);
    }
    Ok(current(ctx, prompt)?.map(|(_, graph)| (STATE_KEY.to_owned(), task_graph::render_status(&graph))))
}

/// The graph as an array of tasks. The objects of tasks that did not change are taken over from the array that showed
/// the graph before, so that an update costs what it changes.
fn show<'js>(
    ctx: &Ctx<'js>,
    graph: &Rc<RefCell<TaskGraph>>,
    before: Option<(&TaskGraph, &Array<'js>)>,
) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (position, node) in graph.borrow().nodes().iter().enumerate() {
        let kept = match before {
            Some((old, array)) if old.nodes().get(position).is_some_and(|old| Rc::ptr_eq(old, node)) => {
                Some(array.get::<Value>(position)?)
            }
            _ => None,
        };
        match kept.filter(Value::is_object) {
            Some(kept) => list.set(position, kept)?,
            None => list.set(position, show_task(ctx, graph, position, node)?)?,
        }
    }
    Ok(list)
}

/// A task as an object.
fn show_task<'js>(
    ctx: &Ctx<'js>,
    graph: &Rc<RefCell<TaskGraph>>,
    position: usize,
    node: &Rc<TaskNode>,
) -> Result<Value<'js>> {
    let value = from_serde(ctx, &**node)?;
    if let Some(task) = value.as_object() {
        show_context(task, graph, position, node)?;
    }
    Ok(value)
}

/// Has the `input_context` of a task put together when somebody reads it, from the results there are by then: every finished
/// task changes those of everything downstream.
fn show_context<'js>(
    task: &Object<'js>,
    graph: &Rc<RefCell<TaskGraph>>,
    position: usize,
    node: &Rc<TaskNode>,
) -> Result<()> {
    if !node.dependencies.is_empty() {
        let (graph, node) = (graph.clone(), node.clone());
        // It holds plain data alone: what a closure holds, the collector does not see.
        let context = Accessor::from(move || {
            let graph = graph.borrow();
            // An array that is no longer the state may ask for a task that has moved or gone.
            let is_there = graph.nodes().get(position).is_some_and(|now| now.id == node.id);
            if is_there { graph.input_context(position) } else { node.input_context.clone() }
        });
        task.prop("input_context", context.enumerable().configurable())?;
    }
    Ok(())
}

/// Adds `detectCycles`, `validateTaskGraph`, `normalizeTaskGraph` and `getUnblockedTasks` to `lmthing/plugins`: pure
/// functions of an array of tasks. They throw a `TypeError` for tasks of another shape.
/// Rules: docs/reference.md, "Task graph".
pub(crate) fn export_utilities<'js>(ctx: &Ctx<'js>, exports: &Object<'js>) -> Result<()> {
    type Utility = fn(&[TaskNode]) -> serde_json::Value;
    let utilities: [(&str, Utility); 4] = [
        ("detectCycles", |tasks| serde_json::json!(task_graph::detect_cycles(tasks))),
        ("validateTaskGraph", |tasks| serde_json::json!(task_graph::validate_task_graph(tasks))),
        ("normalizeTaskGraph", |tasks| serde_json::json!(task_graph::normalize_task_graph(tasks))),
        ("getUnblockedTasks", |tasks| serde_json::json!(task_graph::get_unblocked_tasks(tasks))),
    ];
    for (name, run) in utilities {
        let function = Function::new(ctx.clone(), move |ctx: Ctx<'js>, tasks: Value<'js>| {
            let tasks = read(&ctx, &tasks, name)?;
            from_json(&ctx, &run(&tasks))
        })?;
        exports.set(name, function.with_name(name)?)?;
    }
    Ok(())
}
