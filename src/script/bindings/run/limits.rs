//! The limits of a run as its file meets them (docs/reference.md, "Limits"): what `config` says of them, and the end of
//! everything when one is reached. Must not know what is counted.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Object, Result, Value};
use serde_json::json;

use crate::{
    prompt::{PriceList, RunError},
    script::{
        bindings::{
            services,
            tools::end_signal,
            values::{to_json, type_error},
        },
        drain_jobs, set_deadline,
        warn::warning,
    },
};

/// How long the file's own run has to come to an end by itself once a limit is reached. Longer than its prompts have.
const GRACE: Duration = Duration::from_millis(400);

/// How long listeners of `exit` have.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Reads `config.limits` and `config.prices`; the inner error is for whoever typed the command.
pub(super) fn configure<'js>(ctx: &Ctx<'js>, config: &Object<'js>) -> Result<std::result::Result<(), RunError>> {
    let (limits, prices): (Value, Value) = (config.get("limits")?, config.get("prices")?);
    if is_nothing(&limits) && is_nothing(&prices) {
        return Ok(Ok(()));
    }
    let unknown = match services::limits(ctx)?.configure(&plain(ctx, &limits)?, &plain(ctx, &prices)?) {
        Ok(unknown) => unknown,
        Err(error) => return Ok(Err(error)),
    };
    unknown.iter().try_for_each(|line| warning(ctx, line))?;
    watch(ctx)?;
    Ok(Ok(()))
}

/// Takes in the prices of a file that is run from code, after those of the file that runs it, `outer`. Its limits do not count:
/// those of the run hold for it as well.
pub(super) fn add_prices<'js>(
    ctx: &Ctx<'js>,
    config: &Object<'js>,
    outer: Option<PriceList>,
) -> Result<Option<PriceList>> {
    let prices: Value = config.get("prices")?;
    if is_nothing(&prices) {
        return Ok(outer);
    }
    let added = services::limits(ctx)?.add_prices(&plain(ctx, &prices)?, outer);
    added.map(Some).map_err(|problem| type_error(ctx, problem))
}

fn is_nothing(value: &Value<'_>) -> bool {
    value.is_undefined() || value.is_null()
}

/// A value as JSON, in which what is no number stays visible: as `null` it would be no limit.
pub(crate) fn plain<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<serde_json::Value> {
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

/// Lets listeners of the end run for a moment, even though the time of the run may be over.
pub(super) fn allow_last_words(ctx: &Ctx<'_>) {
    let has_deadline = services::limits(ctx).is_ok_and(|limits| limits.deadline().is_some());
    if has_deadline {
        // There is a loop, or nothing would be running.
        let _ = set_deadline(ctx, Some(Instant::now() + LAST_WORDS));
    }
}

/// Has scripts interrupted that do not let anybody look at the clock.
fn watch(ctx: &Ctx<'_>) -> Result<()> {
    match services::limits(ctx)?.deadline() {
        Some(deadline) => set_deadline(ctx, Some(deadline)),
        None => Ok(()),
    }
}

/// Runs the whole file. When a limit is reached, the signals of its tools are aborted, and it ends: with nothing, where it does
/// not come to an end by itself.
pub(super) async fn within_limits<T>(ctx: &Ctx<'_>, whole: impl Future<Output = Result<T>>) -> Result<Option<T>> {
    let limits = services::limits(ctx)?;
    watch(ctx)?;
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
    // Of a run that ended at once nobody has been told yet.
    abort(ctx);
    end.transpose()
}

fn abort(ctx: &Ctx<'_>) {
    if let Ok(limits) = services::limits(ctx)
        && let Some(error) = limits.ended()
    {
        // The run ends for another reason; what a listener of the signal throws is told nobody.
        if end_signal::abort(ctx, &error).is_err() {
            ctx.catch();
        }
        drain_jobs(ctx);
    }
}

/// Why a run had to end that has reached a limit.
pub(super) fn reached(ctx: &Ctx<'_>) -> Option<Rc<RunError>> {
    services::limits(ctx).ok()?.ended()
}
