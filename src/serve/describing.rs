//! Describes prompt files: a process loads the file and prints its description.

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
use crate::files::Report;

const LIMIT: Duration = Duration::from_secs(10);

/// Extra time for the process, which may not be able to interrupt the file.
const PATIENCE: Duration = Duration::from_secs(2);

/// Most bytes of a description.
const MAX_OFFER: u64 = 16 << 20;

/// The hidden subcommand of lmthing that describes a file.
const SUBCOMMAND: &str = "__describe";

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

/// Why a file cannot be described.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Problem {
    message: String,
    place: Option<String>,
    hint: Option<String>,
    /// Whether loading timed out.
    #[serde(skip)]
    pub(super) is_slow: bool,
}

impl Problem {
    pub(super) fn new(message: String) -> Self {
        Problem { message, place: None, hint: None, is_slow: false }
    }

    pub(super) fn shown(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        let hint = self.hint.as_ref().map(|hint| format!("\n  hint: {hint}")).unwrap_or_default();
        format!("{}{place}{hint}", self.message)
    }
}

/// Describes a file. The files that it loads are written to `report`.
pub(super) async fn describe(options: &ServeOptions, file: &Path, report: &Report) -> Result<Description, Problem> {
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
        // Standard error is drained, so that the process does not block.
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
        // A killed process may have printed its description before.
        Ok(Answer::Offer(offer)) if status.is_some_and(|status| status.success()) => Ok(offer),
        Ok(Answer::Wrong { problem }) => Err(Problem { is_slow: begun.elapsed() >= LIMIT, ..problem }),
        _ => Err(Problem::new(format!("it cannot be loaded: {}", ending(status)))),
    }
}

/// Adds `type: object`, which MCP requires.
fn input_schema<'de, D: serde::Deserializer<'de>>(schema: D) -> Result<Option<Map<String, Value>>, D::Error> {
    let mut schema = Option::<Map<String, Value>>::deserialize(schema)?;
    if let Some(schema) = &mut schema {
        schema.entry("type").or_insert_with(|| json!("object"));
    }
    Ok(schema)
}
