//! Intervals of yes and no.

use super::Interval;

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's interval of a proportion.
#[allow(clippy::cast_precision_loss)] // Counts of rows.
pub(crate) fn proportion(passes: u64, n: u64) -> Interval {
    let (passes, n, z2) = (passes as f64, n as f64, Z * Z);
    let centre = (passes + z2 / 2.0) / (n + z2);
    let half = Z / (n + z2) * (passes * (n - passes) / n + z2 / 4.0).sqrt();
    Interval { low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
}

/// The interval of the difference of two proportions over the same rows.
#[allow(clippy::cast_precision_loss)] // Counts of rows.
pub(crate) fn paired_proportions(gained: u64, lost: u64, n: u64) -> Interval {
    // Bonett and Price's: a row more of each kind that counts.
    let (gained, lost, n) = (gained as f64 + 1.0, lost as f64 + 1.0, n as f64 + 2.0);
    let difference = (gained - lost) / n;
    let half = Z * ((gained + lost) / n - difference * difference).max(0.0).sqrt() / n.sqrt();
    Interval { low: (difference - half).max(-1.0), high: (difference + half).min(1.0) }
}
