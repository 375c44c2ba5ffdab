//! Scores and their errors as they stand in OUT.

use std::path::Path;

use indexmap::IndexMap;

use super::ScoreMessage;
use crate::line::{Score, VerdictCost};
use lmthing_base::diagnostic::{Diagnostic, Location};
use lmthing_engine::{
    bindings::eval::{CellScores, ScoreOutcome},
    session::without_secrets,
};
use lmthing_providers::Redactor;

pub(super) fn message(scored: CellScores, redactor: &Redactor) -> ScoreMessage {
    let CellScores { number, scores, verdicts } = scored;
    let scores: IndexMap<String, Score> =
        scores.into_iter().map(|(name, outcome)| (name, score(outcome, redactor))).collect();
    let verdicts = verdicts.into_iter().map(|(key, cost)| VerdictCost { key, cost }).collect();
    ScoreMessage::Scored { number, scores, verdicts }
}

fn score(outcome: ScoreOutcome, redactor: &Redactor) -> Score {
    let redacted = |reason: Option<String>| reason.map(|reason| redactor.apply(&reason));
    match outcome {
        ScoreOutcome::YesNo { pass, reason } => {
            Score { score: Some(f64::from(u8::from(pass))), pass: Some(pass), reason: redacted(reason), error: None }
        }
        ScoreOutcome::Number { score, reason } => {
            Score { score: Some(score), reason: redacted(reason), ..Score::default() }
        }
        ScoreOutcome::Failed(problem) => {
            Score { error: Some(one_line(&without_secrets(*problem, redactor))), ..Score::default() }
        }
    }
}

/// `TypeError: no city (cities.eval.lmt.mjs:4:9)`
pub(super) fn one_line(problem: &Diagnostic) -> String {
    let place = problem.location.as_ref().map(|location| format!(" ({})", shown(location))).unwrap_or_default();
    let hint = problem.hint.as_ref().filter(|_| problem.location.is_none());
    let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    let headline = problem.headline();
    format!("{}{place}{hint}", headline.strip_prefix("Error: ").unwrap_or(&headline))
}

fn shown(Location { path, line, column }: &Location) -> String {
    let directory = std::env::current_dir().and_then(|directory| directory.canonicalize()).unwrap_or_default();
    let path = Path::new(path);
    format!("{}:{line}:{column}", path.strip_prefix(directory).unwrap_or(path).display())
}
