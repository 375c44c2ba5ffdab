//! Durations for humans.

use std::{fmt, time::Duration};

/// Displays a duration in at most two units: `250 ms`, `2.1 s`, `45 s`, `4 min 30 s`, `1 h 12 min`, `2 d 3 h`.
#[derive(Clone, Copy, Debug)]
pub struct HumanDuration(pub Duration);

impl fmt::Display for HumanDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs_f64();
        if seconds > 0.0 && seconds < 1.0 {
            return write!(f, "{} ms", self.0.as_millis());
        }
        if seconds < 9.95 {
            let text = format!("{seconds:.1}");
            return write!(f, "{} s", text.strip_suffix(".0").unwrap_or(&text));
        }
        // Rounded up, so that a user who waits this long is not too early.
        let seconds = self.0.as_secs().saturating_add(u64::from(self.0.subsec_nanos() > 0));
        let minutes = if seconds < 3600 { seconds / 60 } else { seconds.div_ceil(60) };
        let two = |f: &mut fmt::Formatter<'_>, (large, unit): (u64, &str), (small, small_unit): (u64, &str)| {
            if small == 0 { write!(f, "{large} {unit}") } else { write!(f, "{large} {unit} {small} {small_unit}") }
        };
        match minutes {
            0 => write!(f, "{seconds} s"),
            1..60 => two(f, (minutes, "min"), (seconds % 60, "s")),
            60..1440 => two(f, (minutes / 60, "h"), (minutes % 60, "min")),
            _ => two(f, (minutes / 1440, "d"), (minutes % 1440 / 60, "h")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_at_most_two_units() {
        let said = |milliseconds| HumanDuration(Duration::from_millis(milliseconds)).to_string();
        let expected = [
            (0, "0 s"),
            (250, "250 ms"),
            (2_000, "2 s"),
            (2_080, "2.1 s"),
            (9_960, "10 s"),
            (45_000, "45 s"),
            (60_000, "1 min"),
            (270_000, "4 min 30 s"),
            (3_600_000, "1 h"),
            (4_290_000, "1 h 12 min"),
            (183_600_000, "2 d 3 h"),
        ];
        for (milliseconds, words) in expected {
            assert_eq!(said(milliseconds), words);
        }
    }
}
