//! A call that waits for somebody to decide on it, as it is kept, and a decision (docs/journal.md, "Waiting for approval"). Must
//! not know who decides.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A call that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WaitingCall {
    /// Counts the calls that have waited in the whole run, from 1; one that waits again keeps it.
    pub serial: usize,
    /// How many processes of the run had calls that wait, with the one in which it waited.
    pub round: usize,
    /// The id of the tool call that it is, or is made for; of code in a model's text what stands for that.
    pub call: String,
    /// Tells it from other calls: [`asked_for`].
    pub asked: String,
    /// What is called, in full: `deploy`, `srv.sum`.
    pub name: String,
    /// The arguments as JSON, without secrets.
    pub args: String,
    /// The part of a call that it is, as [`Entry::Part`] names it: it has not begun after all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartName>,
}

/// What names a part of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartName {
    pub of: String,
    pub asked: String,
    pub number: usize,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    Approved,
    /// With the reason that the model is told, if one was given.
    Denied(Option<String>),
}

/// Tells what is called with which arguments from anything else, so that nobody can make another call in its place. `part` is
/// what tells it from other calls that are made for the same one.
pub(crate) fn asked_for(name: &str, args: &str, part: &str) -> String {
    let digest = Sha256::digest(format!("{name}\0{part}\0{args}"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Arguments as a value; the text itself where they are no JSON.
pub(crate) fn shown_args(args: &str) -> Value {
    serde_json::from_str(args).unwrap_or_else(|_| args.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_apart_by_everything_they_are_asked_with() {
        let first = asked_for("deploy", "{}", "");
        for (name, args, part) in [("deplo", "{}", ""), ("deploy", "{ }", ""), ("deploy", "{}", "1")] {
            assert_ne!(asked_for(name, args, part), first);
        }
        assert_eq!(shown_args("{\"a\": 1}"), serde_json::json!({ "a": 1 }));
        assert_eq!(shown_args("no JSON"), "no JSON");
    }
}
