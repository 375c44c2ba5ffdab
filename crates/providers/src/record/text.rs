//! Parses and writes the text of a recording.

use std::{io, string::FromUtf8Error, sync::Arc};

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::{exchange::RecordedExchange, layout};

const VERSION: u64 = 1;

/// Why a text is no recording, as the end of a sentence that begins with the file's name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct InvalidRecording(String);

impl From<FromUtf8Error> for InvalidRecording {
    fn from(_: FromUtf8Error) -> Self {
        InvalidRecording("it is not text".to_owned())
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedFile {
    version: u64,
    /// The files whose tests replay it, relative to its folder; empty for `run --record`.
    #[serde(default)]
    pub used_by: Vec<String>,
    pub exchanges: Vec<Arc<RecordedExchange>>,
}

impl RecordedFile {
    /// # Errors
    /// The text is no recording of this version.
    pub fn parse(text: &str) -> Result<RecordedFile, InvalidRecording> {
        match serde_json::from_str::<RecordedFile>(text) {
            Ok(file) if file.version == VERSION => Ok(file),
            Ok(file) => Err(InvalidRecording(wrong_version(file.version))),
            Err(error) => Err(InvalidRecording(error_text(text, &error))),
        }
    }
}

pub(super) fn beginning(used_by: &[String]) -> String {
    let used_by = match used_by {
        [] => String::new(),
        used_by => format!("  \"usedBy\": {},\n", layout::line(&used_by.to_vec().into())),
    };
    format!("{{\n  \"version\": {VERSION},\n{used_by}  \"exchanges\": [")
}

pub(super) fn exchange(exchange: &RecordedExchange) -> io::Result<String> {
    match serde_json::to_value(exchange)? {
        Value::Object(exchange) => Ok(layout::exchange(&exchange)),
        other => Ok(other.to_string()),
    }
}

fn wrong_version(version: u64) -> String {
    format!("it has version {version}; this lmthing reads version {VERSION}")
}

fn error_text(text: &str, error: &serde_json::Error) -> String {
    if text.trim().is_empty() {
        return "it is empty".to_owned();
    }
    match serde_json::from_str::<Value>(text) {
        Err(error) => format!("it is not JSON: {error}"),
        Ok(file) => match file.get("version").map(|version| version.as_u64().ok_or(version)) {
            Some(Ok(version)) if version != VERSION => wrong_version(version),
            Some(Ok(_)) => format!("it is not as --record writes it: {error}"),
            Some(Err(_)) | None => "it is JSON, but not what --record writes".to_owned(),
        },
    }
}
