//! Running a tool call: validation, callbacks, result (docs/reference/tools.md).
//!
//! A failure becomes the answer of the call; it never ends the run.

use futures_util::FutureExt;
use rquickjs::{Array, Ctx, Error, Function, Object, Result, Value, object::Property};
use serde_json::value::{RawValue, to_raw_value};

use super::{Label, approval::approved, content::ToolContent, warnings};
use crate::{
    bindings::{
        jobs,
        prompt::{
            entry::{CallOptions, Callable, Entry, Item},
            object::PromptObject,
        },
        resume::{self, PartOfCall, call_hash},
        values::{call_async, from_tool_input, message_of, to_json, to_json_text},
    },
    prompt::ToolAnswer,
};
use lmthing_base::{
    chat::{ToolCall, ToolInput, ToolOutput},
    checkpoint::{CallError, CallPartName},
};

pub(crate) enum CallOutcome<'js> {
    Value(Value<'js>),
    Failed(String),
}

/// Validates arguments. Returns the value with defaults and transforms.
pub(crate) async fn validate_input<'js>(
    ctx: &Ctx<'js>,
    callable: &Callable<'js>,
    label: Label<'_>,
    input: Value<'js>,
) -> std::result::Result<Value<'js>, CallError> {
    let Label { noun, name, .. } = label;
    let problem = match callable.input_schema.validate(ctx, input).await {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(problems)) => problems.to_string(),
        Err(error) => message_of(ctx, error),
    };
    let message = format!("Invalid input for {noun} {name}: {problem}");
    warnings::refused(ctx, &callable.execute, &message);
    Err(CallError(message))
}

/// Waits for approval if needed, then runs `beforeCall`, `execute`, `onSuccess` or `onError`, and checks the result.
pub(crate) async fn run_callable<'js>(
    ctx: &Ctx<'js>,
    callable: &Callable<'js>,
    label: Label<'_>,
    input: Value<'js>,
    execution: Value<'js>,
) -> CallOutcome<'js> {
    let execute = async |input| call_async(&callable.execute, (input, execution)).await;
    run_with(ctx, callable, label, input, execute).await
}

pub(crate) async fn run_with<'js>(
    ctx: &Ctx<'js>,
    callable: &Callable<'js>,
    label: Label<'_>,
    input: Value<'js>,
    execute: impl AsyncFnOnce(Value<'js>) -> Result<Value<'js>>,
) -> CallOutcome<'js> {
    if let Err(denied) = approved(ctx, callable, label, &input).await {
        return CallOutcome::Failed(denied.0);
    }
    match run_callbacks(ctx, callable, label, input, execute).await {
        Ok(outcome) => outcome,
        // `onError` is not called for errors of the callbacks themselves.
        Err(Failure::Reported(message)) => CallOutcome::Failed(message),
        Err(Failure::Other(error)) => CallOutcome::Failed(message_of(ctx, error)),
    }
}

enum Failure {
    Reported(String),
    Other(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Other(error)
    }
}

async fn run_callback<'js>(
    ctx: &Ctx<'js>,
    (name, callback): (&str, &Function<'js>),
    label: Label<'_>,
    args: (Value<'js>, Value<'js>),
) -> std::result::Result<Value<'js>, Failure> {
    let answer = call_async(callback, args).await;
    answer.map_err(|error| Failure::Reported(warnings::thrown(ctx, callback, label, Some(name), error)))
}

async fn run_callbacks<'js>(
    ctx: &Ctx<'js>,
    callable: &Callable<'js>,
    label: Label<'_>,
    input: Value<'js>,
    execute: impl AsyncFnOnce(Value<'js>) -> Result<Value<'js>>,
) -> std::result::Result<CallOutcome<'js>, Failure> {
    let options = &callable.options;
    if let Some(before) = &options.before_call {
        // The second argument of the other callbacks is the output.
        let no_output = Value::new_undefined(ctx.clone());
        let answer = run_callback(ctx, ("beforeCall", before), label, (input.clone(), no_output)).await?;
        if !answer.is_undefined() {
            return Ok(check_response(ctx, options, label, answer).await?);
        }
    }
    let output = match execute(input.clone()).await {
        Ok(output) => output,
        Err(error) => {
            let Some(on_error) = &options.on_error else {
                return Ok(CallOutcome::Failed(warnings::thrown(ctx, &callable.execute, label, None, error)));
            };
            let message = message_of(ctx, error);
            let failure = Object::new(ctx.clone())?;
            failure.set("error", message.as_str())?;
            // Not enumerable, so that the object is printed and copied as `{error}`.
            failure.prop("message", Property::from(message.as_str()))?;
            let answer = run_callback(ctx, ("onError", on_error), label, (input, failure.into_value())).await?;
            // Not validated: the schema describes results of `execute`, and this replaces a failure.
            return Ok(if answer.is_undefined() { CallOutcome::Failed(message) } else { CallOutcome::Value(answer) });
        }
    };
    let output = match &options.on_success {
        None => output,
        Some(on_success) => {
            let answer = run_callback(ctx, ("onSuccess", on_success), label, (input, output.clone())).await?;
            if answer.is_undefined() { output } else { answer }
        }
    };
    Ok(check_response(ctx, options, label, output).await?)
}

async fn check_response<'js>(
    ctx: &Ctx<'js>,
    options: &CallOptions<'js>,
    label: Label<'_>,
    output: Value<'js>,
) -> Result<CallOutcome<'js>> {
    let Some(schema) = &options.response_schema else { return Ok(CallOutcome::Value(output)) };
    Ok(match schema.validate(ctx, output.clone()).await? {
        // The result is sent unchanged: the schema's transforms are not for the model.
        Ok(_) => CallOutcome::Value(output),
        Err(problem) => {
            let Label { noun, name, .. } = label;
            CallOutcome::Failed(format!(
                "Invalid result of {noun} {name}: it does not match its responseSchema: {problem}"
            ))
        }
    })
}

pub(crate) async fn call_tool<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    entry: &Entry<'js>,
    call: &ToolCall,
    execution: Value<'js>,
) -> ToolAnswer {
    match entry {
        Entry::Single(callable) => call_single(ctx, callable, call, execution).await,
        Entry::Composite(items) => call_composite(ctx, prompt, items, call, execution).boxed_local().await,
    }
}

async fn call_single<'js>(
    ctx: &Ctx<'js>,
    callable: &Callable<'js>,
    call: &ToolCall,
    execution: Value<'js>,
) -> ToolAnswer {
    let label =
        Label { noun: "tool", name: &call.tool_name, of: None, tool_call_id: Some(&call.tool_call_id), part: None };
    let input = match from_tool_input(ctx, &call.input) {
        Ok(input) => input,
        Err(error) => return ToolAnswer::failed(call, message_of(ctx, error)),
    };
    let input = match validate_input(ctx, callable, label, input).await {
        Ok(input) => input,
        Err(error) => return ToolAnswer::failed(call, error.0),
    };
    // Serialized before the call, which may change the object.
    let shown_input = to_tool_input(ctx, &input).unwrap_or_else(|| call.input.clone());
    let output = match run_callable(ctx, callable, label, input, execution).await {
        CallOutcome::Value(value) => match ToolContent::output(ctx, &value) {
            Some(content) => content,
            None => {
                result_json(ctx, label, &value).map_or_else(|error| ToolOutput::error(error.0), ToolOutput::from_value)
            }
        },
        CallOutcome::Failed(message) => ToolOutput::error(message),
    };
    ToolAnswer::new(shown_input, output)
}

/// Runs the sub-tools one after another. A failure becomes the result of its own call.
async fn call_composite<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    items: &[Item<'js>],
    call: &ToolCall,
    execution: Value<'js>,
) -> ToolAnswer {
    let first = items.first().map(|item| &item.callable.execute);
    let calls = match sub_calls(ctx, call) {
        Ok(calls) => calls,
        Err(CallError(message)) => {
            warnings::unanswered(ctx, first, &message);
            return ToolAnswer::failed(call, message);
        }
    };
    let mut results = Vec::with_capacity(calls.len());
    for (name, args) in calls {
        let result = match items.iter().find(|item| item.name == name) {
            None => {
                let message = format!("Unknown sub-tool: {name}");
                warnings::unanswered(ctx, first, &format!("{message} of tool {}", call.tool_name));
                serde_json::json!({ "error": message })
            }
            Some(item) => {
                let work = call_sub_tool(ctx, item, call, args.clone(), execution.clone());
                let part = SubTool { ctx, prompt, call, number: results.len(), item };
                part.answer(&args, work).await
            }
        };
        results.push(serde_json::json!({ "name": name, "result": result }));
    }
    ToolAnswer::new(call.input.clone(), ToolOutput::Json(serde_json::json!({ "results": results })))
}

struct SubTool<'a, 'js> {
    ctx: &'a Ctx<'js>,
    prompt: &'a PromptObject<'js>,
    call: &'a ToolCall,
    number: usize,
    item: &'a Item<'js>,
}

impl<'js> SubTool<'_, 'js> {
    async fn answer(&self, args: &Value<'js>, work: impl Future<Output = serde_json::Value>) -> serde_json::Value {
        if !resume::has_log(self.prompt) {
            return work.await;
        }
        let answer = async {
            let text = to_json_text(self.ctx, args).map_err(|error| CallError(message_of(self.ctx, error)))?;
            let args = RawValue::from_string(text).map_err(|error| CallError(error.to_string()))?;
            let part = PartOfCall {
                of: &self.call.tool_call_id,
                number: self.number,
                name: &self.item.name,
                args: &args,
                may_repeat: self.item.callable.options.may_repeat(),
                turn: None,
            };
            let name = CallPartName { of: part.of.to_owned(), asked: call_hash(part.name, &args), number: part.number };
            let work = jobs::run_part(self.ctx, self.prompt, name, work.boxed_local());
            let work = async { to_raw_value(&work.await).map_err(|error| CallError(error.to_string())) };
            let answer = resume::run_part(self.ctx, self.prompt, part, work).await?;
            serde_json::from_str(answer.get()).map_err(|error| CallError(error.to_string()))
        };
        answer.await.unwrap_or_else(|CallError(message)| serde_json::json!({ "error": message }))
    }
}

async fn call_sub_tool<'js>(
    ctx: &Ctx<'js>,
    item: &Item<'js>,
    call: &ToolCall,
    args: Value<'js>,
    execution: Value<'js>,
) -> serde_json::Value {
    let label = Label {
        noun: "sub-tool",
        name: &item.name,
        of: Some(&call.tool_name),
        tool_call_id: Some(&call.tool_call_id),
        part: None,
    };
    let run = async {
        let input = validate_input(ctx, &item.callable, label, args).await?;
        match run_callable(ctx, &item.callable, label, input, execution).await {
            CallOutcome::Value(value) => result_json(ctx, label, &value),
            CallOutcome::Failed(message) => Err(CallError(message)),
        }
    };
    run.await.unwrap_or_else(|CallError(message)| serde_json::json!({ "error": message }))
}

pub(crate) fn sub_calls<'js>(
    ctx: &Ctx<'js>,
    call: &ToolCall,
) -> std::result::Result<Vec<(String, Value<'js>)>, CallError> {
    let wrong = |problem: &str| {
        let shape = "{calls: [{name, args}, …]}";
        CallError(format!("Invalid input for tool {}: {problem}; the arguments have the shape {shape}", call.tool_name))
    };
    let calls = call.input.value().get("calls").and_then(serde_json::Value::as_array);
    let calls = calls.ok_or_else(|| wrong("'calls' must be an array"))?;
    // Arguments are read from the text, which is lossless, unlike the plain value.
    let input = from_tool_input(ctx, &call.input).and_then(Object::from_value);
    let failed = |error| CallError(message_of(ctx, error));
    let given = input.and_then(|input| input.get::<_, Array>("calls")).map_err(failed)?;
    let args_of = |index: usize| -> Result<Value<'js>> {
        let args: Value = given.get::<Object>(index)?.get("args")?;
        if args.is_undefined() { Ok(Object::new(ctx.clone())?.into_value()) } else { Ok(args) }
    };
    let read = |(index, item): (usize, &serde_json::Value)| {
        let name = item.get("name").and_then(serde_json::Value::as_str);
        let name = name.ok_or_else(|| wrong(&format!("calls[{index}] needs a string 'name'")))?;
        Ok((name.to_owned(), args_of(index).map_err(failed)?))
    };
    calls.iter().enumerate().map(read).collect()
}

/// A result as JSON; `undefined` becomes `null`.
pub(crate) fn result_json<'js>(
    ctx: &Ctx<'js>,
    label: Label<'_>,
    value: &Value<'js>,
) -> std::result::Result<serde_json::Value, CallError> {
    to_json(ctx, value).map_err(|error| not_json(ctx, label, error))
}

pub(crate) fn result_text<'js>(
    ctx: &Ctx<'js>,
    label: Label<'_>,
    value: &Value<'js>,
) -> std::result::Result<String, CallError> {
    to_json_text(ctx, value).map_err(|error| not_json(ctx, label, error))
}

fn not_json(ctx: &Ctx<'_>, Label { noun, name, .. }: Label<'_>, error: Error) -> CallError {
    CallError(format!("the result of {noun} {name} cannot be sent to the model: {}", message_of(ctx, error)))
}

/// The validated arguments for records; `None` if they are not JSON.
fn to_tool_input<'js>(ctx: &Ctx<'js>, input: &Value<'js>) -> Option<ToolInput> {
    match to_json_text(ctx, input) {
        Ok(text) => Some(ToolInput::from_stringified(&text)),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}
