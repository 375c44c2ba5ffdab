//! The calls of a run that wait or have waited for a decision, out of its logs, and what they are called. Must not know who
//! decides.

use super::{
    entry::Entry,
    waiting::{Verdict, WaitingCall},
};

/// A call that waits or has waited, with the key of its prompt's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub key: String,
    pub call: WaitingCall,
    pub verdict: Option<Verdict>,
    /// The call that the decision was for is over.
    pub is_spent: bool,
}

impl Held {
    /// A call that waits.
    pub(crate) fn new(key: &str, call: WaitingCall) -> Self {
        Held { key: key.to_owned(), call, verdict: None, is_spent: false }
    }
}

/// The calls of one prompt's run that wait or have waited in the step that is not over.
pub(crate) fn held_in(log: &[Entry], key: &str) -> Vec<Held> {
    let mut held: Vec<Held> = Vec::new();
    for entry in log {
        match entry {
            Entry::Waits(call) => match held.iter_mut().find(|known| known.call.serial == call.serial) {
                Some(known) => known.call = (**call).clone(),
                None => held.push(Held::new(key, (**call).clone())),
            },
            Entry::Decided { serial, verdict } => {
                if let Some(known) = held.iter_mut().find(|known| known.call.serial == *serial) {
                    known.verdict = Some(verdict.clone());
                }
            }
            Entry::CallEnds(end) => spend(&mut held, |call| call.part.is_none() && call.call == end.tool_call_id),
            // Whatever the code is by now that it is a part of.
            Entry::Part { number, asked, outcome: Some(_), .. } => spend(&mut held, |call| {
                call.part.as_ref().is_some_and(|part| part.number == *number && part.asked == *asked)
            }),
            Entry::StepEnds { .. } | Entry::Ends => held.clear(),
            // What is left of a run that began once more.
            Entry::Answered(answered) if answered.step == 0 => held.clear(),
            _ => {}
        }
    }
    held
}

/// A call that was decided on is over: no other may be made by that decision.
fn spend(held: &mut [Held], is_it: impl Fn(&WaitingCall) -> bool) {
    if let Some(held) = held.iter_mut().find(|held| held.verdict.is_some() && !held.is_spent && is_it(&held.call)) {
        held.is_spent = true;
    }
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
}
