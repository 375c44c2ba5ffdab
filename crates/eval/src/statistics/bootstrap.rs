//! Intervals of means by a bootstrap over rows.

use super::{Interval, mean};

/// Of scores from 0 to 1.
pub(crate) fn mean_of_scores(values: &[f64]) -> Interval {
    interval(values, 0.0)
}

/// Of differences from -1 to 1.
pub(crate) fn mean_of_differences(values: &[f64]) -> Interval {
    interval(values, -1.0)
}

fn interval(values: &[f64], least: f64) -> Interval {
    let mean = mean(values);
    Interval { low: mean.min(1.0).max(least), high: mean }
}
