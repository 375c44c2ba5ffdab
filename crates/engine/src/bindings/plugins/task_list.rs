//! `defTaskList` (docs/reference/task-list.md).

use rquickjs::{Ctx, Result, Value};

use super::task_tools::{self, define_plugin, given_tasks};
use crate::{
    bindings::{
        prompt::{call::Call, object::PromptObject},
        values::{from_serde, to_json, type_error},
    },
    plugin::task_list::{self, STATE_KEY, Task},
};
use lmthing_node::warn;

const TOOLS: &[&str] = &["startTask", "completeTask", "failTask"];

/// `defTaskList(tasks?)`: `[tasks, setTasks]` of the state `taskList`, with tools and a system section. `tasks` are
/// used on the first run only; problems are printed as warnings.
pub(crate) fn def_task_list(call: Call<'_>) -> Result<Value<'_>> {
    let ctx = call.ctx.clone();
    let initial = if call.core.has_task_list.get() {
        Value::new_undefined(ctx.clone())
    } else {
        let tasks = read(&ctx, &given_tasks(&call)?, "defTaskList")?;
        for problem in task_list::validate_task_list(&tasks) {
            warn::warning(&ctx, &format!("defTaskList: {problem}"))?;
        }
        call.core.has_task_list.set(true);
        from_serde(&ctx, &tasks)?
    };
    define_plugin(&call, "defTaskList", task_list::tools(), call_tool, STATE_KEY, initial)
}

fn read<'js>(ctx: &Ctx<'js>, value: &Value<'js>, place: &str) -> Result<Vec<Task>> {
    task_list::parse_tasks(&to_json(ctx, value)?).map_err(|error| type_error(ctx, format!("{place}: {error}")))
}

fn call_tool<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    name: &str,
    input: &serde_json::Value,
) -> Result<serde_json::Value> {
    let state = prompt.borrow().bag.state(STATE_KEY);
    let Some(state) = state else { return Ok(serde_json::Value::Null) };
    // Read each time: the script may have set anything.
    let tasks = read(ctx, &state.value()?, STATE_KEY)?;
    let Some((changed, answer)) = task_list::call_tool(&tasks, name, input) else { return Ok(serde_json::Value::Null) };
    // A rejected call leaves the identical value, so that dependent effects do not run.
    if changed != tasks {
        state.set_value(from_serde(ctx, &changed)?)?;
    }
    Ok(answer)
}

pub(crate) fn section<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Option<(String, String)>> {
    if !task_tools::is_defined(prompt, TOOLS) {
        return Ok(None);
    }
    let state = prompt.borrow().bag.state(STATE_KEY);
    let Some(state) = state else { return Ok(None) };
    let tasks = read(ctx, &state.value()?, STATE_KEY)?;
    Ok(Some((STATE_KEY.to_owned(), task_list::render_status(&tasks))))
}
