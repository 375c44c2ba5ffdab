//! Intervals of yes and no.

use super::{Interval, Z};

/// Wilson's interval of a proportion. `n` may be a fraction: a number of rows with the same information.
pub(super) fn wilson(proportion: f64, n: f64) -> Interval {
    let z2 = Z * Z;
    let centre = (proportion * n + z2 / 2.0) / (n + z2);
    let half = Z / (n + z2) * (proportion * (1.0 - proportion) * n + z2 / 4.0).max(0.0).sqrt();
    // At 0 and 1 only the last digit keeps a limit from the mean.
    Interval { low: (centre - half).max(0.0).min(proportion), high: (centre + half).min(1.0).max(proportion) }
}

/// Wilson's interval of a proportion.
#[allow(clippy::cast_precision_loss)] // Counts of rows.
pub(crate) fn proportion(passes: u64, n: u64) -> Interval {
    wilson(passes as f64 / n as f64, n as f64)
}

/// Tango's interval of the difference of two proportions over the same `n` rows, of which `gained` pass only in the
/// first and `lost` only in the second: the differences that a score test does not reject.
#[allow(clippy::cast_precision_loss)] // Counts of rows.
pub(crate) fn paired_proportions(gained: u64, lost: u64, n: u64) -> Interval {
    let (gained, lost, n) = (gained as f64, lost as f64, n as f64);
    let limit = |at: f64| {
        let (mut low, mut high) = (-1.0, 1.0);
        // The statistic falls as the difference grows.
        for _ in 0..60 {
            let middle: f64 = f64::midpoint(low, high);
            if score_statistic(gained, lost, n, middle) > at { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    };
    let difference = (gained - lost) / n;
    Interval { low: limit(Z).max(-1.0).min(difference), high: limit(-Z).min(1.0).max(difference) }
}

/// How far the observed difference is from `difference`, in standard errors under it.
fn score_statistic(gained: f64, lost: f64, n: f64, difference: f64) -> f64 {
    let b = (2.0 * n - gained + lost) * difference - (gained + lost);
    let c = -lost * difference * (1.0 - difference);
    // The most likely probability that a row passes only in the second, given the difference.
    let only_second = ((b * b - 8.0 * n * c).max(0.0).sqrt() - b) / (4.0 * n);
    let variance = n * (2.0 * only_second + difference * (1.0 - difference));
    let distance = gained - lost - n * difference;
    if variance > 1e-12 { distance / variance.sqrt() } else { distance * 1e9 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(interval: Interval, (low, high): (f64, f64)) {
        let distance = (interval.low - low).abs().max((interval.high - high).abs());
        assert!(distance < 1e-6, "{interval:?} is not {low}…{high}");
    }

    /// SciPy 1.17.1: `scipy.stats.binomtest(passes, n).proportion_ci(method='wilson')`.
    #[test]
    fn intervals_of_proportions_are_those_of_scipy() {
        assert_close(proportion(0, 1), (0.000000000, 0.793450686));
        assert_close(proportion(1, 1), (0.206549314, 1.000000000));
        assert_close(proportion(9, 10), (0.595849973, 0.982123787));
        assert_close(proportion(20, 20), (0.838874842, 1.000000000));
        assert_close(proportion(0, 20), (0.000000000, 0.161125158));
        assert_close(proportion(87, 100), (0.790196486, 0.922428326));
        assert_close(proportion(180, 200), (0.850594188, 0.934329551));
        assert_close(proportion(1, 5000), (0.000035306, 0.001132089));
    }

    /// SciPy 1.17.1: `scipy.optimize.brentq` on the score statistic of Tango (1998) minus or plus 1.959963984540054,
    /// with the constrained estimate found by `scipy.optimize.minimize_scalar` on the likelihood.
    #[test]
    fn intervals_of_paired_proportions_are_those_of_a_score_test() {
        assert_close(paired_proportions(5, 0, 20), (0.0485936, 0.4687009));
        assert_close(paired_proportions(3, 2, 20), (-0.1946193, 0.2922965));
        assert_close(paired_proportions(0, 0, 20), (-0.1611252, 0.1611252));
        assert_close(paired_proportions(12, 5, 100), (-0.0118632, 0.1574156));
        assert_close(paired_proportions(30, 10, 200), (0.0398964, 0.1636418));
        assert_close(paired_proportions(0, 7, 50), (-0.2618619, -0.0586637));
        assert_close(paired_proportions(9, 1, 10), (0.1917000, 0.9642476));
    }

    #[test]
    fn limits_stay_in_range() {
        for n in [1, 2, 20, 5000] {
            for passes in [0, n / 2, n] {
                let Interval { low, high } = proportion(passes, n);
                assert!(0.0 <= low && low < high && high <= 1.0, "{passes} of {n}: {low}…{high}");
                let Interval { low, high } = paired_proportions(passes, n - passes, n);
                assert!((-1.0..high).contains(&low) && high <= 1.0, "{passes} of {n}: {low}…{high}");
            }
        }
        assert_eq!((proportion(20, 20).high, proportion(0, 20).low), (1.0, 0.0));
    }
}
