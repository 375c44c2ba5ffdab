//! The reports of a command, in every format.

use serde::Serialize;

use super::{
    csv, evaluated::Evaluated, findings::ErrorGroup, gates::Gates, markdown, page, pretty::Pretty, style::Look,
    summary, types::EvalReport,
};

const HAS_TEXT_KEYS: &str = "no key is anything but text";

/// The reports of all eval files of a command.
#[derive(Debug, Serialize)]
pub struct Reports<'a> {
    pub evals: Vec<EvalReport>,
    /// Whether every cell and every score is there, and no gate failed.
    pub ok: bool,
    /// The gates that failed, a line each.
    #[serde(skip)]
    pub failures: Vec<String>,
    #[serde(skip)]
    evaluated: Vec<Evaluated<'a>>,
}

impl<'a> Reports<'a> {
    pub fn new(evaluated: Vec<Evaluated<'a>>, gates: &Gates) -> Self {
        let report = |eval: &Evaluated<'_>| summary::report(eval.file, eval.rows, eval.cells, eval.baseline);
        let evals: Vec<EvalReport> = evaluated.iter().map(report).collect();
        let failures: Vec<String> = evals
            .iter()
            .zip(&evaluated)
            .flat_map(|(report, eval)| gates.failures(report, eval.baseline.is_some()))
            .collect();
        let ok = failures.is_empty() && evaluated.iter().all(Evaluated::is_ok);
        Reports { evals, ok, failures, evaluated }
    }

    /// Errors of scores, a line for each message, at most `most` for an eval.
    pub fn score_errors(&self, most: usize) -> Vec<String> {
        let lines = |eval: &Evaluated<'_>| {
            let mut groups = eval.error_groups();
            groups.retain(|group| !group.score.is_empty());
            let mut lines: Vec<String> = groups.iter().take(most).map(ErrorGroup::line).collect();
            lines.extend((groups.len() > most).then(|| format!("and {} other errors", groups.len() - most)));
            lines
        };
        self.evaluated.iter().flat_map(lines).collect()
    }

    /// For a terminal, or a log.
    pub fn pretty(&self, look: Look) -> String {
        let evals = self.evals.iter().zip(&self.evaluated);
        let texts: Vec<String> = evals.map(|(report, eval)| Pretty::new(report, eval, look).text()).collect();
        texts.join("\n")
    }

    /// For a comment of a pull request.
    pub fn markdown(&self) -> String {
        markdown::text(&self.evals, &self.evaluated, &self.failures)
    }

    /// A line for each cell.
    pub fn csv(&self) -> String {
        csv::table(&self.evaluated).expect("a text takes everything")
    }

    /// In one line.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect(HAS_TEXT_KEYS) + "\n"
    }

    /// The data of the page, as JSON. `created` is a time as in ISO 8601.
    pub fn page_data(&self, version: &str, created: &str) -> String {
        let frame = page::Frame { ok: self.ok, failures: &self.failures, version, created };
        page::data(&self.evals, &self.evaluated, &frame).expect(HAS_TEXT_KEYS)
    }
}
