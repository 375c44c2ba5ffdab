//! `defTaskList` over the engine-free task list. The state's array is the list; what the tools do is in
//! [`crate::plugin`] (docs/reference.md, "Task list").

use rquickjs::{Ctx, Result, Value};

use super::task_tools::{self, define_plugin, given_tasks};
use crate::{
    plugin::task_list::{self, STATE_KEY, Task},
    script::{
        bindings::{
            prompt::{call::Call, object::PromptObject},
            values::{from_serde, to_json, type_error},
        },
        warn,
    },
};

/// The tools of a task list.
const TOOLS: &[&str] = &["startTask", "completeTask", "failTask"];

/// `defTaskList(tasks?)`: `[tasks, setTasks]` of the state `taskList`, the tools `startTask`, `completeTask`, `failTask`, and
/// a section `taskList` with the status in every step's system prompt. `tasks`: `[{id, name, status?}]`, used on the
/// first run only. Throws a `TypeError` for tasks of another shape; doubtful lists warn on stderr.
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
    define_plugin(&call, task_list::tools(), call_tool, STATE_KEY, initial)
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
    // Read anew each time: the script may have set anything.
    let tasks = read(ctx, &state.value()?, STATE_KEY)?;
    let Some((changed, answer)) = task_list::call_tool(&tasks, name, input) else { return Ok(serde_json::Value::Null) };
    // A refusal leaves the state the very same value, so that no effect that depends on it runs.
    if changed != tasks {
        state.set_value(from_serde(ctx, &changed)?)?;
    }
    Ok(answer)
}

/// The status section of the step being prepared.
pub(crate) fn section<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Option<(String, String)>> {
    if !task_tools::is_made(prompt, TOOLS) {
        return Ok(None);
    }
    let state = prompt.borrow().bag.state(STATE_KEY);
    let Some(state) = state else { return Ok(None) };
    let tasks = read(ctx, &state.value()?, STATE_KEY)?;
    Ok(Some((STATE_KEY.to_owned(), task_list::render_status(&tasks))))
}
