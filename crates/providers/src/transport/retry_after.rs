//! The wait that a provider requests before the next attempt.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::{billing::retry_delay, error_text::error_object};

const MAX_DELAY: Duration = Duration::from_secs(366 * 86_400);

pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()).or_else(|| {
        let text = text("retry-after")?;
        if let Ok(seconds) = text.parse::<f64>() {
            return Some(seconds * 1000.0);
        }
        let date = httpdate::parse_http_date(text).ok()?;
        // A past date counts as a negative wait, which is ignored.
        Some(date.duration_since(now).map_or(-1.0, |wait| wait.as_secs_f64() * 1000.0))
    })?;
    duration_of(milliseconds / 1000.0)
}

pub(super) fn retry_after_in_body(body: &Value) -> Option<Duration> {
    duration_of(retry_delay(error_object(body))?)
}

fn duration_of(seconds: f64) -> Option<Duration> {
    (0.0..=MAX_DELAY.as_secs_f64()).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn delay_of(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect();
        // Wed, 21 Oct 2015 07:28:00 GMT
        retry_after(&headers, SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_480))
    }

    #[test]
    fn retry_after_headers_are_read() {
        assert_eq!(delay_of(&[]), None);
        assert_eq!(delay_of(&[("retry-after", "1")]), Some(Duration::from_secs(1)));
        assert_eq!(delay_of(&[("retry-after", "0")]), Some(Duration::ZERO));
        assert_eq!(delay_of(&[("retry-after", "59.5")]), Some(Duration::from_millis(59_500)));
        assert_eq!(delay_of(&[("retry-after", "300")]), Some(Duration::from_secs(300)));
        assert_eq!(delay_of(&[("retry-after", "7200")]), Some(Duration::from_secs(7200)));
        assert_eq!(delay_of(&[("retry-after", "1e300")]), None);
        assert_eq!(delay_of(&[("retry-after", "NaN")]), None);
        assert_eq!(delay_of(&[("retry-after", "-1")]), None);
        assert_eq!(delay_of(&[("retry-after-ms", "250"), ("retry-after", "7")]), Some(Duration::from_millis(250)));
        assert_eq!(delay_of(&[("retry-after-ms", "soon"), ("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(delay_of(&[("retry-after-ms", "90000"), ("retry-after", "7")]), Some(Duration::from_secs(90)));
        assert_eq!(delay_of(&[("retry-after", "Wed, 21 Oct 2015 07:28:05 GMT")]), Some(Duration::from_secs(5)));
        assert_eq!(delay_of(&[("retry-after", "Wed, 21 Oct 2015 07:27:00 GMT")]), None);
        assert_eq!(delay_of(&[("retry-after", "later")]), None);
    }

    #[test]
    fn googles_retry_delay_is_in_the_body() {
        let body = serde_json::json!({ "error": { "details": [{}, { "retryDelay": "2.5s" }] } });
        assert_eq!(retry_after_in_body(&body), Some(Duration::from_millis(2_500)));
        assert_eq!(retry_after_in_body(&serde_json::json!([body])), Some(Duration::from_millis(2_500)));
        assert_eq!(retry_after_in_body(&serde_json::json!({ "error": "busy" })), None);
    }
}
