//! `--baseline`: the cells of an earlier OUT.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs,
    io::ErrorKind,
    path::Path,
};

use serde_json::{Map, Value};

use crate::{AnsweredCell, CellLine};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_providers::Redactor;

const HINT: &str = "a baseline is a file that an earlier `lmthing eval … -o OUT.jsonl` has written";

/// An earlier OUT of `lmthing eval`.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// As the user typed it.
    pub shown_path: String,
    /// Not empty.
    pub lines: Vec<CellLine>,
}

impl Baseline {
    /// Reads an OUT, without secrets that it may have. Fails if it cannot be read, or is of another command.
    pub fn read(path: &Path, redactor: &Redactor) -> Result<Self, Box<Diagnostic>> {
        let shown_path = path.display().to_string();
        let problem = |what: &str| Box::new(Diagnostic::new(format!("--baseline {shown_path} {what}")).with_hint(HINT));
        let text = fs::read_to_string(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => problem("does not exist"),
            ErrorKind::InvalidData => problem("is no text"),
            _ => problem(&format!("cannot be read: {error}")),
        })?;
        let mut lines: Vec<CellLine> = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let line: CellLine = serde_json::from_str(line).map_err(|error| {
                problem(&format!("is no OUT of an eval: its line {} is no cell ({error})", index + 1))
            })?;
            if let Some((name, _)) = line.scores.iter().find(|(_, score)| !score.is_within_limits()) {
                return Err(problem(&format!("has a score {name} outside of 0 to 1 in its line {}", index + 1)));
            }
            lines.push(line.redacted(redactor));
        }
        if lines.is_empty() {
            return Err(problem("is empty"));
        }
        Ok(Baseline { shown_path, lines })
    }

    /// Fails if it is of another eval: if it shares no score or no row with this one. `inputs` are the inputs of the
    /// rows, without what variants replace.
    pub fn check(&self, scores: &[String], inputs: &[Map<String, Value>]) -> Result<(), Box<Diagnostic>> {
        let known: HashSet<&str> = self.lines.iter().flat_map(|line| line.scores.keys().map(String::as_str)).collect();
        let path = &self.shown_path;
        if !known.is_empty() && !scores.iter().any(|score| known.contains(score.as_str())) {
            let mut known: Vec<&str> = known.into_iter().collect();
            known.sort_unstable();
            let (known, scores) = (known.join(", "), scores.join(", "));
            let message = format!("--baseline {path} is of another eval: it has no score of this one");
            return Err(Box::new(Diagnostic::new(message).with_hint(format!("it has {known}; this one has {scores}"))));
        }
        let rows: HashSet<String> = self.lines.iter().map(|line| key(&line.input)).collect();
        if !inputs.iter().any(|input| rows.contains(&key(input))) {
            let message = format!("--baseline {path} is of another eval: it has no row of this one");
            return Err(Box::new(Diagnostic::new(message).with_hint("rows are known by their input")));
        }
        Ok(())
    }

    /// Its lines of rows that these cells have, with their numbers.
    pub(super) fn lines_of_rows(&self, cells: &[AnsweredCell]) -> Vec<CellLine> {
        let own: HashMap<RowKey<'_>, u64> =
            row_keys(cells.iter().map(|cell| &cell.line)).into_iter().map(|(line, key)| (key, line.row)).collect();
        let earlier = row_keys(self.lines.iter());
        earlier.into_iter().filter_map(|(line, key)| Some(CellLine { row: *own.get(&key)?, ..line.clone() })).collect()
    }
}

/// A variant, the input that the row gives to it, and which of the rows with this input it is. Variants whose prompt
/// files differ in `input` have different inputs of one row, and an OUT may have lines of rows that are gone, whose
/// numbers others have now.
type RowKey<'a> = (&'a str, String, usize);

fn row_keys<'a>(lines: impl Iterator<Item = &'a CellLine>) -> Vec<(&'a CellLine, RowKey<'a>)> {
    let lines: Vec<(&CellLine, String)> = lines.map(|line| (line, key(&line.input))).collect();
    let mut rows: HashMap<(&str, &str), BTreeSet<u64>> = HashMap::new();
    for (line, key) in &lines {
        rows.entry((&line.variant, key)).or_default().insert(line.row);
    }
    let keyed = lines.iter().map(|(line, key)| {
        let before = rows[&(line.variant.as_str(), key.as_str())].range(..line.row).count();
        (*line, (line.variant.as_str(), key.clone(), before))
    });
    keyed.collect()
}

/// The same for inputs that only differ in the order of their keys.
fn key(input: &Map<String, Value>) -> String {
    let mut sorted = Value::Object(input.clone());
    sorted.sort_all_objects();
    sorted.to_string()
}
