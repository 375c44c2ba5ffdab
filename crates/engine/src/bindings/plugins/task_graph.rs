//! `defTaskGraph` and the graph utilities (docs/reference/task-graph.md).
//!
//! The graph is held in Rust. The array of the state is derived from it; only changed tasks get new objects.

use std::{cell::RefCell, rc::Rc};

use rquickjs::{Array, Class, Ctx, Function, JsLifetime, Object, Result, Value, class::Trace, object::Accessor};

use super::task_tools::{self, define_plugin, given_tasks};
use crate::{
    bindings::{
        prompt::{call::Call, object::PromptObject},
        values::{from_json, from_serde, to_json, type_error},
    },
    plugin::task_graph::{self, STATE_KEY, TaskGraph, TaskNode},
};
use lmthing_node::warn;

#[derive(Trace, JsLifetime)]
#[rquickjs::class]
struct GraphHolder<'js> {
    #[qjs(skip_trace)]
    graph: Rc<RefCell<TaskGraph>>,
    /// Holds the array under [`ARRAY_KEY`], so that it can be replaced.
    shown: Object<'js>,
}

const TOOLS: &[&str] = &["generateTaskGraph", "updateTaskStatus", "getUnblockedTasks"];

const ARRAY_KEY: &str = "array";

/// `defTaskGraph(tasks?)`: `[graph, setGraph]` of the state `taskGraph`, with tools and a system section. `tasks` are
/// used on the first run only; problems such as cycles are printed as warnings.
pub(crate) fn def_task_graph(call: Call<'_>) -> Result<Value<'_>> {
    let ctx = call.ctx.clone();
    let known = call.prompt.borrow().bag.task_graph();
    let initial = match known {
        Some(_) => Value::new_undefined(ctx.clone()),
        None if call.core.has_stored_task_graph.get() => Value::new_undefined(ctx.clone()),
        None => {
            let graph = TaskGraph::new(&read(&ctx, &given_tasks(&call)?, "defTaskGraph")?);
            for problem in graph.problems() {
                warn::warning(&ctx, &format!("defTaskGraph: {problem}"))?;
            }
            let graph = Rc::new(RefCell::new(graph));
            let shown = show(&ctx, &graph, None)?;
            let holder = GraphHolder { graph, shown: Object::new(ctx.clone())? };
            holder.shown.set(ARRAY_KEY, shown.clone())?;
            let holder = Class::instance(ctx.clone(), holder)?;
            call.prompt.borrow().bag.set_task_graph(holder.into_inner());
            shown.into_value()
        }
    };
    define_plugin(&call, "defTaskGraph", task_graph::tools(), call_tool, STATE_KEY, initial)
}

fn read<'js>(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<Vec<TaskNode>> {
    task_graph::parse_tasks(&to_json(ctx, value)?).map_err(|error| type_error(ctx, format!("{place}: {error}")))
}

/// Applies changes that the prompt's code made to the state.
fn current<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
) -> Result<Option<(Class<'js, GraphHolder<'js>>, TaskGraph)>> {
    let is_stored = prompt.borrow().core.has_stored_task_graph.get();
    if is_stored {
        restore(ctx, prompt)?;
    }
    let (holder, state) = {
        let prompt = prompt.borrow();
        (prompt.bag.task_graph(), prompt.bag.state(STATE_KEY))
    };
    let holder = holder.and_then(|holder| Class::<GraphHolder>::from_object(&holder));
    let (Some(holder), Some(state)) = (holder, state) else { return Ok(None) };
    let value = state.value()?;
    let shown: Value = holder.borrow().shown.get(ARRAY_KEY)?;
    // Compared by identity: a script that sets the graph gives another array, and reading one is slow.
    if value != shown {
        let tasks = read(ctx, &value, STATE_KEY)?;
        let borrowed = holder.borrow();
        let graph = borrowed.graph.borrow().with_tasks(&tasks);
        *borrowed.graph.borrow_mut() = graph;
        borrowed.shown.set(ARRAY_KEY, value)?;
    }
    let graph = holder.borrow().graph.borrow().clone();
    Ok(Some((holder, graph)))
}

/// Reads the graph from the state of an earlier process, whose array becomes the graph's.
fn restore<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
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
    holder.shown.set(ARRAY_KEY, value)?;
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
    // A rejected call leaves the identical value, so that dependent effects do not run.
    if !changed.same_as(&graph) {
        let borrowed = holder.borrow();
        let before: Array = borrowed.shown.get(ARRAY_KEY)?;
        *borrowed.graph.borrow_mut() = changed;
        let shown = show(ctx, &borrowed.graph, Some((&graph, &before)))?;
        let state = prompt.borrow().bag.state(STATE_KEY);
        if let Some(state) = state {
            state.set_value(shown.clone().into_value())?;
        }
        borrowed.shown.set(ARRAY_KEY, shown)?;
    }
    Ok(answer)
}

pub(crate) fn section<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Option<(String, String)>> {
    if !task_tools::is_defined(prompt, TOOLS) {
        return Ok(None);
    }
    Ok(current(ctx, prompt)?.map(|(_, graph)| (STATE_KEY.to_owned(), task_graph::render_status(&graph))))
}

/// The graph as an array of tasks. Objects of unchanged tasks are reused, so that the cost depends on the change.
fn show<'js>(
    ctx: &Ctx<'js>,
    graph: &Rc<RefCell<TaskGraph>>,
    before: Option<(&TaskGraph, &Array<'js>)>,
) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (position, node) in graph.borrow().nodes().iter().enumerate() {
        let unchanged = match before {
            Some((old, array)) if old.nodes().get(position).is_some_and(|old| Rc::ptr_eq(old, node)) => {
                Some(array.get::<Value>(position)?)
            }
            _ => None,
        };
        match unchanged.filter(Value::is_object) {
            Some(task) => list.set(position, task)?,
            None => list.set(position, show_task(ctx, graph, position, node)?)?,
        }
    }
    Ok(list)
}

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

/// Defines `input_context` as a getter over current results: every finished task changes those of all tasks downstream.
fn show_context<'js>(
    task: &Object<'js>,
    graph: &Rc<RefCell<TaskGraph>>,
    position: usize,
    node: &Rc<TaskNode>,
) -> Result<()> {
    if !node.dependencies.is_empty() {
        let (graph, node) = (graph.clone(), node.clone());
        // Plain data only: the collector does not see values in a closure.
        let context = Accessor::from(move || {
            let graph = graph.borrow();
            // An old array may have a task that has moved or is gone.
            let is_there = graph.nodes().get(position).is_some_and(|now| now.id == node.id);
            if is_there { graph.input_context(position) } else { node.input_context.clone() }
        });
        task.prop("input_context", context.enumerable().configurable())?;
    }
    Ok(())
}

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
