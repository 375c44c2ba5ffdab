//! Reads durations: `90s`, `1m30s`, `500ms`, `2h`.

use std::time::Duration;

/// Units in milliseconds; `ms` before `m` and `s`, which are a prefix and a suffix of it.
const UNITS: [(&str, f64); 5] = [("ms", 1.0), ("d", 86_400_000.0), ("h", 3_600_000.0), ("m", 60_000.0), ("s", 1_000.0)];

/// Reads a duration: numbers with a unit each (`ms`, `s`, `m`, `h`, `d`), each unit at most once, the longest first. `None` for
/// other texts, for 0 and for a number without a unit.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let (mut milliseconds, mut shortest) = (0.0, f64::INFINITY);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        let behind = rest[end..].trim_start();
        let (unit, length) = UNITS.iter().find(|(unit, _)| behind.starts_with(unit))?;
        if *length >= shortest {
            return None;
        }
        shortest = *length;
        milliseconds += number * length;
        rest = behind[unit.len()..].trim_start();
    }
    Duration::try_from_secs_f64(milliseconds / 1000.0).ok().filter(|span| !span.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        for (text, milliseconds) in [
            ("90s", 90_000),
            ("1m30s", 90_000),
            ("1m 30s", 90_000),
            ("500ms", 500),
            ("2h", 7_200_000),
            ("1.5s", 1_500),
            ("1h1m1s1ms", 3_661_001),
            ("1d", 86_400_000),
        ] {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn invalid_durations_are_refused() {
        for text in ["", "abc", "90", "s", "0s", "-1s", "1s1m", "1s 2s", "90 x", "1..5s", "1e99d", "90s!", "∞s", "1m30"]
        {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
