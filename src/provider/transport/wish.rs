//! How long a provider asks us to wait before the next attempt.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// A wish for a longer wait than this is not honoured: nobody waits minutes in front of a terminal.
const LONGEST: Duration = Duration::from_secs(60);

/// The wish in the head of an answer: `retry-after-ms`, else `retry-after` in seconds or as a date.
pub(super) fn wish(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    // OpenAI and Azure send the finer one too.
    let milliseconds = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()).or_else(|| {
        let text = text("retry-after")?;
        if let Ok(seconds) = text.parse::<f64>() {
            return Some(seconds * 1000.0);
        }
        let date = httpdate::parse_http_date(text).ok()?;
        // A date that has passed is a wish below zero.
        Some(date.duration_since(now).map_or(-1.0, |wait| wait.as_secs_f64() * 1000.0))
    })?;
    let within = (0.0..LONGEST.as_secs_f64() * 1000.0).contains(&milliseconds);
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
}
