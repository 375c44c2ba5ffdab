//! Running one tool call: validation, callbacks, result (SPEC 5). Failures are answers, never errors of the run.

use rquickjs::{Array, Ctx, Error, Function, Object, Result, Value};

use super::{
    schema::Schema,
    values::{call_async, from_tool_input, property, thrown_message, to_json, to_json_text},
};
use crate::{
    chat::{ToolCall, ToolInput, ToolOutput},
    prompt::ToolAnswer,
};

/// What running something callable came to.
pub(super) enum Answered<'js> {
    /// It worked, or a callback answered in its place.
    Value(Value<'js>),
    /// It failed with this message.
    Failed(String),
}

/// How error messages call what is run.
#[derive(Clone, Copy)]
pub(super) struct Label<'a> {
    /// `tool`, `sub-tool`, `function`, …
    pub(super) noun: &'static str,
    pub(super) name: &'a str,
}

/// Turns a JavaScript failure into its message, leaving no exception behind.
pub(super) fn message_of(ctx: &Ctx<'_>, error: Error) -> String {
    match error {
        Error::Exception => thrown_message(ctx, &ctx.catch()),
        other => other.to_string(),
    }
}

/// Validates arguments against an entry's schema.
pub(super) async fn validate_input<'js>(
    ctx: &Ctx<'js>,
    entry: &Object<'js>,
    label: Label<'_>,
    input: Value<'js>,
) -> std::result::Result<Value<'js>, String> {
    let Label { noun, name } = label;
    let validated = async {
        let schema = Schema::from_value(ctx, &entry.get("inputSchema")?, name)?;
        schema.validate(ctx, input).await
    };
    match validated.await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(problem)) => Err(format!("Invalid input for {noun} {name}: {problem}")),
        Err(error) => Err(format!("Invalid input for {noun} {name}: {}", message_of(ctx, error))),
    }
}

/// Runs `beforeCall`, `execute`, `onSuccess`/`onError` and the check of the result, in the order of SPEC 5.
pub(super) async fn run_entry<'js>(
    ctx: &Ctx<'js>,
    entry: &Object<'js>,
    label: Label<'_>,
    input: Value<'js>,
    execution: Value<'js>,
) -> Answered<'js> {
    let execute = async |input| {
        let execute: Function = entry.get("execute")?;
        call_async(&execute, (input, execution)).await
    };
    run_with(ctx, entry, label, input, execute).await
}

/// [`run_entry`] with something else in the place of the entry's `execute`.
pub(super) async fn run_with<'js>(
    ctx: &Ctx<'js>,
    entry: &Object<'js>,
    label: Label<'_>,
    input: Value<'js>,
    execute: impl AsyncFnOnce(Value<'js>) -> Result<Value<'js>>,
) -> Answered<'js> {
    match run_callbacks(ctx, entry, label, input, execute).await {
        Ok(answered) => answered,
        // Errors of the callbacks themselves are not handed to onError.
        Err(error) => Answered::Failed(message_of(ctx, error)),
    }
}

async fn run_callbacks<'js>(
    ctx: &Ctx<'js>,
    entry: &Object<'js>,
    label: Label<'_>,
    input: Value<'js>,
    execute: impl AsyncFnOnce(Value<'js>) -> Result<Value<'js>>,
) -> Result<Answered<'js>> {
    let options = property(entry, "options")?.and_then(Value::into_object);
    let callback = |name: &str| -> Result<Option<Function<'js>>> {
        let Some(options) = &options else { return Ok(None) };
        Ok(property(options, name)?.and_then(Value::into_function))
    };
    let undefined = || Value::new_undefined(ctx.clone());
    if let Some(before) = callback("beforeCall")? {
        let answer = call_async(&before, (input.clone(), undefined())).await?;
        if !answer.is_undefined() {
            return check_response(ctx, options.as_ref(), label, answer).await;
        }
    }
    let output = match execute(input.clone()).await {
        Ok(output) => output,
        Err(error) => {
            let message = message_of(ctx, error);
            let Some(on_error) = callback("onError")? else { return Ok(Answered::Failed(message)) };
            let failure = Object::new(ctx.clone())?;
            failure.set("error", message.as_str())?;
            let answer = call_async(&on_error, (input, failure)).await?;
            return Ok(if answer.is_undefined() { Answered::Failed(message) } else { Answered::Value(answer) });
        }
    };
    let output = match callback("onSuccess")? {
        None => output,
        Some(on_success) => {
            let answer = call_async(&on_success, (input, output.clone())).await?;
            if answer.is_undefined() { output } else { answer }
        }
    };
    check_response(ctx, options.as_ref(), label, output).await
}

/// Checks a result against `responseSchema`; a mismatch is a failure.
async fn check_response<'js>(
    ctx: &Ctx<'js>,
    options: Option<&Object<'js>>,
    label: Label<'_>,
    output: Value<'js>,
) -> Result<Answered<'js>> {
    let Some(schema) = options.map(|options| property(options, "responseSchema")).transpose()?.flatten() else {
        return Ok(Answered::Value(output));
    };
    let schema = Schema::from_value(ctx, &schema, "responseSchema")?;
    Ok(match schema.validate(ctx, output.clone()).await? {
        Ok(_) => Answered::Value(output),
        Err(problem) => {
            let Label { noun, name } = label;
            Answered::Failed(format!(
                "Invalid result of {noun} {name}: it does not match its responseSchema: {problem}"
            ))
        }
    })
}

/// Answers a call of a tool made with `defTool`.
pub(super) async fn call_tool<'js>(
    ctx: &Ctx<'js>,
    entry: &Object<'js>,
    call: &ToolCall,
    execution: Value<'js>,
) -> ToolAnswer {
    match property(entry, "items") {
        Ok(Some(items)) => call_composite(ctx, items, call, execution).await,
        _ => call_single(ctx, entry, call, execution).await,
    }
}

async fn call_single<'js>(ctx: &Ctx<'js>, entry: &Object<'js>, call: &ToolCall, execution: Value<'js>) -> ToolAnswer {
    let failed = |message: String| ToolAnswer {
        input: call.input.clone(),
        output: ToolOutput::error(message),
        agent_steps: None,
    };
    let label = Label { noun: "tool", name: &call.tool_name };
    let input = match from_tool_input(ctx, &call.input) {
        Ok(input) => input,
        Err(error) => return failed(message_of(ctx, error)),
    };
    let input = match validate_input(ctx, entry, label, input).await {
        Ok(input) => input,
        Err(message) => return failed(message),
    };
    let shown_input = shown(ctx, &input).unwrap_or_else(|| call.input.clone());
    let output = match run_entry(ctx, entry, label, input, execution).await {
        Answered::Value(value) => match result_json(ctx, label, &value) {
            Ok(value) => ToolOutput::from_value(value),
            Err(message) => ToolOutput::error(message),
        },
        Answered::Failed(message) => ToolOutput::error(message),
    };
    ToolAnswer { input: shown_input, output, agent_steps: None }
}

/// Runs the sub-tools one after another; a failure is that call's result and stops nothing.
async fn call_composite<'js>(ctx: &Ctx<'js>, items: Value<'js>, call: &ToolCall, execution: Value<'js>) -> ToolAnswer {
    let answer = |output| ToolAnswer { input: call.input.clone(), output, agent_steps: None };
    let calls = match sub_calls(ctx, call) {
        Ok(calls) => calls,
        Err(message) => return answer(ToolOutput::error(message)),
    };
    let mut results = Vec::with_capacity(calls.len());
    for (name, args) in calls {
        let result = match find_item(&items, &name) {
            None => serde_json::json!({ "error": format!("Unknown sub-tool: {name}") }),
            Some(item) => call_sub_tool(ctx, &item, &name, args, execution.clone()).await,
        };
        results.push(serde_json::json!({ "name": name, "result": result }));
    }
    answer(ToolOutput::Json(serde_json::json!({ "results": results })))
}

async fn call_sub_tool<'js>(
    ctx: &Ctx<'js>,
    item: &Object<'js>,
    name: &str,
    args: Value<'js>,
    execution: Value<'js>,
) -> serde_json::Value {
    let label = Label { noun: "sub-tool", name };
    let run = async {
        let input = validate_input(ctx, item, label, args).await?;
        match run_entry(ctx, item, label, input, execution).await {
            Answered::Value(value) => result_json(ctx, label, &value),
            Answered::Failed(message) => Err(message),
        }
    };
    run.await.unwrap_or_else(|message: String| serde_json::json!({ "error": message }))
}

/// The `calls` of a composite call: `[(name, args)]`, or what is wrong with them.
pub(super) fn sub_calls<'js>(
    ctx: &Ctx<'js>,
    call: &ToolCall,
) -> std::result::Result<Vec<(String, Value<'js>)>, String> {
    let wrong = |problem: &str| {
        let shape = "{calls: [{name, args}, …]}";
        format!("Invalid input for tool {}: {problem}; the arguments have the shape {shape}", call.tool_name)
    };
    let calls = call.input.value().get("calls").and_then(serde_json::Value::as_array);
    let calls = calls.ok_or_else(|| wrong("'calls' must be an array"))?;
    let input = from_tool_input(ctx, &call.input).and_then(Object::from_value);
    let given = input.and_then(|input| input.get::<_, Array>("calls")).map_err(|error| message_of(ctx, error))?;
    let args_of = |index: usize| -> Result<Value<'js>> {
        let args: Value = given.get::<Object>(index)?.get("args")?;
        if args.is_undefined() { Ok(Object::new(ctx.clone())?.into_value()) } else { Ok(args) }
    };
    let read = |(index, item): (usize, &serde_json::Value)| {
        let name = item.get("name").and_then(serde_json::Value::as_str);
        let name = name.ok_or_else(|| wrong(&format!("calls[{index}] needs a string 'name'")))?;
        Ok((name.to_owned(), args_of(index).map_err(|error| message_of(ctx, error))?))
    };
    calls.iter().enumerate().map(read).collect()
}

/// The item of an array form with this name.
pub(super) fn find_item<'js>(items: &Value<'js>, name: &str) -> Option<Object<'js>> {
    let items: &Array = items.as_array()?;
    items
        .iter::<Object>()
        .filter_map(std::result::Result::ok)
        .find(|item| item.get::<_, String>("name").is_ok_and(|found| found == name))
}

/// A result as JSON; nothing is `null`.
pub(super) fn result_json<'js>(
    ctx: &Ctx<'js>,
    label: Label<'_>,
    value: &Value<'js>,
) -> std::result::Result<serde_json::Value, String> {
    to_json(ctx, value).map_err(|error| not_json(ctx, label, error))
}

/// [`result_json`] as text, for code that parses it again.
pub(super) fn result_text<'js>(
    ctx: &Ctx<'js>,
    label: Label<'_>,
    value: &Value<'js>,
) -> std::result::Result<String, String> {
    to_json_text(ctx, value).map_err(|error| not_json(ctx, label, error))
}

fn not_json(ctx: &Ctx<'_>, Label { noun, name }: Label<'_>, error: Error) -> String {
    format!("the result of {noun} {name} cannot be sent to the model: {}", message_of(ctx, error))
}

/// The validated arguments as JSON, for records; `None` when they cannot be shown.
fn shown<'js>(ctx: &Ctx<'js>, input: &Value<'js>) -> Option<ToolInput> {
    match to_json_text(ctx, input) {
        Ok(text) => Some(ToolInput::from_stringified(&text)),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}
