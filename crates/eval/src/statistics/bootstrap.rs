//! Intervals of means by a bootstrap over rows.

use std::f64::consts::FRAC_PI_2;

use fastrand::Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use super::{Interval, Z, mean, proportions::wilson, quantile, t_quantile};

const RESAMPLES: usize = 2000;

/// The same rows have the same interval in every report.
const SEED: u64 = 20;

/// Rows that must differ from the most frequent value for resamples to show how the mean varies.
const ENOUGH_OTHERS: usize = 8;

/// How much more a row can say than a yes or no, where few rows differ.
const MAX_INFORMATION: f64 = 3.0;

/// Of scores from 0 to 1.
pub(crate) fn mean_of_scores(values: &[f64]) -> Interval {
    let moments = Moments::new(values);
    if values.len() - mode_count(values) < ENOUGH_OTHERS {
        return few_others(&moments);
    }
    // The bootstrap-t, on a scale on which the variance of a proportion is constant.
    let [centre, spread] = moments.on_stable_scale();
    let mut generator = Rng::with_seed(SEED);
    let distances: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let [resampled, spread] = Moments::resampled(values, &mut generator).on_stable_scale();
            if spread > 0.0 { (resampled - centre) / spread } else { 0.0 }
        })
        .collect();
    let limit = |at| {
        let distance = quantile(&distances, at).unwrap_or_default();
        (centre - distance * spread).clamp(0.0, FRAC_PI_2).sin().powi(2)
    };
    Interval { low: limit(0.975).min(moments.mean), high: limit(0.025).max(moments.mean) }
}

/// Wilson's interval with the number of rows that would have this variance as yes and no.
fn few_others(Moments { mean, variance, n }: &Moments) -> Interval {
    let of_yes_and_no = mean * (1.0 - mean);
    let information = if of_yes_and_no > 0.0 { (of_yes_and_no / variance).min(MAX_INFORMATION) } else { 1.0 };
    wilson(*mean, n * information * (Z / t_quantile(*n)).powi(2))
}

/// Of differences from -1 to 1: percentiles of resamples of the rows and two more, a gain and a loss of their size.
/// Without these, few rows that differ would never include 0.
pub(crate) fn mean_of_differences(values: &[f64]) -> Interval {
    let squares: Vec<f64> = values.iter().filter(|value| **value != 0.0).map(|value| value * value).collect();
    let size = if squares.is_empty() { 1.0 } else { mean(&squares).sqrt() };
    let mut rows = values.to_vec();
    rows.extend([size, -size]);
    let mut generator = Rng::with_seed(SEED);
    let means: Vec<f64> = (0..RESAMPLES).map(|_| Moments::resampled(&rows, &mut generator).mean).collect();
    // Percentiles of normal data are narrow by a factor, which a share further out makes up for.
    #[allow(clippy::cast_precision_loss)] // A count of rows.
    let n = rows.len() as f64;
    let share = Normal::standard().cdf(-(n / (n - 1.0)).sqrt() * t_quantile(n));
    let limit = |at| quantile(&means, at).unwrap_or_default();
    let mean = mean(values);
    Interval { low: limit(share).max(-1.0).min(mean), high: limit(1.0 - share).min(1.0).max(mean) }
}

struct Moments {
    mean: f64,
    variance: f64,
    n: f64,
}

impl Moments {
    fn new(values: &[f64]) -> Self {
        Moments::of(values.iter().copied(), values[0], values.len())
    }

    fn resampled(values: &[f64], generator: &mut Rng) -> Self {
        let count = values.len();
        Moments::of((0..count).map(|_| values[generator.usize(..count)]), values[0], count)
    }

    /// `near` is a value of about their size, for precision.
    #[allow(clippy::cast_precision_loss)] // A count of rows.
    fn of(values: impl Iterator<Item = f64>, near: f64, count: usize) -> Self {
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values {
            let distance = value - near;
            sum += distance;
            squares += distance * distance;
        }
        let n = count as f64;
        let variance = (squares - sum * sum / n).max(0.0) / (n - 1.0).max(1.0);
        Moments { mean: near + sum / n, variance, n }
    }

    /// The mean and its standard error after the transformation asin(√x).
    fn on_stable_scale(&self) -> [f64; 2] {
        let mean = self.mean.clamp(0.0, 1.0);
        let slope = 0.5 / (mean * (1.0 - mean)).max(1e-12).sqrt();
        [mean.sqrt().asin(), (self.variance / self.n).sqrt() * slope]
    }
}

/// How often the most frequent value occurs.
fn mode_count(values: &[f64]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(interval: Interval, (low, high): (f64, f64), tolerance: f64) {
        let distance = (interval.low - low).abs().max((interval.high - high).abs());
        assert!(distance < tolerance, "{interval:?} is not {low}…{high}");
    }

    /// Scores as a judge of ten points gives them.
    const SCORES: [f64; 24] = [
        0.9, 0.8, 0.95, 0.4, 1.0, 0.7, 0.85, 0.6, 0.9, 0.3, 0.75, 0.8, 0.95, 0.65, 0.5, 0.88, 0.92, 0.7, 0.1, 0.77,
        0.83, 0.99, 0.58, 0.66,
    ];

    /// NumPy 2 with 200,000 resamples: studentized distances of arcsin(sqrt(mean)), their 2.5 % and 97.5 % quantiles.
    #[test]
    fn intervals_of_scores_are_those_of_a_bootstrap_t() {
        assert_close(mean_of_scores(&SCORES), (0.6076, 0.8092), 0.01);
    }

    /// SciPy 1.17.1: `scipy.stats.bootstrap((rows,), numpy.mean, method='percentile', n_resamples=200_000)` of the rows
    /// with the two that are added, at the level `2 * norm.cdf(sqrt(n / (n - 1)) * t.ppf(0.975, n - 1)) - 1`.
    #[test]
    fn intervals_of_differences_are_those_of_scipy() {
        let differences: Vec<f64> = SCORES.iter().enumerate().map(|(i, score)| score - SCORES[(i + 5) % 24]).collect();
        assert_close(mean_of_differences(&differences), (-0.1193, 0.1228), 0.012);
        let differences: Vec<f64> =
            SCORES.iter().enumerate().map(|(i, score)| if i % 3 == 0 { 0.4 * score } else { 0.0 }).collect();
        assert_close(mean_of_differences(&differences), (0.0167, 0.1531), 0.012);
    }

    #[test]
    fn rows_that_are_alike_leave_an_interval() {
        for value in [0.0, 0.4, 1.0] {
            for count in [1, 2, 7, 40] {
                let Interval { low, high } = mean_of_scores(&vec![value; count]);
                assert!((0.0..=value).contains(&low) && (value..=1.0).contains(&high) && low < high, "{low}…{high}");
                let Interval { low, high } = mean_of_differences(&vec![value; count]);
                assert!((-1.0..=value).contains(&low) && (value..=1.0).contains(&high) && low < high, "{low}…{high}");
                assert!(count > 2 || low <= 0.0, "{count} rows of {value} show a difference: {low}…{high}");
            }
        }
    }

    #[test]
    fn the_same_rows_have_the_same_interval() {
        assert_eq!(mean_of_scores(&SCORES), mean_of_scores(&SCORES));
        assert_eq!(mean_of_differences(&SCORES), mean_of_differences(&SCORES));
    }
}
