//! The prompt that the running script works for, when files run files, and whether it answers as a model. Both are
//! async context values.

use rquickjs::{Class, Ctx, IntoJs, Result};

use crate::bindings::{
    models::js_model::ANSWERING,
    prompt::object::{PromptObject, StatefulPrompt},
    values::type_error,
};
use lmthing_node::{async_value, enable_async_values, with_async_values};

/// Bounds files that run themselves.
const MAX_DEPTH: usize = 16;

/// Key of an async context value.
const PROMPT: &str = "lmthing:prompt";

/// `None` within the main file.
pub(super) fn current<'js>(ctx: &Ctx<'js>) -> Result<Option<PromptObject<'js>>> {
    let found = async_value(ctx, PROMPT)?;
    Ok(found.as_ref().and_then(|found| found.as_object()).and_then(Class::<StatefulPrompt>::from_object))
}

/// Whether the running script answers as a model, directly or through a prompt that it runs.
pub(super) fn is_answering(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(async_value(ctx, ANSWERING)?.is_some())
}

/// The nesting depth of a file that the running script runs. Must be called before the first await, after which the
/// caller is only known if it was carried.
pub(super) fn next_depth(ctx: &Ctx<'_>) -> Result<usize> {
    enable_async_values(ctx)?;
    Ok(current(ctx)?.map_or(0, |prompt| prompt.borrow().core.files.get()) + 1)
}

pub(super) fn check(ctx: &Ctx<'_>, depth: usize, what: &str) -> Result<()> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    Err(type_error(
        ctx,
        format!(
            "{what} would be nested {depth} deep in runs of other files; the limit is {MAX_DEPTH}. Does it run itself?"
        ),
    ))
}

pub(super) async fn run_in<'js, T>(prompt: &PromptObject<'js>, work: impl Future<Output = T>) -> T {
    let ctx = prompt.ctx().clone();
    let (is_nested, is_within_answer) = {
        let core = &prompt.borrow().core;
        (core.files.get() > 0, core.standing.get().is_within_answer)
    };
    // Prompts of the main file carry nothing.
    let nested = is_nested.then(|| prompt.clone().into_js(&ctx).ok()).flatten();
    let answering = is_within_answer.then(|| true.into_js(&ctx).ok()).flatten();
    with_async_values(&ctx, [(PROMPT, nested), (ANSWERING, answering)], work).await
}
