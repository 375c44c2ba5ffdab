//! Which file's prompt a script works for just now, when files run files: how deep they are nested, and what `'mock'` means
//! to them. And whether it works for a model of the script's own, which is answering.
//!
//! Both are carried along from call to call; nothing of the first is there before a file runs another.

use rquickjs::{Class, Ctx, IntoJs, Result};

use crate::script::{
    async_value,
    bindings::{
        models::js_model::ANSWERING,
        prompt::object::{PromptObject, StatefulPrompt},
        values::type_error,
    },
    enable_async_values, with_async_values,
};

/// How deep files may run files: one that runs itself has to end some time.
const MAX_DEPTH: usize = 16;

/// The key of the prompt among what is carried along.
const PROMPT: &str = "lmthing:prompt";

/// The prompt that the script which is running works for; none within the file that the program was started with.
pub(super) fn current<'js>(ctx: &Ctx<'js>) -> Result<Option<PromptObject<'js>>> {
    let found = async_value(ctx, PROMPT)?;
    Ok(found.as_ref().and_then(|found| found.as_object()).and_then(Class::<StatefulPrompt>::from_object))
}

/// Whether the script that is running makes the answer of a model, or works for a prompt that does.
pub(super) fn is_answering(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(async_value(ctx, ANSWERING)?.is_some())
}

/// How deep a file is nested that the running script runs. To be asked in the call itself: from the next `await` on, who
/// called is known only if it was carried along.
pub(super) fn next_depth(ctx: &Ctx<'_>) -> Result<usize> {
    enable_async_values(ctx)?;
    Ok(current(ctx)?.map_or(0, |prompt| prompt.borrow().core.files.get()) + 1)
}

/// Throws when a file would be nested too deep.
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

/// Does a piece of work for a prompt: what scripts begin meanwhile belongs to it.
pub(super) async fn within<'js, T>(prompt: &PromptObject<'js>, work: impl Future<Output = T>) -> T {
    let ctx = prompt.ctx().clone();
    let (is_nested, is_within_answer) = {
        let core = &prompt.borrow().core;
        (core.files.get() > 0, core.standing.get().is_within_answer)
    };
    // A prompt of the outermost file carries nothing.
    let nested = is_nested.then(|| prompt.clone().into_js(&ctx).ok()).flatten();
    let answering = is_within_answer.then(|| true.into_js(&ctx).ok()).flatten();
    with_async_values(&ctx, [(PROMPT, nested), (ANSWERING, answering)], work).await
}
