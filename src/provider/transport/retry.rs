//! Trying again: how often, and how long to wait in between. Whether a failure is worth it, `attempt` has said.

use std::{cell::Cell, time::Duration};

use backon::{ExponentialBuilder, Retryable};

use super::{
    answer::Answer,
    attempt::{AttemptFailure, Prepared},
    model::HttpModel,
    turn::turn,
};
use crate::provider::{ProviderError, ProviderErrorKind, ProviderEvent};

/// Further attempts after the first, unless set.
const DEFAULT_RETRIES: u32 = 2;

/// Up to this share of our own wait is added at random, so that many clients do not come back at once.
const JITTER: f64 = 0.05;

/// Sends the request until it is accepted or no attempt is left.
pub(super) async fn run<'a>(model: &'a HttpModel, prepared: &Prepared) -> Result<Answer<'a>, ProviderError> {
    let retries = prepared.max_retries.unwrap_or(DEFAULT_RETRIES);
    let attempts = Cell::new(0_u32);
    let waits = ExponentialBuilder::new()
        .with_min_delay(model.context.first_wait)
        .with_factor(2.0)
        .without_max_delay()
        .with_max_times(retries as usize);
    let operation = || {
        attempts.set(attempts.get() + 1);
        turn(model, prepared)
    };
    let result = operation
        .retry(waits)
        .when(|failure: &AttemptFailure| failure.retryable)
        // A wish is kept to exactly: the provider knows when it has room again.
        .adjust(|failure, wait| wait.map(|wait| failure.wish.unwrap_or_else(|| with_jitter(wait))))
        .notify(|failure, wait| {
            (model.context.on_event)(&ProviderEvent::Retry {
                provider: model.provider.clone(),
                model: model.model_id.clone(),
                attempt: attempts.get(),
                max_attempts: retries.saturating_add(1),
                wait,
                reason: failure.error.message.clone(),
            });
        })
        .await;
    result.map_err(|failure| last_error(failure, attempts.get(), retries))
}

fn with_jitter(wait: Duration) -> Duration {
    wait + wait.mul_f64(JITTER * fastrand::f64())
}

/// The error the caller gets, which says how often it was tried.
fn last_error(failure: AttemptFailure, attempts: u32, retries: u32) -> ProviderError {
    let mut error = failure.error;
    // For callers that wait on their own after the last attempt.
    if let ProviderErrorKind::RateLimit { retry_after } = &mut error.kind {
        *retry_after = failure.wish;
    }
    // A first attempt that cannot be repeated needs no word about attempts.
    if attempts > 1 || (failure.retryable && retries > 0) {
        error.message = if failure.retryable {
            format!("Failed after {attempts} attempts. Last error: {}", error.message)
        } else {
            format!("Failed after {attempts} attempts with non-retryable error: '{}'", error.message)
        };
    }
    error
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
}
