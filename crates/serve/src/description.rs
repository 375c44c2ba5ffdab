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
    child::{ChildGroup, exit_description},
    options::ServeOptions,
};
use lmthing_system::files::FileReport;

const LOAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Extra time for the process, which may not be able to interrupt the file.
const EXTRA_TIME: Duration = Duration::from_secs(2);

/// Most bytes of a description.
const MAX_DESCRIPTION: u64 = 16 << 20;

/// The hidden subcommand of lmthing that describes a file.
const SUBCOMMAND: &str = "__describe";

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Description {
    pub(super) description: Option<String>,
    #[serde(deserialize_with = "input_schema")]
    pub(super) input: Option<Map<String, Value>>,
    pub(super) output: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum DescribeOutput {
    Failed { problem: DescribeError },
    Offer(Description),
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct DescribeError {
    message: String,
    place: Option<String>,
    hint: Option<String>,
    #[serde(skip)]
    pub(super) is_slow: bool,
}

impl DescribeError {
    pub(super) fn new(message: String) -> Self {
        DescribeError { message, place: None, hint: None, is_slow: false }
    }

    pub(super) fn shown(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        let hint = self.hint.as_ref().map(|hint| format!("\n  hint: {hint}")).unwrap_or_default();
        format!("{}{place}{hint}", self.message)
    }
}

/// Describes a file. The files that it loads are written to `report`.
pub(super) async fn describe(
    options: &ServeOptions,
    file: &Path,
    report: &FileReport,
) -> Result<Description, DescribeError> {
    let seconds = LOAD_TIMEOUT.as_secs();
    let own = [format!("--limit={seconds}s").into(), "--report-files".into(), report.path().as_os_str().to_owned()];
    let mut command = options.command(SUBCOMMAND, options.describe.iter().chain(&own), file);
    let lost = |error: io::Error| DescribeError::new(format!("lmthing cannot be started to load it: {error}"));
    let mut child = ChildGroup::start(&mut command).map_err(lost)?;
    let (_, stdout, stderr) = child.pipes();
    let (Some(stdout), Some(mut stderr)) = (stdout, stderr) else {
        return Err(DescribeError::new("lmthing cannot be asked about it".to_owned()));
    };
    let started = Instant::now();
    let mut output = Vec::new();
    let read = async {
        let (mut stdout, mut ignored) = (stdout.take(MAX_DESCRIPTION), sink());
        // Standard error is drained, so that the process does not block.
        let _ = tokio::join!(stdout.read_to_end(&mut output), copy(&mut stderr, &mut ignored));
        child.wait().await
    };
    let Ok(status) = timeout(LOAD_TIMEOUT + EXTRA_TIME, read).await else {
        child.end_process().await;
        return Err(DescribeError {
            is_slow: true,
            ..DescribeError::new(format!("loading the file did not end within {seconds} s"))
        });
    };
    match serde_json::from_slice(&output) {
        // A killed process may have printed its description before.
        Ok(DescribeOutput::Offer(offer)) if status.is_some_and(|status| status.success()) => Ok(offer),
        Ok(DescribeOutput::Failed { problem }) => {
            Err(DescribeError { is_slow: started.elapsed() >= LOAD_TIMEOUT, ..problem })
        }
        _ => Err(DescribeError::new(format!("it cannot be loaded: {}", exit_description(status)))),
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
