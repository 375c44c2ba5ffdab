//! Limits of a run: reading them from `config`, and ending the run (docs/reference/limits.md).

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Object, Result, Value};
use serde_json::json;

use crate::{
    bindings::{
        services,
        tools::end_signal,
        values::{to_json, type_error},
    },
    prompt::{PriceList, RunError},
};
use lmthing_node::{drain_jobs, set_deadline};

/// How long the file's run may take to end by itself after a limit. Longer than its prompts have.
const GRACE: Duration = Duration::from_millis(400);

const EXIT_LISTENER_TIME: Duration = Duration::from_secs(1);

/// Reads `config.limits` and `config.prices`. The inner error is one of usage, not of the script.
pub(super) fn configure<'js>(ctx: &Ctx<'js>, config: &Object<'js>) -> Result<std::result::Result<(), RunError>> {
    let (limits, prices): (Value, Value) = (config.get("limits")?, config.get("prices")?);
    if is_nothing(&limits) && is_nothing(&prices) {
        return Ok(Ok(()));
    }
    let (limits, prices) = (to_plain_json(ctx, &limits)?, to_plain_json(ctx, &prices)?);
    if let Err(error) = services::limits(ctx)?.configure(&limits, &prices) {
        return Ok(Err(error));
    }
    set_engine_deadline(ctx)?;
    Ok(Ok(()))
}

/// The same of the limit on cost and the prices only, for a file that is loaded without being run.
pub(super) fn configure_cost<'js>(ctx: &Ctx<'js>, config: &Object<'js>) -> Result<std::result::Result<(), RunError>> {
    let (limits, prices): (Value, Value) = (config.get("limits")?, config.get("prices")?);
    let (mut limits, prices) = (to_plain_json(ctx, &limits)?, to_plain_json(ctx, &prices)?);
    if let Some(limits) = limits.as_object_mut() {
        limits.retain(|name, _| name == "cost");
    }
    Ok(services::limits(ctx)?.configure(&limits, &prices))
}

/// Adds the prices of a file that is run from code to those of the outer file. Its limits are ignored, as those of
/// the run apply.
pub(super) fn add_prices<'js>(
    ctx: &Ctx<'js>,
    config: &Object<'js>,
    outer: Option<PriceList>,
) -> Result<Option<PriceList>> {
    let prices: Value = config.get("prices")?;
    if is_nothing(&prices) {
        return Ok(outer);
    }
    let added = services::limits(ctx)?.add_prices(&to_plain_json(ctx, &prices)?, outer);
    added.map(Some).map_err(|problem| type_error(ctx, problem.to_string()))
}

fn is_nothing(value: &Value<'_>) -> bool {
    value.is_undefined() || value.is_null()
}

/// Converts to JSON. NaN becomes `"NaN"`: as `null` it would disable the limit.
pub(crate) fn to_plain_json<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<serde_json::Value> {
    let Some(object) = value.as_object().filter(|_| !value.is_array() && !value.is_function()) else {
        return if is_nothing(value) { Ok(serde_json::Value::Null) } else { to_json(ctx, value) };
    };
    let mut plain = serde_json::Map::new();
    for entry in object.props::<String, Value>() {
        let (key, value) = entry?;
        let json = match value.as_float() {
            Some(number) if number.is_nan() => json!("NaN"),
            _ if value.is_undefined() => continue,
            _ => to_json(ctx, &value)?,
        };
        plain.insert(key, json);
    }
    Ok(plain.into())
}

/// Extends the deadline, which may have passed, for listeners of `exit`.
pub(super) fn extend_deadline_for_exit(ctx: &Ctx<'_>) {
    let has_deadline = services::limits(ctx).is_ok_and(|limits| limits.deadline().is_some());
    if has_deadline {
        // Fails only without an event loop, and a script is running.
        let _ = set_deadline(ctx, Some(Instant::now() + EXIT_LISTENER_TIME));
    }
}

/// Sets the engine's own deadline, for scripts that do not yield.
fn set_engine_deadline(ctx: &Ctx<'_>) -> Result<()> {
    match services::limits(ctx)?.deadline() {
        Some(deadline) => set_deadline(ctx, Some(deadline)),
        None => Ok(()),
    }
}

/// Runs the whole file. At a limit, aborts the signals of its tools. Returns `None` if the file then does not end by
/// itself.
pub(super) async fn within_limits<T>(ctx: &Ctx<'_>, whole: impl Future<Output = Result<T>>) -> Result<Option<T>> {
    let limits = services::limits(ctx)?;
    set_engine_deadline(ctx)?;
    let cut = async {
        limits.reached().await;
        abort(ctx);
        tokio::time::sleep(GRACE).await;
    };
    let end = tokio::select! {
        biased;
        () = cut => None,
        end = whole => Some(end),
    };
    // The run may have ended before it was aborted.
    abort(ctx);
    end.transpose()
}

fn abort(ctx: &Ctx<'_>) {
    if let Ok(limits) = services::limits(ctx)
        && let Some(error) = limits.ended()
    {
        // An exception of a listener is ignored: the limit is the failure.
        if end_signal::abort(ctx, &error).is_err() {
            ctx.catch();
        }
        drain_jobs(ctx);
    }
}

pub(super) fn reached(ctx: &Ctx<'_>) -> Option<Rc<RunError>> {
    services::limits(ctx).ok()?.ended()
}
