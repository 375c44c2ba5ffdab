//! Retries of failed attempts.

use std::{
    cell::{Cell, RefCell},
    time::{Duration, SystemTime},
};

use backon::{ExponentialBuilder, Retryable};
use tokio::time::{Instant, timeout_at};

use super::{
    attempt::{AttemptFailure, Prepared},
    model::HttpModel,
    response_stream::ResponseStream,
    throttle::throttled_attempt,
};
use crate::{HumanDuration, ProviderError, ProviderErrorKind, ProviderEvent};

const DEFAULT_RETRIES: u32 = 2;

/// Share of the wait that is added at most, at random, so that clients do not retry simultaneously.
const JITTER: f64 = 0.05;

/// The longest wait; if a provider requests more, the call fails instead.
pub const MAX_WAIT: Duration = Duration::from_secs(300);

pub(super) async fn run<'a>(model: &'a HttpModel, prepared: &Prepared) -> Result<ResponseStream<'a>, ProviderError> {
    let retries = prepared.max_retries.unwrap_or(DEFAULT_RETRIES);
    let attempts = Cell::new(0_u32);
    let last_reason = RefCell::new(None);
    let deadline = prepared.limits.deadline;
    let waits = ExponentialBuilder::new()
        .with_min_delay(model.context.first_wait)
        .with_factor(2.0)
        .with_max_delay(MAX_WAIT)
        .with_max_times(retries as usize);
    let operation = || {
        attempts.set(attempts.get() + 1);
        throttled_attempt(model, prepared)
    };
    let repeated = operation
        .retry(waits)
        .when(|failure: &AttemptFailure| failure.is_retryable && !wait_is_too_long(failure))
        .adjust(|failure, wait| {
            // A requested wait is used exactly.
            let wait = wait.map(|wait| failure.retry_after.unwrap_or_else(|| with_jitter(wait)))?;
            *last_reason.borrow_mut() = Some(failure.error.message.clone());
            Instant::now().checked_add(wait).is_some_and(|due| due < deadline).then_some(wait)
        })
        .notify(|failure, wait| {
            (model.context.on_event)(&ProviderEvent::Retry {
                provider: model.provider.clone(),
                model: model.model_id.clone(),
                attempt: attempts.get(),
                max_attempts: retries.saturating_add(1),
                wait,
                reason: failure.error.message.clone(),
            });
        });
    match timeout_at(deadline, repeated).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(failure)) if failure.is_retryable && !wait_is_too_long(&failure) && attempts.get() <= retries => {
            Err(out_of_time(prepared, last_reason.take()))
        }
        Ok(Err(failure)) => Err(last_error(failure, attempts.get())),
        Err(_) => Err(out_of_time(prepared, last_reason.take())),
    }
}

fn wait_is_too_long(failure: &AttemptFailure) -> bool {
    failure.retry_after.is_some_and(|retry_after| retry_after > MAX_WAIT)
}

fn with_jitter(wait: Duration) -> Duration {
    wait + wait.mul_f64(JITTER * fastrand::f64())
}

fn out_of_time(prepared: &Prepared, last_reason: Option<String>) -> ProviderError {
    let Some(reason) = last_reason else {
        return prepared.errors.timeout("did not answer", prepared.limits.total, "total");
    };
    let what = "did not answer, waits between attempts included,";
    let mut error = prepared.errors.timeout(what, prepared.limits.total, "total");
    error.message = format!("{} Last error: {reason}", error.message);
    error
}

fn last_error(failure: AttemptFailure, attempts: u32) -> ProviderError {
    let long_wait = failure.retry_after.filter(|_| failure.is_retryable && wait_is_too_long(&failure));
    let mut error = failure.error;
    // For callers that retry themselves: a server that is unavailable for long refuses all requests as well.
    if long_wait.is_some() || matches!(error.kind, ProviderErrorKind::RateLimit { .. }) {
        error.kind = ProviderErrorKind::RateLimit { retry_after: failure.retry_after };
    }
    if let Some(retry_after) = long_wait {
        let (duration, clock) = (HumanDuration(retry_after), clock(SystemTime::now() + retry_after, retry_after));
        error.message = format!(
            "{}. The provider asks to come back in {duration}, at {clock}.",
            error.message.trim_end_matches('.')
        );
        error.hint = Some(format!(
            "Run it again then. Only waits of up to {} are waited out; a list of models in config.model goes on with the \
             next one.",
            HumanDuration(MAX_WAIT)
        ));
    }
    if attempts > 1 {
        error.message = if failure.is_retryable {
            format!("Failed after {attempts} attempts. Last error: {}", error.message)
        } else {
            format!("Failed after {attempts} attempts with non-retryable error: '{}'", error.message)
        };
    }
    error
}

/// A time of day, with the date if it may be another day. UTC, as the local time zone is unknown here.
fn clock(time: SystemTime, from_now: Duration) -> String {
    // Rounded up, so that a user does not retry too early.
    let text = httpdate::fmt_http_date(time + Duration::from_secs(59));
    // "Wed, 21 Oct 2015 07:28:00 GMT"
    let (day, hour) = (text.get(..11).unwrap_or_default(), text.get(17..22).unwrap_or_default());
    if from_now < Duration::from_secs(12 * 3600) { format!("{hour} UTC") } else { format!("{hour} UTC on {day}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_only_adds_and_little() {
        for _ in 0..100 {
            let wait = with_jitter(Duration::from_secs(2));
            assert!(wait >= Duration::from_secs(2) && wait <= Duration::from_millis(2_100), "{wait:?}");
        }
    }

    #[test]
    fn the_clock_shows_the_minute_after() {
        // Wed, 21 Oct 2015 07:28:01 GMT
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_481);
        assert_eq!(clock(time, Duration::from_secs(600)), "07:29 UTC");
        assert_eq!(clock(time, Duration::from_secs(86_400)), "07:29 UTC on Wed, 21 Oct");
    }
}
