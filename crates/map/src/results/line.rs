//! Results as lines of JSON (docs/reference/map.md).

use std::{borrow::Cow, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json, value::RawValue};

use lmthing_base::{
    chat::{FinishReason, Usage},
    event::FailureReport,
    input::{put_file_hashes, take_file_hashes},
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowError {
    pub code: i32,
    pub kind: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// The line of the row in its file, for the summary.
    #[serde(skip)]
    pub row_line: Option<u64>,
}

impl RowError {
    pub fn new(code: i32, kind: &str, message: String) -> Self {
        RowError { code, kind: kind.to_owned(), message, ..RowError::default() }
    }

    /// Of a row that begins in this line of its file.
    pub fn in_row_line(self, row_line: Option<u64>) -> Self {
        RowError { row_line, ..self }
    }

    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    pub fn with_hint(self, hint: &str) -> Self {
        RowError { hint: Some(hint.to_owned()), ..self }
    }
}

impl From<FailureReport> for RowError {
    fn from(failure: FailureReport) -> Self {
        let FailureReport { code, kind, message, hint, file, line, column, .. } = failure;
        RowError { code, kind, message, hint, file, line, column, row_line: None }
    }
}

/// Identifies one of the runs for an input on a Restate server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RemoteAttempt {
    /// Distinguishes rows with equal inputs.
    pub copy: u32,
    /// How often this copy has failed.
    pub failures: u32,
}

impl RemoteAttempt {
    pub(crate) fn next(self) -> Self {
        RemoteAttempt { failures: self.failures + 1, ..self }
    }
}

/// What the run of a unit gave.
#[derive(Clone, Debug, Default)]
pub struct RowOutcome {
    pub text: String,
    pub output: Option<Value>,
    pub finish_reason: Option<FinishReason>,
    pub usage: Usage,
    pub cost: Option<f64>,
    pub took: Duration,
    pub failure: Option<RowError>,
    /// Whether it failed only because the provider rate-limited it.
    pub(crate) is_refused: bool,
    /// Whether other rows fail for the same reason: a wrong key, address or setting.
    pub(crate) is_hopeless: bool,
    /// The error of a provider that asks for a longer wait than is waited out. It concerns every row.
    pub(crate) long_wait: Option<String>,
    pub(crate) invocation: Option<String>,
    pub(crate) remote_attempt: Option<RemoteAttempt>,
    /// Requests to models by a remote run. Local runs count them in their meter.
    pub(crate) steps: u64,
    /// `steps` and `toolCalls` as in `run()` of `lmthing/test`, where they are asked for.
    pub record: Option<Map<String, Value>>,
}

/// The line of a row, with its line break. `row` is the first key, which `with_row` relies on.
pub(crate) fn to_line(row: u64, input: &Map<String, Value>, outcome: &RowOutcome) -> String {
    let mut object = Map::new();
    object.insert("row".to_owned(), row.into());
    let mut shown = input.clone();
    let mut files = take_file_hashes(&mut shown);
    files.retain(|_, hash| !hash.is_null());
    object.insert("input".to_owned(), Value::Object(shown));
    if !files.is_empty() {
        object.insert("files".to_owned(), Value::Object(files));
    }
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

#[derive(Deserialize)]
pub(super) struct ResultLine<'a> {
    #[serde(rename = "row")]
    _row: u64,
    #[serde(borrow)]
    input: &'a RawValue,
    /// Hashes of the files that the input names, by JSON pointer.
    #[serde(borrow, default)]
    files: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    invocation: Option<Cow<'a, str>>,
    // Required, so that a truncated line does not parse.
    #[serde(borrow, rename = "durationMs")]
    _took: &'a RawValue,
}

impl<'a> ResultLine<'a> {
    pub(super) fn new(line: &'a str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    pub(super) fn is_ok(&self) -> bool {
        self.error.is_none()
    }

    pub(super) fn invocation(&self) -> Option<&str> {
        self.invocation.as_deref()
    }

    pub(super) fn input(&self) -> Option<Map<String, Value>> {
        let mut input = serde_json::from_str(self.input.get()).ok()?;
        let hashes = self.files.map_or_else(|| Some(Map::new()), |files| serde_json::from_str(files.get()).ok())?;
        put_file_hashes(&mut input, hashes);
        Some(input)
    }
}

/// The number and the input of the row that a line is the result of.
pub(crate) fn result_of_line(line: &str) -> Option<(u64, Map<String, Value>)> {
    Some((row_of(line)?, ResultLine::new(line)?.input()?))
}

pub(super) fn row_of(line: &str) -> Option<u64> {
    let digits = line.strip_prefix("{\"row\":")?;
    digits[..digits.find(|character: char| !character.is_ascii_digit())?].parse().ok()
}

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
    fn a_result_line_is_read_back() {
        let input = json!({ "city": "Rome" }).as_object().cloned().unwrap();
        let line = to_line(7, &input, &RowOutcome { text: "warm".to_owned(), ..RowOutcome::default() });
        assert!(
            line.starts_with(r#"{"row":7,"input":{"city":"Rome"},"text":"warm","finishReason":null,"usage":{"#),
            "{line}"
        );
        let read = ResultLine::new(&line).unwrap();
        assert_eq!((read.is_ok(), read.input()), (true, Some(input)));
        assert_eq!(row_of(&with_row(&line, 12)), Some(12));
        assert!(ResultLine::new(&line[..line.len() - 4]).is_none());
    }
}
