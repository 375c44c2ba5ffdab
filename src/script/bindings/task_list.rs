//! `defTaskList` (SPEC 6) over the engine-free task list.

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    stateful_prompt::{Call, invoke},
    task_tools,
    values::{from_json, from_serde, property, to_json, type_error},
};
use crate::{
    plugin::task_list::{self, STATE_KEY, Task},
    script::warn,
};

/// `defTaskList(tasks)`: `[tasks, setTasks]` of the state `taskList`, the tools `startTask`, `completeTask`, `failTask`, and
/// a section `taskList` with the status in every step's system prompt. `tasks`: `[{id, name, status?}]`, used on the
/// first run only. Throws a `TypeError` for tasks of another shape; doubtful lists warn on stderr.
pub(super) fn def_task_list(call: Call<'_>) -> Result<Value<'_>> {
    let ctx = call.ctx.clone();
    let known = property(&call.bag, "taskListDefined")?.is_some();
    let initial = if known {
        Value::new_undefined(ctx.clone())
    } else {
        let tasks = read(&ctx, &call.arg(0), "defTaskList")?;
        for problem in task_list::validate_task_list(&tasks) {
            warn::warning(&ctx, &format!("defTaskList: {problem}"))?;
        }
        call.bag.set("taskListDefined", true)?;
        from_serde(&ctx, &tasks)?
    };
    for tool in task_list::tools() {
        task_tools::define(&call, tool, call_tool)?;
    }
    invoke(&call.prompt, "defState", vec![from_json(&ctx, &STATE_KEY.into())?, initial])
}

fn read<'js>(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<Vec<Task>> {
    task_list::parse_tasks(&to_json(ctx, value)?).map_err(|error| type_error(ctx, format!("{place}: {error}")))
}

fn call_tool<'js>(
    ctx: &Ctx<'js>,
    bag: &Object<'js>,
    name: &str,
    input: &serde_json::Value,
) -> Result<serde_json::Value> {
    let Some(state) = task_tools::state(bag, STATE_KEY)? else { return Ok(serde_json::Value::Null) };
    let tasks = read(ctx, &state.get("value")?, "taskList")?;
    let Some((changed, answer)) = task_list::call_tool(&tasks, name, input) else { return Ok(serde_json::Value::Null) };
    if changed != tasks {
        state.set("value", from_serde(ctx, &changed)?)?;
    }
    Ok(answer)
}

/// The status section of the step being prepared.
pub(super) fn section<'js>(ctx: &Ctx<'js>, bag: &Object<'js>) -> Result<Option<(String, String)>> {
    if property(bag, "taskListDefined")?.is_none() || !task_tools::is_made(bag, "startTask")? {
        return Ok(None);
    }
    let Some(state) = task_tools::state(bag, STATE_KEY)? else { return Ok(None) };
    let tasks = read(ctx, &state.get("value")?, "taskList")?;
    Ok(Some((STATE_KEY.to_owned(), task_list::render_status(&tasks))))
}
