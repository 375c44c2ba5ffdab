//! Finding out what a file offers: a process loads it and prints that. Must not know what becomes of it.

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt, copy, sink},
    time::timeout,
};

use super::{
    child::{OwnChild, ending},
    options::ServeOptions,
};
use crate::files::FileReport;

/// How long a file may take to load.
const LIMIT: Duration = Duration::from_secs(10);

/// How much longer its process is waited for, which may not be able to interrupt the file.
const PATIENCE: Duration = Duration::from_secs(2);

/// No description is longer.
const MAX_OFFER: u64 = 16 << 20;

/// The subcommand of lmthing that describes a file.
const SUBCOMMAND: &str = "__describe";

/// What a file offers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Description {
    pub(super) description: Option<String>,
    #[serde(deserialize_with = "input_schema")]
    pub(super) input: Option<Map<String, Value>>,
    pub(super) output: Option<Value>,
}

/// What the process prints.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Wrong { problem: Problem },
    Offer(Description),
}

/// Why a file cannot be called.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Problem {
    message: String,
    place: Option<String>,
    hint: Option<String>,
    /// Loading the file did not end.
    #[serde(skip)]
    pub(super) is_slow: bool,
}

impl Problem {
    pub(super) fn new(message: String) -> Self {
        Problem { message, place: None, hint: None, is_slow: false }
    }

    /// In a line, or in two.
    pub(super) fn shown(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        let hint = self.hint.as_ref().map(|hint| format!("\n  hint: {hint}")).unwrap_or_default();
        format!("{}{place}{hint}", self.message)
    }
}

/// Has a file described. What it is made of is told to `report`.
///
/// # Errors
/// Why it cannot be called.
pub(super) async fn describe(options: &ServeOptions, file: &Path, report: &FileReport) -> Result<Description, Problem> {
    let seconds = LIMIT.as_secs();
    let own = [format!("--limit={seconds}s").into(), "--report-files".into(), report.path().as_os_str().to_owned()];
    let mut command = options.command(SUBCOMMAND, options.describe.iter().chain(&own), file);
    let lost = |error: io::Error| Problem::new(format!("lmthing cannot be started to load it: {error}"));
    let mut child = OwnChild::start(&mut command).map_err(lost)?;
    let (_, stdout, stderr) = child.pipes();
    let (Some(stdout), Some(mut stderr)) = (stdout, stderr) else {
        return Err(Problem::new("lmthing cannot be asked about it".to_owned()));
    };
    let begun = Instant::now();
    let mut said = Vec::new();
    let listen = async {
        let (mut stdout, mut nowhere) = (stdout.take(MAX_OFFER), sink());
        // Nobody looks at what it prints, but it must not wait for that.
        let _ = tokio::join!(stdout.read_to_end(&mut said), copy(&mut stderr, &mut nowhere));
        child.ended().await
    };
    let Ok(status) = timeout(LIMIT + PATIENCE, listen).await else {
        child.end().await;
        return Err(Problem {
            is_slow: true,
            ..Problem::new(format!("loading the file did not end within {seconds} s"))
        });
    };
    match serde_json::from_slice(&said) {
        // One that was ended behind its back may have said so much before.
        Ok(Answer::Offer(offer)) if status.is_some_and(|status| status.success()) => Ok(offer),
        Ok(Answer::Wrong { problem }) => Err(Problem { is_slow: begun.elapsed() >= LIMIT, ..problem }),
        _ => Err(Problem::new(format!("it cannot be loaded: {}", ending(status)))),
    }
}

/// A schema that says that it is of an object.
fn input_schema<'de, D: serde::Deserializer<'de>>(schema: D) -> Result<Option<Map<String, Value>>, D::Error> {
    let mut schema = Option::<Map<String, Value>>::deserialize(schema)?;
    if let Some(schema) = &mut schema {
        schema.entry("type").or_insert_with(|| json!("object"));
    }
    Ok(schema)
}
