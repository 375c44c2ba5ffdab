//! Trying again: how often, how long to wait in between, and what to say in the end. Whether a failure is worth another
//! attempt, `attempt` has said.

use std::{
    cell::{Cell, RefCell},
    time::{Duration, SystemTime},
};

use backon::{ExponentialBuilder, Retryable};
use tokio::time::{Instant, timeout_at};

use super::{
    answer::Answer,
    attempt::{AttemptFailure, Prepared},
    model::HttpModel,
    turn::turn,
};
use crate::provider::{ProviderError, ProviderErrorKind, ProviderEvent, Span};

/// Further attempts after the first, unless set.
const DEFAULT_RETRIES: u32 = 2;

/// Up to this share of our own wait is added at random, so that many clients do not come back at once.
const JITTER: f64 = 0.05;

/// No wait is longer: when a provider asks for more, whoever sits in front of the terminal has better things to do.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Sends the request until an answer begins or no attempt is left.
pub(super) async fn run<'a>(model: &'a HttpModel, prepared: &Prepared) -> Result<Answer<'a>, ProviderError> {
    let retries = prepared.max_retries.unwrap_or(DEFAULT_RETRIES);
    let attempts = Cell::new(0_u32);
    let last_reason = RefCell::new(None);
    let deadline = prepared.limits.deadline;
    let waits = ExponentialBuilder::new()
        .with_min_delay(model.context.first_wait)
        .with_factor(2.0)
        .with_max_delay(LONGEST_WAIT)
        .with_max_times(retries as usize);
    let operation = || {
        attempts.set(attempts.get() + 1);
        turn(model, prepared)
    };
    let repeated = operation
        .retry(waits)
        .when(|failure: &AttemptFailure| failure.retryable && !asks_too_much(failure))
        .adjust(|failure, wait| {
            // A wish is kept to exactly: the provider knows when it has room again.
            let wait = wait.map(|wait| failure.wish.unwrap_or_else(|| with_jitter(wait)))?;
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
        // An attempt was left, but no time for it.
        Ok(Err(failure)) if failure.retryable && !asks_too_much(&failure) && attempts.get() <= retries => {
            Err(out_of_time(prepared, last_reason.take()))
        }
        Ok(Err(failure)) => Err(last_error(failure, attempts.get())),
        Err(_) => Err(out_of_time(prepared, last_reason.take())),
    }
}

fn asks_too_much(failure: &AttemptFailure) -> bool {
    failure.wish.is_some_and(|wish| wish > LONGEST_WAIT)
}

fn with_jitter(wait: Duration) -> Duration {
    wait + wait.mul_f64(JITTER * fastrand::f64())
}

/// The error of the limit on the whole call, which covers the waits too.
fn out_of_time(prepared: &Prepared, last_reason: Option<String>) -> ProviderError {
    let Some(reason) = last_reason else {
        return prepared.faults.timeout("did not answer", prepared.limits.total, "total");
    };
    let what = "did not answer, waits between attempts included,";
    let mut error = prepared.faults.timeout(what, prepared.limits.total, "total");
    error.message = format!("{} Last error: {reason}", error.message);
    error
}

/// The error the caller gets, which says how often it was tried, and when to come back.
fn last_error(failure: AttemptFailure, attempts: u32) -> ProviderError {
    let mut error = failure.error;
    // For callers that wait on their own after the last attempt.
    if let ProviderErrorKind::RateLimit { retry_after } = &mut error.kind {
        *retry_after = failure.wish;
    }
    if let Some(wish) = failure.wish.filter(|wish| failure.retryable && *wish > LONGEST_WAIT) {
        let (span, clock) = (Span(wish), clock(SystemTime::now() + wish, wish));
        error.message =
            format!("{}. The provider asks to come back in {span}, at {clock}.", error.message.trim_end_matches('.'));
        error.hint = Some(format!(
            "Run it again then. Only waits of up to {} are waited out; a list of models in config.model goes on with the \
             next one.",
            Span(LONGEST_WAIT)
        ));
    }
    // A first attempt that was not repeated needs no word about attempts.
    if attempts > 1 {
        error.message = if failure.retryable {
            format!("Failed after {attempts} attempts. Last error: {}", error.message)
        } else {
            format!("Failed after {attempts} attempts with non-retryable error: '{}'", error.message)
        };
    }
    error
}

/// The time of day, with the day when it may be another one. In UTC: what the local time is only the system knows.
fn clock(time: SystemTime, from_now: Duration) -> String {
    // Upwards to the minute: nobody should come back too early.
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
