//! `--fail-under` and `--fail-on-regression`.

use std::{collections::BTreeSet, str::FromStr};

use super::types::{Against, EvalReport, Verdict};
use lmthing_base::diagnostic::{Diagnostic, closest};

/// What a report is checked against.
#[derive(Clone, Debug, Default)]
pub struct Gates {
    pub fail_under: Vec<FailUnder>,
    pub fail_on_regression: bool,
}

/// The least mean of a score, as in `--fail-under right=0.9`.
#[derive(Clone, Debug, PartialEq)]
pub struct FailUnder {
    pub score: String,
    pub limit: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FailUnderError {
    #[error("expected the name of a score and a number from 0 to 1, such as right=0.9")]
    Form,
    #[error("'{0}' is not a number from 0 to 1; right=0.9 stands for 90 %")]
    Number(String),
}

impl FromStr for FailUnder {
    type Err = FailUnderError;

    fn from_str(text: &str) -> Result<Self, FailUnderError> {
        let (score, number) = text.rsplit_once('=').ok_or(FailUnderError::Form)?;
        let (score, number) = (score.trim(), number.trim());
        if score.is_empty() {
            return Err(FailUnderError::Form);
        }
        let limit = number.parse().ok().filter(|limit| (0.0..=1.0).contains(limit));
        let limit = limit.ok_or_else(|| FailUnderError::Number(number.to_owned()))?;
        Ok(FailUnder { score: score.to_owned(), limit })
    }
}

/// Means are sums of floats: an equal one must not be below.
const TOLERANCE: f64 = 1e-9;

impl Gates {
    /// Fails if a name of `--fail-under` is none of these names of scores.
    pub fn check_names<'a>(&self, scores: impl IntoIterator<Item = &'a str>) -> Result<(), Box<Diagnostic>> {
        let known: BTreeSet<&str> = scores.into_iter().collect();
        let Some(unknown) = self.fail_under.iter().find(|gate| !known.contains(gate.score.as_str())) else {
            return Ok(());
        };
        let names: Vec<&str> = known.iter().copied().collect();
        let hint = match closest(&unknown.score, names.iter().copied()) {
            Some(near) => format!("did you mean {near}={}?", unknown.limit),
            None => format!("the scores are {}", names.join(", ")),
        };
        let message = format!("--fail-under {}: there is no score '{0}'", unknown.score);
        Err(Box::new(Diagnostic::new(message).with_hint(hint)))
    }

    /// Fails if nothing could be a regression. `groups` are the numbers of variants with their models of each eval.
    pub fn check_groups(
        &self,
        has_baseline: bool,
        groups: impl IntoIterator<Item = usize>,
    ) -> Result<(), Box<Diagnostic>> {
        if !self.fail_on_regression || has_baseline || groups.into_iter().any(|count| count > 1) {
            return Ok(());
        }
        let message =
            "--fail-on-regression has nothing to compare: there is one variant with one model, and no --baseline";
        let hint = "name an earlier OUT with --baseline OUT.jsonl, or compare variants or --models";
        Err(Box::new(Diagnostic::new(message).with_hint(hint)))
    }

    /// What is below a limit or a regression, a line each.
    pub(super) fn failures(&self, report: &EvalReport, has_baseline: bool) -> Vec<String> {
        let mut failures = Vec::new();
        for gate in &self.fail_under {
            for group in &report.groups {
                let Some(summary) = group.scores.get(&gate.score) else { continue };
                let place = format!("{} of {} ({})", gate.score, group.variant, group.model);
                match summary.mean {
                    None => failures.push(format!("{place}: no row has this score")),
                    Some(mean) if mean < gate.limit - TOLERANCE => {
                        failures.push(format!("{place} is {}, below {}", shown(mean, gate.limit), gate.limit));
                    }
                    Some(_) => {}
                }
            }
        }
        if self.fail_on_regression {
            let against = if has_baseline { Against::Baseline } else { Against::First };
            let why = match against {
                Against::Baseline => "the baseline has no row, score, variant and model of this eval",
                Against::First => "no row has a score of two variants or models",
            };
            let can_compare = has_baseline || report.groups.len() > 1;
            if can_compare && report.differences.iter().all(|difference| difference.against != against) {
                failures.push(format!("--fail-on-regression has nothing to compare: {why}"));
            }
            failures.extend(regressions(report, against));
        }
        failures
    }
}

/// With as many digits as show that it is not the limit.
fn shown(mean: f64, limit: f64) -> String {
    let digits = (3..9).find(|digits| format!("{mean:.digits$}") != format!("{limit:.digits$}"));
    format!("{mean:.0$}", digits.unwrap_or(9))
}

/// What is worse than in the baseline, or than with the first variant.
fn regressions(report: &EvalReport, against: Against) -> impl Iterator<Item = String> {
    let worse = report
        .differences
        .iter()
        .filter(move |difference| difference.against == against && difference.verdict == Verdict::Worse);
    worse.map(|difference| {
        let than = match difference.against {
            Against::Baseline => "the baseline".to_owned(),
            Against::First => format!("{} ({})", difference.other.0, difference.other.1),
        };
        let (score, variant, model) = (&difference.score, &difference.variant, &difference.model);
        format!("{score} of {variant} ({model}) is worse than {than}: by {:.3}", -difference.mean)
    })
}
