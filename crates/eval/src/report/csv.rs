//! Cells as a CSV table: a line each.

use std::io;

use serde_json::{Map, Value, json};

use super::evaluated::Evaluated;
use crate::CellLine;
use lmthing_map::Table;

const KEYS: [&str; 5] = ["file", "row", "variant", "model", "repeat"];

pub(super) fn table(evals: &[Evaluated<'_>]) -> io::Result<String> {
    // A column that has one value says nothing.
    let keys = if evals.len() > 1 { &KEYS[..] } else { &KEYS[1..] };
    let mut scores: Vec<String> = Vec::new();
    for score in evals.iter().flat_map(|eval| &eval.file.scores) {
        if !scores.contains(score) {
            scores.push(score.clone());
        }
    }
    let lines: Vec<Map<String, Value>> =
        evals.iter().flat_map(|eval| eval.cells.iter().map(|cell| object(&cell.line, &eval.file.shown_path))).collect();
    let mut text = Vec::new();
    let each = |take: &mut dyn FnMut(&Map<String, Value>) -> io::Result<()>| lines.iter().try_for_each(take);
    Table { keys, inputs: &[], scores: &scores, has_error: true }.write(each, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn object(line: &CellLine, file: &str) -> Map<String, Value> {
    let mut object = Map::from_iter([("file".to_owned(), Value::from(file))]);
    if let Value::Object(line) = json!(line) {
        object.extend(line);
    }
    // A row that has run may have scores that failed.
    let failed = line.scores.iter().filter_map(|(name, score)| Some(format!("{name}: {}", score.error.as_ref()?)));
    let failed: Vec<String> = failed.collect();
    if line.error.is_none() && !failed.is_empty() {
        object.insert("error".to_owned(), json!({ "message": failed.join("; ") }));
    }
    object
}
