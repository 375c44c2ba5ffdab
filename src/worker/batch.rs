//! What Restate keeps of a run: entries of its logs up to a step that is over, and how a run ended. Must not know when that is.

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::event::AwaitedCall;

/// The most that an entry of Restate's journal may hold. One that is larger is refused there, and the step done once more at
/// every attempt.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// What encloses a batch in Restate's own messages.
const ROOM: usize = 64 << 10;

/// Key and text of an entry, as the journal has it.
pub(super) type Entry = (String, String);

/// What is stored at once.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Batch {
    entries: Vec<(String, Box<RawValue>)>,
    /// How the run ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<End>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum End {
    /// What `-f json` prints.
    Report(Value),
    /// It goes on when somebody has decided on these calls.
    Waits(Vec<Waiting>),
}

/// A call that waits for somebody to decide on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Waiting {
    /// What tells it from the others of the run.
    pub(super) call: String,
    /// What is called.
    pub(super) name: String,
    /// With what, without secrets.
    pub(super) args: Value,
    /// By whom: the names of agents, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) agent: Vec<String>,
}

impl Waiting {
    /// The same of a call that a run has stopped for.
    pub(super) fn of(call: &AwaitedCall) -> Self {
        Waiting {
            call: call.call.clone(),
            name: call.name.clone(),
            args: call.args.clone(),
            agent: call.agent.iter().map(|name| name.to_string()).collect(),
        }
    }
}

impl Batch {
    /// Of entries that were written here.
    ///
    /// # Errors
    /// Too much to be stored, in words.
    pub(super) fn new(entries: Vec<Entry>, end: Option<End>) -> Result<Self, String> {
        let raw = |(key, text)| Ok((key, RawValue::from_string(text)?));
        let entries: serde_json::Result<_> = entries.into_iter().map(raw).collect();
        let entries = entries.map_err(|error| format!("an entry of the run is no JSON: {error}"))?;
        let batch = Batch { entries, end };
        let bytes = batch.size();
        if bytes + ROOM > MOST_BYTES {
            // Rounded up: what is refused is more than what is allowed.
            return Err(format!(
                "what was done in a step takes {} MiB, and Restate stores no more than {} MiB at once: tools can write \
                 what is large to a file and return its path",
                bytes.div_ceil(1 << 20),
                MOST_BYTES >> 20
            ));
        }
        Ok(batch)
    }

    fn size(&self) -> usize {
        serde_json::to_vec(self).map_or(0, |bytes| bytes.len())
    }

    /// The entries.
    pub(super) fn take_entries(&mut self) -> impl Iterator<Item = Entry> + use<> {
        std::mem::take(&mut self.entries).into_iter().map(|(key, text)| (key, Box::<str>::from(text).into()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_come_back_to_the_letter() {
        let entries = vec![(String::new(), r#"{"a": 1.0,"b":"\u00e4"}"#.to_owned()), ("/0:x#0".into(), "1e5".into())];
        let end = Some(End::Waits(vec![Waiting {
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
    fn what_restate_cannot_store_is_refused_in_words() {
        let long = |bytes: usize| vec![(String::new(), format!("\"{}\"", "x".repeat(bytes)))];
        assert!(Batch::new(long(MOST_BYTES - 2 * ROOM), None).is_ok());
        let error = Batch::new(long(MOST_BYTES), None).unwrap_err();
        assert!(
            error.starts_with("what was done in a step takes 33 MiB, and Restate stores no more than 32 MiB"),
            "{error}"
        );
    }
}
