//! Calls of a server's tools: arguments, result, progress and cancellation.

use std::rc::Rc;

use rquickjs::{Class, Ctx, Function, IntoJs, Result, Value, function::Opt, prelude::Async};

use crate::{
    bindings::{
        services,
        tools::{content::ToolContent, execution::ToolExecution},
        values::{abort, from_json, kind_of, plain_error, property, to_json, type_error},
    },
    mcp::{Connection, McpContent, ToolCallResult, ToolProgress},
};
use lmthing_base::{chat::ToolPart, diagnostic::strip_controls_line};
use lmthing_node::KeepAlive;

pub(super) fn executor<'js>(ctx: &Ctx<'js>, connection: Rc<Connection>, tool: &str) -> Result<Function<'js>> {
    let name: Rc<str> = tool.into();
    let run = move |ctx: Ctx<'js>, args: Value<'js>, execution: Opt<Value<'js>>| {
        let (connection, name) = (connection.clone(), name.clone());
        async move { call(&ctx, &connection, &name, args, execution.0).await }
    };
    Function::new(ctx.clone(), Async(run))?.with_name(tool)
}

async fn call<'js>(
    ctx: &Ctx<'js>,
    connection: &Connection,
    tool: &str,
    args: Value<'js>,
    execution: Option<Value<'js>>,
) -> Result<Value<'js>> {
    let args = match to_json(ctx, &args)? {
        serde_json::Value::Object(args) => args,
        serde_json::Value::Null => serde_json::Map::new(),
        _ => return Err(type_error(ctx, format!("the arguments of {tool} must be an object, got {}", kind_of(&args)))),
    };
    let signal = match execution.as_ref().and_then(Value::as_object) {
        Some(execution) => property(execution, "abortSignal")?,
        None => None,
    };
    let reporter = ProgressReporter::new(ctx, execution.as_ref());
    // The script is idle meanwhile, and that is not a deadlock.
    let _alive = KeepAlive::new(ctx)?;
    let result = tokio::select! {
        biased;
        () = abort::aborted(ctx, signal) => Err(connection.error(&format!("the call of {tool} was cancelled"))),
        result = connection.call(tool, args, |progress| reporter.report(&progress)) => result,
    };
    let answer = result.map_err(|error| plain_error(ctx, error.0))?;
    if answer.is_error {
        return Err(plain_error(ctx, failure(connection, tool, &answer)));
    }
    to_js(ctx, answer)
}

fn failure(connection: &Connection, tool: &str, answer: &ToolCallResult) -> String {
    let text = answer.text();
    match (text.trim().is_empty(), &answer.structured) {
        (false, _) => text,
        (true, Some(structured)) => structured.to_string(),
        (true, None) => connection.message(&format!("the call of {tool} failed, and it does not say why")),
    }
}

/// Returns data as it is, text as a string, and media as content parts.
fn to_js<'js>(ctx: &Ctx<'js>, answer: ToolCallResult) -> Result<Value<'js>> {
    if answer.has_media() {
        return ToolContent::create(ctx, answer.parts.into_iter().map(part).collect());
    }
    match &answer.structured {
        Some(structured) => from_json(ctx, structured),
        None => answer.text().into_js(ctx),
    }
}

fn part(part: McpContent) -> ToolPart {
    match part {
        McpContent::Text(text) => ToolPart::Text { text },
        McpContent::Media { data, media_type } => ToolPart::Media { data, media_type },
    }
}

struct ProgressReporter<'a, 'js> {
    ctx: &'a Ctx<'js>,
    execution: Option<Class<'js, ToolExecution<'js>>>,
}

impl<'a, 'js> ProgressReporter<'a, 'js> {
    fn new(ctx: &'a Ctx<'js>, execution: Option<&Value<'js>>) -> Self {
        ProgressReporter { ctx, execution: execution.and_then(|value| Class::from_value(value).ok()) }
    }

    fn report(&self, progress: &ToolProgress) {
        let Some(execution) = &self.execution else { return };
        let event = execution.borrow().progress_event(progress_text(progress));
        let prompt = execution.borrow().prompt();
        // Failing to report progress must not fail the call.
        let _ = services::scope(self.ctx, &prompt.borrow().core).map(|scope| scope.emit(&event));
    }
}

/// Such as `3/10 reading` or `30 % reading`.
fn progress_text(ToolProgress { done, total, message }: &ToolProgress) -> String {
    let message = message.as_deref().unwrap_or_default();
    let share = match total {
        Some(total) if *total > 0.0 && done.fract() == 0.0 && total.fract() == 0.0 => format!("{done}/{total}"),
        Some(total) if *total > 0.0 => format!("{:.0} %", done / total * 100.0),
        _ => String::new(),
    };
    strip_controls_line(format!("{share} {message}").trim()).chars().take(80).collect()
}
