//! Trying again: which failures, how often, and how long to wait (provider facts, "Retries").

use std::{
    cell::Cell,
    time::{Duration, SystemTime},
};

use backon::{ExponentialBuilder, Retryable};
use reqwest::header::HeaderMap;

use super::{
    HttpModel,
    answer::Answer,
    attempt::{AttemptFailure, Prepared, attempt},
};
use crate::provider::{ProviderError, ProviderErrorKind, ProviderEvent};

/// Further attempts after the first, unless set.
const DEFAULT_RETRIES: u32 = 2;

/// A wish of the provider for a longer wait than this is not honoured.
const LONGEST_WISH: Duration = Duration::from_secs(60);

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
        attempt(model, prepared)
    };
    let result = operation
        .retry(waits)
        .when(|failure: &AttemptFailure| failure.retryable)
        .adjust(|failure, wait| wait.map(|wait| failure.wish.unwrap_or_else(|| with_jitter(wait))))
        .notify(|failure, wait| {
            (model.context.on_event)(&ProviderEvent::Retry {
                provider: model.provider.clone(),
                model: model.model_id.clone(),
                attempt: attempts.get(),
                max_attempts: retries + 1,
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
    if let ProviderErrorKind::RateLimit { retry_after } = &mut error.kind {
        *retry_after = failure.wish;
    }
    if attempts > 1 || (failure.retryable && retries > 0) {
        error.message = if failure.retryable {
            format!("Failed after {attempts} attempts. Last error: {}", error.message)
        } else {
            format!("Failed after {attempts} attempts with non-retryable error: '{}'", error.message)
        };
    }
    error
}

/// How long the provider wants us to wait: `retry-after-ms`, else `retry-after` in seconds or as a date.
pub(super) fn wish(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()).or_else(|| {
        let text = text("retry-after")?;
        if let Ok(seconds) = text.parse::<f64>() {
            return Some(seconds * 1000.0);
        }
        let date = httpdate::parse_http_date(text).ok()?;
        // A date that has passed is a wish below zero.
        Some(date.duration_since(now).map_or(-1.0, |wait| wait.as_secs_f64() * 1000.0))
    })?;
    let within = (0.0..LONGEST_WISH.as_secs_f64() * 1000.0).contains(&milliseconds);
    within.then(|| Duration::from_secs_f64(milliseconds / 1000.0))
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn wish_of(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect();
        // Wed, 21 Oct 2015 07:28:00 GMT
        wish(&headers, SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_480))
    }

    #[test]
    fn the_providers_wish_is_read() {
        assert_eq!(wish_of(&[]), None);
        assert_eq!(wish_of(&[("retry-after", "1")]), Some(Duration::from_secs(1)));
        assert_eq!(wish_of(&[("retry-after", "0")]), Some(Duration::ZERO));
        assert_eq!(wish_of(&[("retry-after", "59.5")]), Some(Duration::from_millis(59_500)));
        assert_eq!(wish_of(&[("retry-after", "60")]), None);
        assert_eq!(wish_of(&[("retry-after", "-1")]), None);
        assert_eq!(wish_of(&[("retry-after-ms", "250"), ("retry-after", "7")]), Some(Duration::from_millis(250)));
        assert_eq!(wish_of(&[("retry-after-ms", "soon"), ("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(wish_of(&[("retry-after-ms", "90000"), ("retry-after", "7")]), None);
        assert_eq!(wish_of(&[("retry-after", "Wed, 21 Oct 2015 07:28:05 GMT")]), Some(Duration::from_secs(5)));
        assert_eq!(wish_of(&[("retry-after", "Wed, 21 Oct 2015 07:27:00 GMT")]), None);
        assert_eq!(wish_of(&[("retry-after", "later")]), None);
    }

    #[test]
    fn jitter_only_adds_and_little() {
        for _ in 0..100 {
            let wait = with_jitter(Duration::from_secs(2));
            assert!(wait >= Duration::from_secs(2) && wait <= Duration::from_millis(2_100), "{wait:?}");
        }
    }
}
