//! An attempt within a server's request limits. Refusals of parameters are handled by sending the changed request at
//! once.

use std::time::Duration;

use super::{
    attempt::{AttemptFailure, Prepared, attempt},
    model::HttpModel,
    response_stream::ResponseStream,
};
use crate::{
    ProviderErrorKind, ProviderEvent,
    servers::{MAX_PAUSE, Permit},
};

/// How often a request waits for others of the run before its refusal counts as a failed attempt.
const MAX_YIELDS: u32 = 40;

/// How often a request is sent again after a closed connection, before that counts as a failed attempt.
const MAX_UNSENT: u32 = 10;

const UNSENT_WAIT: Duration = Duration::from_millis(1);

/// Divisor of the first wait between attempts, for the shortest pause.
const MIN_PAUSE_DIVISOR: u32 = 10;

pub(super) async fn throttled_attempt<'a>(
    model: &'a HttpModel,
    prepared: &Prepared,
) -> Result<ResponseStream<'a>, AttemptFailure> {
    let limiter = model.limiter();
    let (mut yields, mut unsent) = (0, 0);
    loop {
        if let Some(wait) = limiter.take_unreported_pause() {
            report_pause(model, wait, "nothing is left of its limit for now");
        }
        let mut permit = limiter.acquire().await.map_err(|given_up| abandoned(prepared, &given_up.message))?;
        let changes = prepared.body.borrow().changes;
        let failure = match attempt(model, prepared).await {
            Ok(mut answer) => {
                permit.answered();
                answer.hold_permit(permit);
                return Ok(answer);
            }
            Err(_) if prepared.body.borrow().changes > changes => continue,
            Err(failure) => failure,
        };
        if failure.is_unsent && unsent < MAX_UNSENT {
            drop(permit);
            // A server with too many connections will close the next one as well.
            tokio::time::sleep(if unsent == 0 { Duration::ZERO } else { UNSENT_WAIT * 2_u32.pow(unsent) }).await;
            unsent += 1;
            continue;
        }
        if !is_too_many(&failure) || !yields_to_others(model, permit, &failure, yields) {
            return Err(failure);
        }
        yields += 1;
    }
}

/// Whether the server limits our requests, possibly in an error inside the response, which has no status. An overload
/// is not our limit.
fn is_too_many(failure: &AttemptFailure) -> bool {
    let error = &failure.error;
    let is_limit = matches!(error.kind, ProviderErrorKind::RateLimit { .. });
    let is_overload = match error.status {
        Some(status @ 300..) => status != 429,
        _ => error.message.to_ascii_lowercase().contains("overload"),
    };
    is_limit && !is_overload && failure.is_retryable
}

/// Slows down or pauses all requests to the server. Returns whether this one waits for others of the run; otherwise it
/// has failed.
fn yields_to_others(model: &HttpModel, permit: Permit, failure: &AttemptFailure, yields: u32) -> bool {
    let is_shared = permit.refused(&failure.error.message);
    if failure.retry_after.is_some_and(|retry_after| retry_after > MAX_PAUSE) {
        return false;
    }
    let (is_shared, limiter) = (is_shared && yields < MAX_YIELDS, model.limiter());
    let reported = match failure.retry_after {
        Some(retry_after) => {
            let shortest = if is_shared { model.context.first_wait / MIN_PAUSE_DIVISOR } else { Duration::ZERO };
            let pause = retry_after.max(shortest);
            limiter.pause_for(pause).then_some(pause)
        }
        None => limiter.reported_wait(),
    };
    if let Some(wait) = reported.filter(|_| is_shared) {
        report_pause(model, wait, &failure.error.message);
    }
    is_shared
}

fn report_pause(model: &HttpModel, wait: Duration, reason: &str) {
    let (provider, reason) = (model.provider.clone(), reason.to_owned());
    (model.context.on_event)(&ProviderEvent::Throttled { provider, wait, reason });
}

/// The failure of a request that was not sent, because the server refused all others for too long.
fn abandoned(prepared: &Prepared, words: &str) -> AttemptFailure {
    let message =
        format!("{} (the server has refused every request of this run for a while)", words.trim_end_matches('.'));
    let error = prepared.errors.error(ProviderErrorKind::RateLimit { retry_after: None }, &message, Some(429));
    AttemptFailure::new(error, false)
}
