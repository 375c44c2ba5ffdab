//! Identities of runs and calls that are the same in every process, and parts of calls already done.

use rquickjs::{Ctx, IntoJs, Result, Value};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use tokio::sync::MutexGuard;

use super::log::{append, current_memory, has_log};
use crate::{
    bindings::{
        prompt::object::PromptObject,
        services,
        values::{blob::input_json_text, message_of},
    },
    prompt::RunError,
};
use lmthing_base::checkpoint::{CallError, CallPart, Entry, Memory, MemoryChange, interrupted};
use lmthing_node::{async_value, enable_async_values, with_async_values};

/// A hash that is the same in every process.
pub(crate) fn stable_hash(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// Distinguishes prompts that a script runs itself: a hash of function or file, input, and the tool call it serves.
/// `None` where no logs are kept, since only they need it.
pub(crate) fn run_identity<'js>(
    ctx: &Ctx<'js>,
    what: &str,
    input: Option<&Value<'js>>,
    call: Option<&str>,
) -> Result<Option<u64>> {
    if !services::checkpoints(ctx)?.is_on() {
        return Ok(None);
    }
    let input = input.map(|input| input_json_text(ctx, input)).transpose().unwrap_or_else(|_| {
        ctx.catch();
        None
    });
    Ok(Some(stable_hash(&format!("{what}\0{}\0{}", input.unwrap_or_default(), call.unwrap_or_default()))))
}

/// Key of an async context value.
const CALL: &str = "lmthing:call";

pub(crate) async fn within_call<'js, T>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    call: &str,
    work: impl Future<Output = T>,
) -> T {
    // Only where logs are kept: carried values cost time at every await.
    let name = (has_log(prompt) && enable_async_values(ctx).is_ok()).then(|| call.into_js(ctx).ok()).flatten();
    if name.is_none() {
        return work.await;
    }
    with_async_values(ctx, [(CALL, name)], work).await
}

pub(crate) fn current_call(ctx: &Ctx<'_>) -> Result<Option<String>> {
    async_value(ctx, CALL)?.map(|call| call.get()).transpose()
}

pub(crate) struct PartOfCall<'a> {
    pub of: &'a str,
    /// Number of earlier parts with the same name and arguments, or the index in an array form.
    pub number: usize,
    pub name: &'a str,
    pub args: &'a RawValue,
    pub may_repeat: bool,
    /// Held until the part starts: parts start in the order of their calls, although some are logged first.
    pub turn: Option<MutexGuard<'a, ()>>,
}

/// Does a part of a call, or returns what an earlier process recorded.
pub(crate) async fn run_part<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    part: PartOfCall<'_>,
    work: impl Future<Output = std::result::Result<Box<RawValue>, CallError>>,
) -> std::result::Result<Box<RawValue>, CallError> {
    let core = prompt.borrow().core.clone();
    let PartOfCall { of, number, name, args, may_repeat, turn } = part;
    let Some(log) = core.log.borrow().clone() else {
        drop(turn);
        return work.await;
    };
    let asked = call_hash(name, args);
    let step = services::scope(ctx, &core).ok().and_then(|scope| scope.agent().step());
    match log.part(step, of, number, &asked) {
        Some(CallPart { outcome: Some(outcome), .. }) => return outcome,
        Some(CallPart { outcome: None, .. }) => return Err(CallError(interrupted(name))),
        None => {}
    }
    let entry = |outcome, memory| Entry::Part { of: of.to_owned(), number, asked: asked.clone(), outcome, memory };
    if !may_repeat {
        append(ctx, &log, entry(None, MemoryChange::default())).await?;
    }
    drop(turn);
    let outcome = work.await;
    // A failure caused by the end of the run is not recorded, as with whole calls.
    let ended = services::limits(ctx).ok().and_then(|limits| limits.ended());
    if ended.is_some_and(|error| outcome.is_err() || matches!(error.origin(), RunError::Waiting { .. })) {
        return outcome;
    }
    let memory = current_memory(ctx, prompt, 0).map_err(|error| CallError(message_of(ctx, error)))?;
    let memory = log.change(Memory { asked_again: log.asked_again(), ..memory });
    append(ctx, &log, entry(Some(outcome.clone()), memory)).await?;
    outcome
}

pub(crate) fn call_hash(name: &str, args: &RawValue) -> String {
    format!("{:016x}", stable_hash(&format!("{name}\0{}", args.get())))
}
