//! Rate limits in response headers.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::HeaderMap;

/// Longer pauses are not made in advance: the server's refusal explains more.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(300);

/// The time until a used-up limit is reset, as in `x-ratelimit-remaining-requests: 0` with
/// `x-ratelimit-reset-requests: 6m0s`.
pub(crate) fn announced_pause(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let empty = headers.iter().filter(|(name, value)| {
        let name = name.as_str();
        name.contains("ratelimit") && name.contains("remaining") && value.to_str().is_ok_and(|text| text.trim() == "0")
    });
    let reset = |name: &str| {
        let reset = headers.get(name.replace("remaining", "reset"))?.to_str().ok()?;
        parse_reset(reset.trim(), now).filter(|wait| *wait <= MAX_PAUSE)
    };
    empty.filter_map(|(name, _)| reset(name.as_str())).max()
}

/// Parses a duration (`6m0s`, `120ms`, `30`) or a time (`2024-06-01T12:00:00Z`, seconds or milliseconds since 1970,
/// an HTTP date).
fn parse_reset(text: &str, now: SystemTime) -> Option<Duration> {
    /// Numbers from here on are times (2001 or later), as no duration is that long.
    const SECONDS: f64 = 1e9;
    const MILLISECONDS: f64 = 1e12;
    let since_1970 = |seconds: f64| {
        let time = UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)?;
        Some(time.duration_since(now).unwrap_or_default())
    };
    if let Ok(number) = text.parse::<f64>() {
        return match number {
            number if number >= MILLISECONDS => since_1970(number / 1000.0),
            number if number >= SECONDS => since_1970(number),
            number => Duration::try_from_secs_f64(number).ok(),
        };
    }
    if let Ok(time) = httpdate::parse_http_date(text) {
        return Some(time.duration_since(now).unwrap_or_default());
    }
    parse_duration(text).or_else(|| since_1970(parse_timestamp(text)?))
}

fn parse_duration(text: &str) -> Option<Duration> {
    let (mut left, mut seconds) = (Some(text).filter(|text| !text.is_empty())?, 0.0);
    while !left.is_empty() {
        let digits = left.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = left[..digits].parse().ok()?;
        let rest = &left[digits..];
        let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        seconds += number
            * match &rest[..end] {
                "d" => 86_400.0,
                "h" => 3_600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 0.001,
                "us" | "µs" => 0.000_001,
                _ => return None,
            };
        left = &rest[end..];
    }
    Duration::try_from_secs_f64(seconds).ok()
}

fn parse_timestamp(text: &str) -> Option<f64> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute) = (number(11..13)?, number(14..16)?);
    let rest = text.get(17..)?;
    let end = rest.find(['Z', 'z', '+', '-'])?;
    let second: f64 = rest[..end].parse().ok()?;
    let zone = match &rest[end..] {
        "Z" | "z" => 0,
        zone => {
            let minutes = zone.get(1..3)?.parse::<i64>().ok()? * 60 + zone.get(4..6)?.parse::<i64>().ok()?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    // Years start in March, so that the leap day is the last day of a year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year / 4 - year / 100 + year / 400;
    let days = year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468;
    #[allow(clippy::cast_precision_loss)]
    let whole = (days * 86_400 + hour * 3_600 + (minute - zone) * 60) as f64;
    Some(whole + second)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn pause(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect();
        // Wed, 21 Oct 2015 07:28:00 GMT
        announced_pause(&headers, UNIX_EPOCH + Duration::from_secs(1_445_412_480))
    }

    #[test]
    fn used_up_limits_have_a_reset_time() {
        let requests =
            |reset: &str| pause(&[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", reset)]);
        assert_eq!(requests("1s"), Some(Duration::from_secs(1)));
        assert_eq!(requests("1m30.5s"), Some(Duration::from_millis(90_500)));
        assert_eq!(requests("120ms"), Some(Duration::from_millis(120)));
        assert_eq!(requests("7"), Some(Duration::from_secs(7)));
        assert_eq!(requests("1445412490"), Some(Duration::from_secs(10)));
        assert_eq!(requests("1445412490000"), Some(Duration::from_secs(10)));
        assert_eq!(requests("Wed, 21 Oct 2015 07:28:05 GMT"), Some(Duration::from_secs(5)));
        assert_eq!(requests("6m0s"), None, "longer than MAX_PAUSE");
        for nothing in ["soon", "", "s", "1x", "-1", "NaN", "2015-10-21", "ä1s"] {
            assert_eq!(requests(nothing), None, "{nothing}");
        }
        let anthropic = |reset: &str| {
            pause(&[("anthropic-ratelimit-tokens-remaining", "0"), ("anthropic-ratelimit-tokens-reset", reset)])
        };
        assert_eq!(anthropic("2015-10-21T07:29:00Z"), Some(Duration::from_secs(60)));
        assert_eq!(anthropic("2015-10-21T09:28:01.5+02:00"), Some(Duration::from_millis(1_500)));
        assert_eq!(anthropic("2015-10-21T07:27:00Z"), Some(Duration::ZERO));
    }

    #[test]
    fn remaining_requests_cause_no_pause() {
        assert_eq!(pause(&[("x-ratelimit-remaining-requests", "9"), ("x-ratelimit-reset-requests", "1s")]), None);
        assert_eq!(pause(&[("x-ratelimit-remaining-requests", "0")]), None);
        assert_eq!(pause(&[("remaining", "0"), ("reset", "1s")]), None);
        let tokens = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "2s")];
        let requests = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "1s")];
        assert_eq!(pause(&[tokens, requests].concat()), Some(Duration::from_secs(2)));
    }
}
