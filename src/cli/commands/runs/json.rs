//! Runs as JSON (docs/reference/journal.md).

use jiff::Timestamp;
use serde_json::{Value, json};

use lmthing_base::chat::Usage;
use lmthing_store::journal::{RunInfo, RunStart, RunStatus};

pub(super) fn of_run(run: &RunInfo) -> Value {
    let mut object = json!({
        "id": run.id,
        "file": run.file,
        "status": run.status.as_str(),
        "start": iso(run.started),
        "end": run.ended.map(iso),
        "durationMs": run.duration_ms(),
        "steps": run.sums.steps,
        "allSteps": run.sums.all_steps,
        "tokens": tokens(&run.sums.usage),
        "usage": run.sums.usage,
        "cost": run.cost(),
        "model": run.model,
    });
    if let Some(error) = &run.error {
        object["error"] = error.clone();
    }
    if let Some(origin) = &run.origin {
        object["resumedFrom"] = json!(origin);
    }
    if let Some(owner) = run.owner.as_ref().filter(|_| run.status == RunStatus::Running) {
        object["process"] = json!({ "pid": owner.pid, "host": owner.host });
    }
    object
}

pub(super) fn of_start(run: &RunInfo, start: &RunStart) -> Value {
    let mut object = of_run(run);
    object["started"] = json!(start);
    object
}

pub(super) fn tokens(usage: &Usage) -> Option<u64> {
    let sum = || match (usage.input_tokens, usage.output_tokens) {
        (None, None) => None,
        (input, output) => Some(input.unwrap_or(0) + output.unwrap_or(0)),
    };
    usage.total_tokens.or_else(sum)
}

fn iso(milliseconds: u64) -> String {
    timestamp(milliseconds).to_string()
}

/// Out-of-range times become the Unix epoch.
pub(super) fn timestamp(milliseconds: u64) -> Timestamp {
    let time = i64::try_from(milliseconds).ok().and_then(|time| Timestamp::from_millisecond(time).ok());
    time.unwrap_or_default()
}
