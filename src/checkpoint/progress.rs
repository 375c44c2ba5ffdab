//! How far a run has come, by its logs: where another process can go on with it, and where not. Must not know who asks.

use std::ops::Range;

use super::{
    entry::{Answered, Entry},
    memory::Memory,
    restored::restore,
};
use crate::chat::FinishReason;

/// A state that could not be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostState {
    /// Its name.
    pub name: String,
    /// Why, as the end of a sentence.
    pub reason: String,
}

/// An answer that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// The text.
    pub text: String,
    /// Why it ended.
    pub finish_reason: FinishReason,
    /// Who gave it, as `provider:model`.
    pub model: String,
}

/// How far the file's own prompt has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// The step that goes on, or comes next.
    pub step: usize,
    /// How many tool calls of it are done.
    pub calls: usize,
    /// Whether its answer is there.
    pub is_answered: bool,
    /// Whether nothing is left to do but to say so.
    pub is_done: bool,
    /// Its last answer, in words.
    pub last: Option<Said>,
    /// What is missing of its states.
    pub lost: Vec<LostState>,
    /// What is missing of them before each step that can be asked again.
    pub lost_before: Vec<Vec<LostState>>,
}

impl Progress {
    /// Of the log of the file's own prompt.
    pub(crate) fn of(log: &[Entry]) -> Self {
        let restored = restore(log.iter().cloned(), None);
        let mut lost: Vec<_> = [&restored.before, &restored.after].into_iter().flat_map(lost_of).collect();
        lost.sort_by(|one, other| one.name.cmp(&other.name));
        lost.dedup_by(|one, other| one.name == other.name);
        let calls = restored.half.as_ref().map_or(0, |half| half.step.results.len());
        Progress {
            step: restored.next_step(),
            calls,
            is_answered: restored.half.is_some(),
            is_done: restored.is_done,
            last: restored.answers().last().map(|step| said(&step.answer)),
            lost,
            lost_before: lost_before(log),
        }
    }

    /// The steps that can be asked again, were it not for states.
    pub(crate) fn steps(&self) -> Range<usize> {
        0..self.lost_before.len()
    }

    /// What is missing of the states before a step.
    pub(crate) fn lost_before(&self, step: usize) -> &[LostState] {
        self.lost_before.get(step).map_or(&[], Vec::as_slice)
    }

    /// The last step before which everything is known, up to this one.
    pub(crate) fn last_whole(&self, limit: usize) -> Option<usize> {
        let steps = self.lost_before.iter().take(limit.saturating_add(1));
        steps.enumerate().rfind(|(_, lost)| lost.is_empty()).map(|(step, _)| step)
    }
}

fn said(answer: &Answered) -> Said {
    let text = answer.said().map(|message| message.plain_text()).unwrap_or_default();
    Said { text, finish_reason: answer.finish_reason, model: format!("{}:{}", answer.provider, answer.model_id) }
}

fn lost_of(memory: &Memory) -> Vec<LostState> {
    memory.lost().map(|(name, reason)| LostState { name: name.to_owned(), reason: reason.to_owned() }).collect()
}

/// What is missing before each step. What has changed since the step before is told with its answer, but belongs to it.
fn lost_before(log: &[Entry]) -> Vec<Vec<LostState>> {
    let (mut memory, mut lost, mut is_over) = (Memory::default(), Vec::new(), true);
    for entry in log {
        match entry {
            Entry::Answered(answer) => {
                if answer.step == 0 {
                    (memory, lost) = Default::default();
                }
                lost.push(lost_of(&memory));
                memory.apply(&answer.memory);
                is_over = false;
            }
            Entry::CallEnds(end) => memory.apply(&end.memory),
            Entry::Part { memory: change, .. } => memory.apply(change),
            Entry::Remembers { memory: change } => memory.apply(change),
            Entry::StepEnds { memory: change, .. } => {
                memory.apply(change);
                is_over = true;
            }
            Entry::CallBegins { .. } | Entry::Waits(_) | Entry::Decided { .. } => {}
            Entry::Ends => is_over = false,
        }
    }
    // The step that would come next.
    if is_over {
        lost.push(lost_of(&memory));
    }
    lost
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn answered(step: usize, states: Value) -> Value {
        json!({ "answered": {
            "step": step, "active": {}, "finishReason": "stop", "cost": 0, "provider": "lab", "modelId": "m",
            "usage": {}, "message": { "role": "assistant", "content": format!("answer {step}") },
            "memory": { "states": states },
        } })
    }

    fn ends(step: usize, states: Value) -> Value {
        json!({ "step-ends": { "step": step, "memory": { "states": states } } })
    }

    fn progress(lines: &[Value]) -> Progress {
        let log: Vec<Entry> = lines.iter().map(|line| serde_json::from_str(&line.to_string()).unwrap()).collect();
        Progress::of(&log)
    }

    #[test]
    fn steps_whose_states_are_whole_can_be_gone_back_to() {
        let lost = || json!({ "s": { "lost": "it holds a function" } });
        let lines = [
            answered(0, json!({ "s": { "value": 1 } })),
            ends(0, json!({})),
            answered(1, json!({})),
            ends(1, lost()),
            answered(2, json!({})),
            ends(2, json!({ "s": { "value": 2 } })),
            // What the body did on its way to the answer is done once more.
            answered(3, lost()),
        ];
        let progress = progress(&lines);
        assert_eq!((progress.step, progress.is_answered, progress.steps()), (3, true, 0..4));
        let whole: Vec<bool> = progress.steps().map(|step| progress.lost_before(step).is_empty()).collect();
        assert_eq!(whole, [true, true, false, true]);
        assert_eq!((progress.last_whole(3), progress.last_whole(2)), (Some(3), Some(1)));
        assert_eq!(progress.lost, [LostState { name: "s".to_owned(), reason: "it holds a function".to_owned() }]);
        assert_eq!(progress.last.map(|said| (said.text, said.model)), Some(("answer 3".into(), "lab:m".into())));
    }

    #[test]
    fn the_step_that_comes_next_counts_unless_there_is_none() {
        assert_eq!((progress(&[]).steps(), progress(&[]).last_whole(5)), (0..1, Some(0)));
        let mut lines = vec![answered(0, json!({})), ends(0, json!({}))];
        assert_eq!(progress(&lines).steps(), 0..2);
        lines.extend([answered(1, json!({})), json!("ends")]);
        let done = progress(&lines);
        assert_eq!((done.is_done, done.steps(), done.step), (true, 0..2, 2));
        // It could not be gone on from, and began once more.
        lines.push(answered(0, json!({})));
        assert_eq!(progress(&lines).steps(), 0..1);
    }
}
