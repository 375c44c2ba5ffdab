//! Groups and differences of the cells of an eval.

use std::collections::{BTreeMap, HashSet};

use indexmap::IndexMap;

use super::{
    baseline::Baseline,
    types::{Against, Difference, Durations, EvalReport, Group, ScoreKind, ScoreSummary, Verdict},
};
use crate::{AnsweredCell, CellLine, EvalFile, statistics, statistics::Interval};
use lmthing_base::chat::Usage;

/// Variant and model of a group.
pub(super) type Name<'a> = (&'a str, &'a str);

/// From which difference on the numbers of two groups disagree.
const MUCH: f64 = 0.25;

/// A difference that only the arithmetic of fractions makes.
const NOTHING: f64 = 1e-9;

/// The scores of a name in a group: of each row the mean of its repetitions.
#[derive(Debug, Default)]
struct Scores {
    rows: BTreeMap<u64, RowScore>,
    is_number: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct RowScore {
    sum: f64,
    cells: u32,
}

impl RowScore {
    fn mean(self) -> f64 {
        self.sum / f64::from(self.cells)
    }
}

impl Scores {
    fn add(&mut self, line: &CellLine, name: &str) {
        let Some(score) = line.scores.get(name) else { return };
        let Some(value) = score.score else { return };
        let row = self.rows.entry(line.row).or_default();
        row.sum += value;
        row.cells += 1;
        self.is_number |= score.pass.is_none();
    }

    fn kind(&self) -> ScoreKind {
        if self.is_number || self.rows.is_empty() { ScoreKind::Number } else { ScoreKind::Boolean }
    }

    /// Whether the intervals of proportions hold: a yes or no in each row.
    fn is_proportion(&self) -> bool {
        self.kind() == ScoreKind::Boolean && self.rows.values().all(|row| row.cells == 1)
    }

    fn summary(&self) -> ScoreSummary {
        let values: Vec<f64> = self.rows.values().map(|row| row.mean()).collect();
        let n = values.len() as u64;
        if n == 0 {
            return ScoreSummary { kind: self.kind(), n, mean: None, low: None, high: None };
        }
        let Interval { low, high } = match self.is_proportion() {
            true => statistics::proportion(passes(&values), n),
            false => statistics::mean_of_scores(&values),
        };
        let (mean, low, high) = (rounded(statistics::mean(&values)), rounded(low), rounded(high));
        ScoreSummary { kind: self.kind(), n, mean: Some(mean), low: Some(low), high: Some(high) }
    }

    /// `None` without a row that both have.
    fn difference(&self, other: &Scores) -> Option<(u64, f64, Interval)> {
        let both = self.rows.iter().filter_map(|(number, row)| Some((row.mean(), other.rows.get(number)?.mean())));
        let differences: Vec<f64> = both.map(|(own, others)| own - others).collect();
        let n = differences.len() as u64;
        if n == 0 {
            return None;
        }
        let interval = match self.is_proportion() && other.is_proportion() {
            true => {
                let lost: Vec<f64> = differences.iter().map(|difference| -difference).collect();
                statistics::paired_proportions(passes(&differences), passes(&lost), n)
            }
            false => statistics::mean_of_differences(&differences),
        };
        Some((n, statistics::mean(&differences), interval))
    }
}

fn passes(values: &[f64]) -> u64 {
    values.iter().filter(|value| **value > 0.5).count() as u64
}

/// Without the noise of the last digits.
fn rounded(number: f64) -> f64 {
    (number * 1e12).round() / 1e12 + 0.0
}

/// The scores of each group.
pub(super) struct Compared<'a>(IndexMap<Name<'a>, IndexMap<&'a str, Scores>>);

impl<'a> Compared<'a> {
    pub(super) fn of(file: &'a EvalFile, cells: &'a [AnsweredCell]) -> Self {
        Compared::new(in_order(file, cells).map(|cell| &cell.line), &file.scores)
    }

    /// The scores of a row on which groups disagree, with the means of the groups that have it.
    pub(super) fn different(&self, row: u64) -> Vec<(&'a str, Vec<(Name<'a>, f64)>)> {
        let names = self.0.values().next().into_iter().flat_map(|scores| scores.keys());
        let means = |score: &&'a str| {
            let mean = |(name, scores): (&Name<'a>, &IndexMap<&str, Scores>)| {
                Some((*name, scores.get(score)?.rows.get(&row)?.mean()))
            };
            (*score, self.0.iter().filter_map(mean).collect::<Vec<_>>())
        };
        let is_number = |score: &str| self.0.values().any(|scores| scores.get(score).is_some_and(|it| it.is_number));
        let disagree = |(score, means): &(&'a str, Vec<(Name<'a>, f64)>)| {
            gap(means) > if is_number(score) { MUCH - NOTHING } else { NOTHING }
        };
        names.map(means).filter(disagree).collect()
    }

    /// Of each group the one of the baseline that it is compared with.
    fn same_groups(&self, baseline: &Self) -> Vec<Option<(String, String)>> {
        let owned = |(variant, model): Name<'_>| (variant.to_owned(), model.to_owned());
        self.0.keys().map(|name| self.same_in(baseline, *name).map(owned)).collect()
    }

    /// Groups in the order of their first lines.
    fn new(lines: impl Iterator<Item = &'a CellLine>, names: &'a [String]) -> Self {
        let mut groups = IndexMap::new();
        for line in lines {
            let none = || names.iter().map(|name| (name.as_str(), Scores::default())).collect::<IndexMap<_, _>>();
            let group = groups.entry((line.variant.as_str(), line.model.as_str())).or_insert_with(none);
            for (name, scores) in group {
                scores.add(line, name);
            }
        }
        Compared(groups)
    }

    fn models_of(&self, variant: &str) -> Vec<Name<'a>> {
        self.0.keys().filter(|(name, _)| *name == variant).copied().collect()
    }

    /// What a group is compared with: the first variant with the same model, else with its first; of one variant its
    /// first model.
    fn first(&self, (variant, model): Name<'a>) -> Option<Name<'a>> {
        let (first, _) = *self.0.keys().next()?;
        let models = self.models_of(first);
        if variant != first {
            return models.iter().find(|(_, other)| *other == model).or(models.first()).copied();
        }
        let is_only = self.0.keys().all(|(name, _)| *name == first);
        models.first().copied().filter(|other| is_only && other.1 != model)
    }

    /// The group of the same names, else the only one of the variant, whose model has changed.
    fn same_in(&self, baseline: &Self, name: Name<'a>) -> Option<Name<'a>> {
        if let Some((same, _)) = baseline.0.get_key_value(&name) {
            return Some(*same);
        }
        let earlier = baseline.models_of(name.0);
        (earlier.len() == 1 && self.models_of(name.0).len() == 1).then(|| earlier[0])
    }

    fn differences(&self, baseline: Option<&Self>) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (name, scores) in &self.0 {
            let first = self.first(*name).map(|first| (Against::First, first, &self.0[&first]));
            let earlier = baseline.and_then(|baseline| {
                let same = self.same_in(baseline, *name)?;
                Some((Against::Baseline, same, &baseline.0[&same]))
            });
            for (against, other, others) in first.into_iter().chain(earlier) {
                let of_scores = scores.iter().filter_map(|(score, scores)| {
                    difference(score, *name, against, other, scores.difference(&others[score])?)
                });
                differences.extend(of_scores);
            }
        }
        differences
    }
}

fn difference(
    score: &str,
    (variant, model): Name<'_>,
    against: Against,
    other: Name<'_>,
    (n, mean, Interval { low, high }): (u64, f64, Interval),
) -> Option<Difference> {
    let (mean, low, high) = (rounded(mean), rounded(low), rounded(high));
    let verdict = match (low > 0.0, high < 0.0) {
        (true, _) => Verdict::Better,
        (_, true) => Verdict::Worse,
        _ => Verdict::NotShown,
    };
    let other = (other.0.to_owned(), other.1.to_owned());
    let (score, variant, model) = (score.to_owned(), variant.to_owned(), model.to_owned());
    Some(Difference { score, variant, model, against, other, n, mean, low, high, verdict })
}

pub(super) fn report(file: &EvalFile, rows: u64, cells: &[AnsweredCell], baseline: Option<&Baseline>) -> EvalReport {
    let compared = Compared::of(file, cells);
    let earlier = baseline.map(|baseline| baseline.lines_of_rows(cells));
    let earlier = earlier.as_ref().map(|lines| Compared::new(lines.iter(), &file.scores));
    let groups = compared.0.iter().map(|(name, scores)| group(*name, cells, scores)).collect();
    let (file, cells) = (file.shown_path.clone(), cells.len() as u64);
    let differences = compared.differences(earlier.as_ref());
    let baseline_groups = earlier.as_ref().map(|earlier| compared.same_groups(earlier));
    EvalReport { file, rows, cells, groups, differences, baseline_groups }
}

/// In the order of variants; those of a variant as they are.
fn in_order<'a>(file: &EvalFile, cells: &'a [AnsweredCell]) -> std::vec::IntoIter<&'a AnsweredCell> {
    let place = |cell: &&AnsweredCell| file.variants.iter().position(|variant| variant.name == cell.line.variant);
    let mut cells: Vec<&AnsweredCell> = cells.iter().collect();
    cells.sort_by_key(place);
    cells.into_iter()
}

fn group((variant, model): Name<'_>, cells: &[AnsweredCell], scores: &IndexMap<&str, Scores>) -> Group {
    let of_group = |cell: &&AnsweredCell| cell.line.variant == variant && cell.line.model == model;
    let cells: Vec<&AnsweredCell> = cells.iter().filter(of_group).collect();
    let lines = || cells.iter().map(|cell| &cell.line);
    Group {
        variant: variant.to_owned(),
        model: model.to_owned(),
        cells: cells.len() as u64,
        errors: lines().filter(|line| line.error.is_some()).count() as u64,
        cost: total(lines().map(cost)),
        judge_cost: judge_cost(&cells),
        usage: lines().fold(Usage::default(), |sum, line| sum.plus(line.usage)),
        duration_ms: durations(lines()),
        scores: scores.iter().map(|(name, scores)| ((*name).to_owned(), scores.summary())).collect(),
    }
}

/// A run that failed before a request is free.
fn cost(line: &CellLine) -> Option<f64> {
    let is_free = line.error.is_some() && line.usage == Usage::default();
    line.cost.or(is_free.then_some(0.0))
}

fn judge_cost(cells: &[&AnsweredCell]) -> Option<f64> {
    let mut counted = HashSet::new();
    let verdicts = cells.iter().flat_map(|cell| &cell.verdicts);
    total(verdicts.filter(|verdict| counted.insert(verdict.key.as_str())).map(|verdict| verdict.cost))
}

/// The sum of nothing is 0, not the -0 that `sum` gives.
fn total(mut costs: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    costs.try_fold(0.0, |sum, cost| Some(sum + cost?))
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Milliseconds.
fn durations<'a>(lines: impl Iterator<Item = &'a CellLine>) -> Durations {
    let taken: Vec<f64> = lines.filter(|line| line.error.is_none()).map(|line| line.duration_ms as f64).collect();
    let at = |share| statistics::quantile(&taken, share).map(|time| time.round() as u64);
    Durations { p50: at(0.5), p95: at(0.95) }
}

/// Between the largest and the smallest mean.
pub(super) fn gap(means: &[(Name<'_>, f64)]) -> f64 {
    let means = || means.iter().map(|(_, mean)| *mean);
    means().fold(f64::MIN, f64::max) - means().fold(f64::MAX, f64::min)
}
