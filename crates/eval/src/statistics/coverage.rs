//! How often intervals contain the true mean, over simulated evals.

use fastrand::Rng;

use super::{Interval, mean_of_differences, mean_of_scores, paired_proportions, proportion};

type Draw = fn(&mut Rng) -> f64;

fn share_of(passes: u32, chance: f64, generator: &mut Rng) -> f64 {
    f64::from((0..passes).filter(|_| generator.f64() < chance).count() as u32) / f64::from(passes)
}

fn level(shares: [f64; 5], generator: &mut Rng) -> f64 {
    let mut left = generator.f64();
    let at = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    f64::from(at.unwrap_or(4) as u32) / 4.0
}

/// A row of each kind of score, with the true mean.
const SCORES: [(&str, f64, Draw); 9] = [
    ("uniform", 0.5, |g| g.f64()),
    ("skewed", 0.25, |g| g.f64().powi(3)),
    ("mostly 1", 0.9, |g| if g.f64() < 0.8 { 1.0 } else { g.f64() }),
    ("nearly always 0", 0.05, |g| if g.f64() < 0.9 { 0.0 } else { g.f64() }),
    ("five levels", 0.8075, |g| level([0.02, 0.03, 0.1, 0.4, 0.45], g)),
    ("three repetitions of 0.9", 0.9, |g| share_of(3, 0.9, g)),
    ("three repetitions of 0.97", 0.97, |g| share_of(3, 0.97, g)),
    ("three repetitions of rows that differ", 2.0 / 3.0, |g| {
        let chance = g.f64().sqrt();
        share_of(3, chance, g)
    }),
    ("close together", 0.7, |g| 0.65 + 0.1 * g.f64()),
];

const DIFFERENCES: [(&str, f64, Draw); 6] = [
    ("none, uniform", 0.0, |g| g.f64() - g.f64()),
    ("some", 0.1, |g| 0.1 + 0.3 * (g.f64() - g.f64())),
    ("few rows, all gains", 0.1, |g| if g.f64() < 0.8 { 0.0 } else { g.f64() }),
    ("none, five levels", 0.0, |g| level([0.02, 0.03, 0.1, 0.25, 0.6], g) - level([0.02, 0.03, 0.1, 0.25, 0.6], g)),
    ("three repetitions of 0.9 and 0.8", 0.1, |g| share_of(3, 0.9, g) - share_of(3, 0.8, g)),
    ("three repetitions of rows that differ", 0.0, |g| {
        let chance = g.f64().sqrt();
        share_of(3, chance, g) - share_of(3, chance, g)
    }),
];

/// The share of intervals that contain the true mean, in percent.
fn covered(evals: u32, truth: f64, mut interval: impl FnMut() -> Interval) -> f64 {
    let hits = (0..evals).filter(|_| {
        let Interval { low, high } = interval();
        assert!(low <= high, "{low}…{high}");
        (low - 1e-9..=high + 1e-9).contains(&truth)
    });
    100.0 * hits.count() as f64 / f64::from(evals)
}

/// Checks every kind, or each third of them, with a tolerance for the noise of so many evals.
fn check(evals: u32, sizes: &[usize], every: usize, tolerance: f64) {
    let mut problems = Vec::new();
    let mut judge = |name: &str, rows: usize, covered: f64| {
        if !(92.0 - tolerance..=98.0 + tolerance).contains(&covered) {
            problems.push(format!("{name}, {rows} rows: {covered:.1} %"));
        }
    };
    let mut g = Rng::with_seed(7);
    for &rows in sizes {
        for (name, truth, draw) in SCORES.into_iter().step_by(every) {
            let values = |g: &mut Rng| (0..rows).map(|_| draw(g)).collect::<Vec<_>>();
            judge(name, rows, covered(evals, truth, || mean_of_scores(&values(&mut g))));
        }
        for (name, truth, draw) in DIFFERENCES.into_iter().step_by(every) {
            let values = |g: &mut Rng| (0..rows).map(|_| draw(g)).collect::<Vec<_>>();
            judge(name, rows, covered(evals, truth, || mean_of_differences(&values(&mut g))));
        }
        let n = rows as u64;
        for chance in [0.5, 0.8, 0.9] {
            let passes = |g: &mut Rng| (0..rows).filter(|_| g.f64() < chance).count() as u64;
            judge(&format!("yes in {chance}"), rows, covered(evals, chance, || proportion(passes(&mut g), n)));
        }
        for (gain, loss) in [(0.1, 0.1), (0.2, 0.2), (0.3, 0.1), (0.15, 0.05)] {
            let changes = |g: &mut Rng| {
                let draws: Vec<f64> = (0..rows).map(|_| g.f64()).collect();
                let gained = draws.iter().filter(|draw| **draw < gain).count() as u64;
                (gained, draws.iter().filter(|draw| **draw < gain + loss).count() as u64 - gained)
            };
            let interval = || {
                let (gained, lost) = changes(&mut g);
                paired_proportions(gained, lost, n)
            };
            judge(&format!("{gain} gained, {loss} lost"), rows, covered(evals, gain - loss, interval));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn intervals_contain_the_truth_as_often_as_they_say() {
    check(200, &[25], 3, 3.0);
}

#[test]
#[ignore = "takes minutes without optimization: cargo test --release -p lmthing-eval coverage -- --ignored"]
fn intervals_contain_the_truth_as_often_as_they_say_in_many_evals() {
    check(2000, &[20, 30, 50, 100, 200], 1, 0.8);
}
