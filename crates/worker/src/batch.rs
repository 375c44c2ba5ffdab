//! What is stored in Restate for a run: batches of log entries, and how the run ended.

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};
use thiserror::Error;

use lmthing_base::event::AwaitedCall;

/// Limit of Restate for one journal entry in bytes. A larger entry is refused, and its step repeated by every attempt.
pub(super) const MAX_BATCH_BYTES: usize = 32 << 20;

const FRAMING_RESERVE: usize = 64 << 10;

/// Key and JSON text of a journal entry.
pub(super) type Entry = (String, String);

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Batch {
    entries: Vec<(String, Box<RawValue>)>,
    /// Set in the last batch of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<End>,
}

/// A batch that Restate cannot store.
#[derive(Debug, Error)]
pub(super) enum InvalidBatch {
    #[error("an entry of the run is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    // Rounded up, so that the size is shown as larger than the limit.
    #[error(
        "what was done in a step takes {} MiB, and Restate stores no more than {} MiB at once: tools can write what is \
         large to a file and return its path",
        .bytes.div_ceil(1 << 20),
        MAX_BATCH_BYTES >> 20
    )]
    TooLarge { bytes: usize },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum End {
    Report(Value),
    /// The run continues after these calls are decided.
    Waits(Vec<PendingApproval>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PendingApproval {
    /// Label, unique in the run.
    pub(super) call: String,
    pub(super) name: String,
    /// Arguments, redacted.
    pub(super) args: Value,
    /// Names of the calling agents, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) agent: Vec<String>,
}

impl PendingApproval {
    pub(super) fn of(call: &AwaitedCall) -> Self {
        PendingApproval {
            call: call.call.clone(),
            name: call.name.clone(),
            args: call.args.clone(),
            agent: call.agent.iter().map(|name| name.to_string()).collect(),
        }
    }
}

impl Batch {
    pub(super) fn new(entries: Vec<Entry>, end: Option<End>) -> Result<Self, InvalidBatch> {
        let raw = |(key, text)| Ok((key, RawValue::from_string(text)?));
        let entries: serde_json::Result<_> = entries.into_iter().map(raw).collect();
        let batch = Batch { entries: entries?, end };
        let bytes = batch.size();
        if bytes + FRAMING_RESERVE > MAX_BATCH_BYTES {
            return Err(InvalidBatch::TooLarge { bytes });
        }
        Ok(batch)
    }

    fn size(&self) -> usize {
        serde_json::to_vec(self).map_or(0, |bytes| bytes.len())
    }

    pub(super) fn take_entries(&mut self) -> impl Iterator<Item = Entry> + use<> {
        std::mem::take(&mut self.entries).into_iter().map(|(key, text)| (key, Box::<str>::from(text).into()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_stored_unchanged() {
        let entries = vec![(String::new(), r#"{"a": 1.0,"b":"\u00e4"}"#.to_owned()), ("/0:x#0".into(), "1e5".into())];
        let end = Some(End::Waits(vec![PendingApproval {
            call: "c1".into(),
            name: "deploy".into(),
            args: json!({}),
            agent: Vec::new(),
        }]));
        let batch = Batch::new(entries.clone(), end.clone()).unwrap();
        let mut read: Batch = serde_json::from_slice(&serde_json::to_vec(&batch).unwrap()).unwrap();
        assert_eq!((read.take_entries().collect::<Vec<_>>(), read.end), (entries, end));
    }

    #[test]
    fn a_batch_over_the_limit_is_refused() {
        let long = |bytes: usize| vec![(String::new(), format!("\"{}\"", "x".repeat(bytes)))];
        assert!(Batch::new(long(MAX_BATCH_BYTES - 2 * FRAMING_RESERVE), None).is_ok());
        let error = Batch::new(long(MAX_BATCH_BYTES), None).unwrap_err().to_string();
        assert!(
            error.starts_with("what was done in a step takes 33 MiB, and Restate stores no more than 32 MiB"),
            "{error}"
        );
    }
}
