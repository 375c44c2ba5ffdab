//! Calls that wait for somebody to decide on them, in this process or the next (docs/journal.md, "Waiting for approval"): what
//! tells them apart, what they are called, and what was decided. Must not know who decides.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::entry::Entry;

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

/// A call that waits or has waited, with the key of its prompt's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub key: String,
    pub call: WaitingCall,
    pub verdict: Option<Verdict>,
}

/// Tells what is called with which arguments from anything else, so that nobody can make another call in its place. `part` is
/// what tells it from other calls that are made for the same one.
pub(crate) fn asked_for(name: &str, args: &str, part: &str) -> String {
    let digest = Sha256::digest(format!("{name}\0{part}\0{args}"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The calls of one prompt's run that wait or have waited in the step that is not over.
pub(crate) fn held_in(log: &[Entry], key: &str) -> Vec<Held> {
    let mut held: Vec<Held> = Vec::new();
    for entry in log {
        match entry {
            Entry::Waits(call) => match held.iter_mut().find(|known| known.call.serial == call.serial) {
                Some(known) => known.call = (**call).clone(),
                None => held.push(Held { key: key.to_owned(), call: (**call).clone(), verdict: None }),
            },
            Entry::Decided { serial, verdict } => {
                if let Some(known) = held.iter_mut().find(|known| known.call.serial == *serial) {
                    known.verdict = Some(verdict.clone());
                }
            }
            Entry::StepEnds { .. } | Entry::Ends => held.clear(),
            // What is left of a run that began once more.
            Entry::Answered(answered) if answered.step == 0 => held.clear(),
            _ => {}
        }
    }
    held
}

/// Whether calls of the prompt's run with this key may still be made while the file's own prompt is at `step`.
pub(crate) fn is_of_step(key: &str, step: usize) -> bool {
    let first = key.strip_prefix('/').and_then(|rest| rest.split_once(':'));
    first.is_none_or(|(at, _)| at == "-" || at.parse() == Ok(step))
}

/// What a call is called by whoever decides on it: the id of its tool call; with its number, where several have that.
pub(crate) fn label(call: &WaitingCall, all: &[Held]) -> String {
    let is_shared = all.iter().any(|other| other.call.call == call.call && other.call.serial != call.serial);
    if is_shared { format!("{}.{}", call.call, call.serial) } else { call.call.clone() }
}

/// Those nobody has decided on, of the last process that had some.
pub(crate) fn undecided(all: &[Held]) -> impl Iterator<Item = &Held> {
    let last = all.iter().map(|held| held.call.round).max().unwrap_or(0);
    all.iter().filter(move |held| held.verdict.is_none() && held.call.round == last)
}

/// Arguments as a value; the text itself where they are no JSON.
pub(crate) fn shown_args(args: &str) -> Value {
    serde_json::from_str(args).unwrap_or_else(|_| args.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(serial: usize, round: usize, call: &str) -> Entry {
        Entry::Waits(Box::new(WaitingCall { serial, round, call: call.to_owned(), ..WaitingCall::default() }))
    }

    fn labels(held: &[Held]) -> Vec<String> {
        undecided(held).map(|waiting| label(&waiting.call, held)).collect()
    }

    #[test]
    fn a_call_that_shares_its_id_is_named_by_its_number_from_then_on() {
        let mut log = vec![waits(1, 1, "a"), waits(2, 1, "b")];
        assert_eq!(labels(&held_in(&log, "")), ["a", "b"]);
        log.push(waits(3, 1, "b"));
        assert_eq!(labels(&held_in(&log, "")), ["a", "b.2", "b.3"]);
        log.extend([Entry::Decided { serial: 2, verdict: Verdict::Approved }, waits(3, 2, "b")]);
        let held = held_in(&log, "");
        assert_eq!((labels(&held), held[1].verdict.clone()), (vec!["b.3".to_owned()], Some(Verdict::Approved)));
        log.push(Entry::StepEnds { step: 0, added: Vec::new(), memory: Default::default() });
        assert!(held_in(&log, "").is_empty());
    }

    #[test]
    fn agents_of_steps_that_are_over_wait_for_nothing() {
        let at = |step| ["", "/-:p#0", "/2:a@c#0", "/3:a@c#0"].map(|key| is_of_step(key, step));
        assert_eq!(at(3), [true, true, false, true]);
        assert_eq!(at(2), [true, true, true, false]);
    }

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
