//! Calls of the author's functions with a time limit, also for endless loops.

use std::time::{Duration, Instant};

use rquickjs::{Array, Ctx, Error, Function, IntoJs, Object, Result, Value, promise::Promised};

use super::{host, run::runner};
use crate::bindings::values::{apply_async, elements};
use lmthing_node::{ScriptError, is_late, is_stalled, location_of_function, warn::warning};

/// `limited(fn, args, milliseconds, what)`: calls `fn` and awaits its result. Resolves to `{value}` or `{thrown:
/// [error]}`. No limit for 0 or infinity.
pub(super) fn limited<'js>(
    ctx: Ctx<'js>,
    function: Function<'js>,
    arguments: Array<'js>,
    milliseconds: f64,
    what: String,
) -> Result<Value<'js>> {
    let limit = limit_of(milliseconds);
    let inner = ctx.clone();
    // Not called synchronously: an interrupt must not end the caller.
    let call = async move {
        let outcome = within(&inner, &function, elements(&arguments)?, limit, &what).await;
        let answer = Object::new(inner.clone())?;
        match outcome {
            Ok(value) => answer.set("value", value)?,
            Err(thrown) => answer.set("thrown", vec![thrown])?,
        }
        Ok::<_, Error>(answer)
    };
    Promised(call).into_js(&ctx)
}

/// Returns `None` for 0, and for more than a clock can hold.
pub(super) fn limit_of(milliseconds: f64) -> Option<Duration> {
    (milliseconds > 0.0).then(|| Duration::try_from_secs_f64(milliseconds / 1000.0).ok()).flatten()
}

pub fn duration_text(limit: Duration) -> String {
    let seconds = limit.as_secs_f64();
    if seconds < 1.0 { format!("{} ms", limit.as_millis()) } else { format!("{seconds} s") }
}

pub(super) async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

async fn within<'js>(
    ctx: &Ctx<'js>,
    function: &Function<'js>,
    arguments: Vec<Value<'js>>,
    limit: Option<Duration>,
    what: &str,
) -> std::result::Result<Value<'js>, Value<'js>> {
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let caught = |error: Error| match error {
        Error::Exception => ctx.catch(),
        other => {
            ScriptError::error(other.to_string()).into_object(ctx).map_or_else(|_| ctx.catch(), Object::into_value)
        }
    };
    host::report_interruption(ctx);
    host::set_limit(ctx, deadline).map_err(caught)?;
    let runs_before = runner::count(ctx);
    let call = apply_async(function, Value::new_undefined(ctx.clone()), arguments);
    let outcome = tokio::select! {
        biased;
        outcome = call => Some(outcome),
        () = sleep_until(deadline) => None,
    };
    // First: the pending exception must not be taken for one of an interrupted job.
    let outcome = outcome.map(|outcome| outcome.map_err(caught));
    let was_interrupted = is_late(ctx);
    host::clear_limit(ctx);
    let is_in_time = !was_interrupted && deadline.is_none_or(|deadline| Instant::now() <= deadline);
    if !is_in_time || what == "the test" {
        let has_succeeded = matches!(outcome, Some(Ok(_))) && is_in_time;
        give_up_runs(ctx.clone(), runs_before, what.to_owned(), has_succeeded);
    }
    match outcome {
        Some(Ok(value)) if is_in_time => Ok(value),
        Some(Err(thrown)) if !was_interrupted => Err(thrown),
        _ => {
            let error = timeout_error(ctx, function, what, (limit.unwrap_or_default(), was_interrupted));
            Err(error.into_object(ctx).map_or_else(|_| ctx.catch(), Object::into_value))
        }
    }
}

/// `giveUpRuns(begun, what, isWell)`: ends the runs that began after the first `begun`. Warns if `what` succeeded
/// without them, as it probably did not await them.
pub(super) fn give_up_runs(ctx: Ctx<'_>, begun: u64, what: String, is_well: bool) {
    let given_up = runner::give_up_after(&ctx, begun);
    if given_up > 0 && is_well {
        let runs = if given_up == 1 { "a run is".to_owned() } else { format!("{given_up} runs are") };
        // Fails only without a host, which every engine has.
        let _ = warning(&ctx, &format!("{runs} given up: {what} ended before; await run(…)"));
    }
}

fn timeout_error<'js>(
    ctx: &Ctx<'js>,
    function: &Function<'js>,
    what: &str,
    (limit, was_interrupted): (Duration, bool),
) -> ScriptError {
    let hint = match is_stalled(ctx) {
        _ if was_interrupted => "it let nothing else run in that time: look for a loop without an end",
        Ok(true) => "it waits for a promise that nothing can settle any more",
        _ => "give it more time with a timeout in milliseconds as the last argument, or all tests with --timeout",
    };
    let error = ScriptError::error(format!("{what} timed out after {}", duration_text(limit))).hint(hint);
    error.or_at(location_of_function(ctx, function))
}
