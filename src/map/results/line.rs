//! A result as a line of JSON (docs/map.md, "Results").

use std::{borrow::Cow, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json, value::RawValue};

use crate::{
    chat::{FinishReason, Usage},
    event::FailureReport,
};

/// Why a row failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RowError {
    /// What a run of it would end with.
    pub(crate) code: i32,
    /// `model`, `script`, `input`, …
    pub(crate) kind: String,
    /// What went wrong.
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

impl RowError {
    /// Without a place in the file.
    pub(in crate::map) fn new(code: i32, kind: &str, message: String) -> Self {
        RowError { code, kind: kind.to_owned(), message, ..RowError::default() }
    }

    /// The same with what to do.
    pub(in crate::map) fn with_hint(self, hint: &str) -> Self {
        RowError { hint: Some(hint.to_owned()), ..self }
    }
}

impl From<FailureReport> for RowError {
    fn from(failure: FailureReport) -> Self {
        let FailureReport { code, kind, message, hint, file, line, column, .. } = failure;
        RowError { code, kind, message, hint, file, line, column }
    }
}

/// Which of the runs for one input at a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::map) struct Place {
    /// Tells rows of equal inputs apart.
    pub(in crate::map) copy: u32,
    /// How often that has failed.
    pub(in crate::map) failures: u32,
}

/// What a row came to.
#[derive(Clone, Debug, Default)]
pub(in crate::map) struct Outcome {
    /// What the model said last.
    pub(in crate::map) text: String,
    /// The same as the file's `output` describes it.
    pub(in crate::map) output: Option<Value>,
    pub(in crate::map) finish_reason: Option<FinishReason>,
    pub(in crate::map) usage: Usage,
    /// `None` when it is not known.
    pub(in crate::map) cost: Option<f64>,
    pub(in crate::map) took: Duration,
    pub(in crate::map) failure: Option<RowError>,
    /// Whether servers took no more requests: the row itself is not to blame.
    pub(in crate::map) is_refused: bool,
    /// What a server that had it run calls the run.
    pub(in crate::map) invocation: Option<String>,
    /// Which of the runs for its input there.
    pub(in crate::map) place: Option<Place>,
    /// Requests to models, where they are not counted as they are made.
    pub(in crate::map) steps: u64,
}

/// The line of a row, with its line break. The number comes first, so that it can be changed.
pub(in crate::map) fn to_line(row: u64, input: &Map<String, Value>, outcome: &Outcome) -> String {
    let mut object = Map::new();
    object.insert("row".to_owned(), row.into());
    object.insert("input".to_owned(), Value::Object(input.clone()));
    match &outcome.output {
        Some(output) => object.insert("output".to_owned(), output.clone()),
        None => object.insert("text".to_owned(), outcome.text.clone().into()),
    };
    object.insert("finishReason".to_owned(), json!(outcome.finish_reason));
    object.insert("usage".to_owned(), json!(outcome.usage));
    object.insert("cost".to_owned(), json!(outcome.cost));
    object.insert("durationMs".to_owned(), u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX).into());
    if let Some(invocation) = &outcome.invocation {
        object.insert("invocation".to_owned(), invocation.clone().into());
    }
    if let Some(failure) = &outcome.failure {
        object.insert("error".to_owned(), json!(failure));
    }
    format!("{}\n", Value::Object(object))
}

/// What is read of a line again.
#[derive(Deserialize)]
pub(super) struct Read<'a> {
    #[serde(rename = "row")]
    _row: u64,
    #[serde(borrow)]
    input: &'a RawValue,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    invocation: Option<Cow<'a, str>>,
    // What is not whole is no result.
    #[serde(borrow, rename = "durationMs")]
    _took: &'a RawValue,
}

impl<'a> Read<'a> {
    /// A line that holds a result.
    pub(super) fn new(line: &'a str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// Whether the row went well.
    pub(super) fn is_good(&self) -> bool {
        self.error.is_none()
    }

    /// What the server calls the run that had it run.
    pub(super) fn invocation(&self) -> Option<&str> {
        self.invocation.as_deref()
    }

    /// The input of the row.
    pub(super) fn input(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(self.input.get()).ok()
    }
}

/// The row of a line, which comes first in it.
pub(super) fn row_of(line: &str) -> Option<u64> {
    let digits = line.strip_prefix("{\"row\":")?;
    digits[..digits.find(|character: char| !character.is_ascii_digit())?].parse().ok()
}

/// The line with another number.
pub(super) fn with_row(line: &str, row: u64) -> String {
    match line.find(',') {
        Some(end) if row_of(line).is_some() => format!("{{\"row\":{row}{}", &line[end..]),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_again() {
        let input = json!({ "city": "Rome" }).as_object().cloned().unwrap();
        let line = to_line(7, &input, &Outcome { text: "warm".to_owned(), ..Outcome::default() });
        assert!(
            line.starts_with(r#"{"row":7,"input":{"city":"Rome"},"text":"warm","finishReason":null,"usage":{"#),
            "{line}"
        );
        let read = Read::new(&line).unwrap();
        assert_eq!((read.is_good(), read.input()), (true, Some(input)));
        assert_eq!(row_of(&with_row(&line, 12)), Some(12));
        assert!(Read::new(&line[..line.len() - 4]).is_none());
    }
}
