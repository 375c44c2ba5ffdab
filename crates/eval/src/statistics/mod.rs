//! Means of scores with 95 % intervals, and paired differences (docs/reference/eval.md#intervals).

mod bootstrap;
#[cfg(test)]
mod coverage;
mod proportions;

pub(crate) use bootstrap::{mean_of_differences, mean_of_scores};
pub(crate) use proportions::{paired_proportions, proportion};

use statrs::{
    distribution::{ContinuousCDF, StudentsT},
    statistics::{Data, OrderStatistics},
};

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

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

/// The 97.5 % quantile of Student's distribution for the mean of `n` values.
fn t_quantile(n: f64) -> f64 {
    StudentsT::new(0.0, 1.0, (n - 1.0).max(1.0)).map_or(Z, |distribution| distribution.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.17.1: `scipy.stats.t.ppf(0.975, n - 1)`.
    #[test]
    fn quantiles_of_student_are_those_of_scipy() {
        for (n, expected) in
            [(2.0, 12.706_204_736), (5.0, 2.776_445_105), (20.0, 2.093_024_054), (500.0, 1.964_729_391)]
        {
            assert!((t_quantile(n) - expected).abs() < 1e-6, "{n}: {}", t_quantile(n));
        }
    }

    /// NumPy: `numpy.quantile([120, 80, 95, 300, 110, 70], q, method='median_unbiased')`.
    #[test]
    fn quantiles_of_values_are_those_of_numpy() {
        let values = [120.0, 80.0, 95.0, 300.0, 110.0, 70.0];
        assert!((quantile(&values, 0.5).unwrap() - 102.5).abs() < 1e-9);
        assert!((quantile(&values, 0.75).unwrap() - 135.0).abs() < 1e-9);
        assert_eq!(quantile(&values, 0.95), Some(300.0));
        assert_eq!(quantile(&[7.0], 0.95), Some(7.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
