//! Calls that are known again in another process: which prompt was run for which, and which parts of one were done. Must not know
//! what is called.

use rquickjs::{Ctx, IntoJs, Result, Value};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::{
    log::{is_kept, keep},
    remember::remembered,
};
use crate::{
    checkpoint::{CallPart, Entry, Memory, MemoryChange, interrupted},
    prompt::RunError,
    script::{
        async_value,
        bindings::{
            prompt::object::PromptObject,
            services,
            values::{message_of, to_json_text},
        },
        enable_async_values, with_async_values,
    },
};

/// A number for a text, the same in every process.
pub(crate) fn hash(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// What tells a prompt that a script runs by hand from others: its function or file, its input, and the tool call
/// that it is run for. Nothing where no logs are kept, which ask for it alone.
pub(crate) fn made_of<'js>(
    ctx: &Ctx<'js>,
    what: &str,
    input: Option<&Value<'js>>,
    call: Option<&str>,
) -> Result<Option<u64>> {
    if !services::checkpoints(ctx)?.is_on() {
        return Ok(None);
    }
    let input = input.map(|input| to_json_text(ctx, input)).transpose().unwrap_or_else(|_| {
        // What is no JSON does not tell prompts from each other.
        ctx.catch();
        None
    });
    Ok(Some(hash(&format!("{what}\0{}\0{}", input.unwrap_or_default(), call.unwrap_or_default()))))
}

/// What is carried along: the tool call that a script answers.
const CALL: &str = "lmthing:call";

/// Answers a tool call, or a call by code of the model's: prompts that the script runs for it know that.
pub(crate) async fn within_call<'js, T>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    call: &str,
    work: impl Future<Output = T>,
) -> T {
    // Only where logs are kept: what is carried along costs a little at every await.
    let name = (is_kept(prompt) && enable_async_values(ctx).is_ok()).then(|| call.into_js(ctx).ok()).flatten();
    if name.is_none() {
        return work.await;
    }
    with_async_values(ctx, [(CALL, name)], work).await
}

/// The tool call that the script which is running answers, where that is known.
pub(crate) fn current_call(ctx: &Ctx<'_>) -> Result<Option<String>> {
    async_value(ctx, CALL)?.map(|call| call.get()).transpose()
}

/// A part of a tool call, or of other code of the model's: a call that it makes in turn.
pub(crate) struct PartOfCall<'a> {
    /// The tool call, or what names the code.
    pub(crate) of: &'a str,
    /// How many parts of the call have asked for the same before, or its place in an array form.
    pub(crate) number: usize,
    /// What is called, and with what.
    pub(crate) name: &'a str,
    pub(crate) args: &'a RawValue,
    /// Whether it may be made again when nobody knows whether it was made.
    pub(crate) may_repeat: bool,
}

/// Does a part of a call, unless another process has done it; the answer is JSON or a message.
pub(crate) async fn part<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    part: PartOfCall<'_>,
    work: impl Future<Output = std::result::Result<Box<RawValue>, String>>,
) -> std::result::Result<Box<RawValue>, String> {
    let core = prompt.borrow().core.clone();
    let Some(log) = core.log.borrow().clone() else { return work.await };
    let PartOfCall { of, number, name, args, may_repeat } = part;
    let asked = asked(name, args);
    let step = services::scope(ctx, &core).ok().and_then(|scope| scope.agent().step());
    match log.part(step, of, number, &asked) {
        Some(CallPart { outcome: Some(outcome), .. }) => return outcome,
        Some(CallPart { outcome: None, .. }) => return Err(interrupted(name)),
        None => {}
    }
    let entry = |outcome, memory| Entry::Part { of: of.to_owned(), number, asked: asked.clone(), outcome, memory };
    if !may_repeat {
        keep(ctx, &log, entry(None, MemoryChange::default()))?;
    }
    let outcome = work.await;
    // As with whole calls: what fails because the run has to end is not over.
    let ended = services::limits(ctx).ok().and_then(|limits| limits.ended());
    if ended.is_some_and(|error| outcome.is_err() || matches!(error.origin(), RunError::Waiting { .. })) {
        return outcome;
    }
    let memory = remembered(ctx, prompt, 0).map_err(|error| message_of(ctx, error))?;
    let memory = log.change(Memory { asked_again: log.asked_again(), ..memory });
    keep(ctx, &log, entry(Some(outcome.clone()), memory))?;
    outcome
}

/// Tells what is called with what from anything else.
pub(crate) fn asked(name: &str, args: &RawValue) -> String {
    format!("{:016x}", hash(&format!("{name}\0{}", args.get())))
}
