//! Means of scores with 95 % intervals, and paired differences (docs/reference/eval.md#intervals).

mod bootstrap;
mod proportions;

pub(crate) use bootstrap::{mean_of_differences, mean_of_scores};
pub(crate) use proportions::{paired_proportions, proportion};

use statrs::statistics::{Data, OrderStatistics};

/// A 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

#[allow(clippy::cast_precision_loss)] // No count comes near 2^52.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The quantile that is unbiased for the median (Hyndman and Fan's definition 8); `None` of nothing.
pub(crate) fn quantile(values: &[f64], at: f64) -> Option<f64> {
    (!values.is_empty()).then(|| Data::new(values.to_vec()).quantile(at))
}
