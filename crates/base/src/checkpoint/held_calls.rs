//! The calls of a run that wait or waited for approval, read from its logs.

use super::{
    entry::Entry,
    waiting_call::{Verdict, WaitingCall},
};

/// A call that waits or waited for approval, with the key of its prompt's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldCall {
    pub key: String,
    pub call: WaitingCall,
    pub verdict: Option<Verdict>,
    /// Whether the approved or denied call has ended.
    pub has_ended: bool,
}

impl HeldCall {
    pub fn new(key: &str, call: WaitingCall) -> Self {
        HeldCall { key: key.to_owned(), call, verdict: None, has_ended: false }
    }
}

pub fn held_calls(log: &[Entry], key: &str) -> Vec<HeldCall> {
    let mut held: Vec<HeldCall> = Vec::new();
    for entry in log {
        match entry {
            Entry::Waits(call) => match held.iter_mut().find(|known| known.call.serial == call.serial) {
                Some(known) => known.call = (**call).clone(),
                None => held.push(HeldCall::new(key, (**call).clone())),
            },
            Entry::Decided { serial, verdict } => {
                if let Some(known) = held.iter_mut().find(|known| known.call.serial == *serial) {
                    known.verdict = Some(verdict.clone());
                }
            }
            Entry::CallEnds(end) => mark_ended(&mut held, |call| call.part.is_none() && call.call == end.tool_call_id),
            // The code that the part belongs to may have changed since.
            Entry::Part { number, asked, outcome: Some(_), .. } => mark_ended(&mut held, |call| {
                call.part.as_ref().is_some_and(|part| part.number == *number && part.asked == *asked)
            }),
            Entry::StepEnds { .. } | Entry::Said { .. } | Entry::Ends => held.clear(),
            // The run was restarted from the beginning.
            Entry::Answered(answered) if answered.step == 0 => held.clear(),
            _ => {}
        }
    }
    held
}

/// Marks a decided call as ended, so that the decision applies to no other call.
fn mark_ended(held: &mut [HeldCall], is_it: impl Fn(&WaitingCall) -> bool) {
    if let Some(held) = held.iter_mut().find(|held| held.verdict.is_some() && !held.has_ended && is_it(&held.call)) {
        held.has_ended = true;
    }
}

/// Whether the run with this key may still make calls while the file's own prompt is at `step`.
pub fn is_current_at(key: &str, step: usize) -> bool {
    let first = key.strip_prefix('/').and_then(|rest| rest.split_once(':'));
    first.is_none_or(|(at, _)| at == "-" || at.parse() == Ok(step))
}

/// The name of a call for an approver: the id of its tool call, followed by the serial number where several share the id.
pub fn call_label(call: &WaitingCall, all: &[HeldCall]) -> String {
    let is_shared = all.iter().any(|other| other.call.call == call.call && other.call.serial != call.serial);
    if is_shared { format!("{}.{}", call.call, call.serial) } else { call.call.clone() }
}

/// The undecided calls of the last process that had some.
pub fn undecided(all: &[HeldCall]) -> impl Iterator<Item = &HeldCall> {
    let last = all.iter().map(|held| held.call.round).max().unwrap_or(0);
    all.iter().filter(move |held| held.verdict.is_none() && held.call.round == last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(serial: usize, round: usize, call: &str) -> Entry {
        Entry::Waits(Box::new(WaitingCall { serial, round, call: call.to_owned(), ..WaitingCall::default() }))
    }

    fn labels(held: &[HeldCall]) -> Vec<String> {
        undecided(held).map(|waiting| call_label(&waiting.call, held)).collect()
    }

    #[test]
    fn calls_with_a_shared_id_are_labelled_with_their_serial_number() {
        let mut log = vec![waits(1, 1, "a"), waits(2, 1, "b")];
        assert_eq!(labels(&held_calls(&log, "")), ["a", "b"]);
        log.push(waits(3, 1, "b"));
        assert_eq!(labels(&held_calls(&log, "")), ["a", "b.2", "b.3"]);
        log.extend([Entry::Decided { serial: 2, verdict: Verdict::Approved }, waits(3, 2, "b")]);
        let held = held_calls(&log, "");
        assert_eq!((labels(&held), held[1].verdict.clone()), (vec!["b.3".to_owned()], Some(Verdict::Approved)));
        log.push(Entry::StepEnds { step: 0, added: Vec::new(), ends_turn: false, memory: Default::default() });
        assert!(held_calls(&log, "").is_empty());
    }

    #[test]
    fn agents_of_finished_steps_are_not_current() {
        let at = |step| ["", "/-:p#0", "/2:a@c#0", "/3:a@c#0"].map(|key| is_current_at(key, step));
        assert_eq!(at(3), [true, true, false, true]);
        assert_eq!(at(2), [true, true, true, false]);
    }
}
