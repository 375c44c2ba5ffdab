//! Calls that wait for approval and the decisions, in their stored form (docs/reference/resume.md).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingCall {
    /// Counts the calls that have waited in the whole run, from 1; a call that waits again keeps its number.
    pub serial: usize,
    /// Counts the processes of the run that had waiting calls, up to the one in which it waited.
    pub round: usize,
    /// The id of the tool call that it is, or that makes it; for code in a model's text, the id of the code.
    pub call: String,
    /// The digest of the call, see [`call_digest`].
    pub asked: String,
    pub name: String,
    /// The arguments as JSON, without secrets.
    pub args: String,
    /// The part of a call that it is, see [`Entry::CallPart`](super::Entry::Part): it has not started after all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<CallPartName>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallPartName {
    pub of: String,
    pub asked: String,
    pub number: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Approved,
    /// With the reason for the model, if one was given.
    Denied(Option<String>),
}

/// Identifies a call by its name and arguments, so that an approval applies to no other call. `part` distinguishes it from other
/// calls of the same tool call.
pub fn call_digest(name: &str, args: &str, part: &str) -> String {
    let digest = Sha256::digest(format!("{name}\0{part}\0{args}"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The arguments as a value; as a string if they are not JSON.
pub fn args_value(args: &str) -> Value {
    serde_json::from_str(args).unwrap_or_else(|_| args.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_covers_name_arguments_and_part() {
        let first = call_digest("deploy", "{}", "");
        for (name, args, part) in [("deplo", "{}", ""), ("deploy", "{ }", ""), ("deploy", "{}", "1")] {
            assert_ne!(call_digest(name, args, part), first);
        }
        assert_eq!(args_value("{\"a\": 1}"), serde_json::json!({ "a": 1 }));
        assert_eq!(args_value("no JSON"), "no JSON");
    }
}
