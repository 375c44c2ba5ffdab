//! Calling a tool of a server: arguments out, the answer back, progress and cancelling. Must not know whether the model called it
//! or its code.

use std::rc::Rc;

use rquickjs::{Class, Ctx, Function, IntoJs, Result, Value, function::Opt, prelude::Async};

use crate::{
    chat::ToolPart,
    diagnostic::strip_controls_line,
    mcp::{Connection, McpContent, ToolCallResult, ToolProgress},
    script::{
        KeepAlive,
        bindings::{
            services,
            tools::{content::ToolContent, execution::ToolExecution},
            values::{abort, from_json, kind_of, plain_error, property, to_json, type_error},
        },
    },
};

/// The `execute` of a tool: `(args, execution)`.
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
    let told = Teller::new(ctx, execution.as_ref());
    // What is waited for is another process, not the script.
    let _alive = KeepAlive::new(ctx)?;
    let answered = tokio::select! {
        biased;
        () = abort::aborted(ctx, signal) => Err(connection.message(&format!("the call of {tool} was cancelled"))),
        answered = connection.call(tool, args, |progress| told.tell(&progress)) => answered,
    };
    let answer = answered.map_err(|problem| plain_error(ctx, problem))?;
    if answer.is_error {
        return Err(plain_error(ctx, failure(connection, tool, &answer)));
    }
    to_js(ctx, answer)
}

/// What the model is told of a call that failed.
fn failure(connection: &Connection, tool: &str, answer: &ToolCallResult) -> String {
    let text = answer.text();
    match (text.trim().is_empty(), &answer.structured) {
        (false, _) => text,
        (true, Some(structured)) => structured.to_string(),
        (true, None) => connection.message(&format!("the call of {tool} failed, and it does not say why")),
    }
}

/// Data as it is, text as a string; what neither can hold as the parts themselves.
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

/// Tells of progress.
struct Teller<'a, 'js> {
    ctx: &'a Ctx<'js>,
    execution: Option<Class<'js, ToolExecution<'js>>>,
}

impl<'a, 'js> Teller<'a, 'js> {
    fn new(ctx: &'a Ctx<'js>, execution: Option<&Value<'js>>) -> Self {
        Teller { ctx, execution: execution.and_then(|value| Class::from_value(value).ok()) }
    }

    fn tell(&self, progress: &ToolProgress) {
        let Some(execution) = &self.execution else { return };
        let told = execution.borrow().progress(words(progress));
        let prompt = execution.borrow().prompt();
        // The call must not depend on whether anybody can be told.
        let _ = services::scope(self.ctx, &prompt.borrow().core).map(|scope| scope.emit(&told));
    }
}

/// `3/10 reading`, `30 % reading`.
fn words(ToolProgress { done, total, message }: &ToolProgress) -> String {
    let message = message.as_deref().unwrap_or_default();
    let share = match total {
        Some(total) if *total > 0.0 && done.fract() == 0.0 && total.fract() == 0.0 => format!("{done}/{total}"),
        Some(total) if *total > 0.0 => format!("{:.0} %", done / total * 100.0),
        _ => String::new(),
    };
    strip_controls_line(format!("{share} {message}").trim()).chars().take(80).collect()
}
