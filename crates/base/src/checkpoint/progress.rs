//! How far a run has come according to its logs, and from which steps it can be resumed.

use std::ops::Range;

use super::{
    entry::{AnswerEntry, Entry},
    memory::Memory,
    restored::restore,
};
use crate::chat::FinishReason;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostState {
    pub name: String,
    /// As the end of a sentence.
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    pub text: String,
    pub finish_reason: FinishReason,
    /// As `provider:model`.
    pub model: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The unfinished step, or the next one.
    pub step: usize,
    pub calls: usize,
    pub is_answered: bool,
    pub is_done: bool,
    /// See [`super::Restored::is_unseen`].
    pub is_unseen: bool,
    pub last: Option<StoredAnswer>,
    pub lost: Vec<LostState>,
    /// The missing states before each step from which the run can be resumed.
    pub lost_before: Vec<Vec<LostState>>,
}

impl Progress {
    pub fn of(log: &[Entry]) -> Self {
        let restored = restore(log.iter().cloned(), None);
        let mut lost: Vec<_> = [&restored.before, &restored.after].into_iter().flat_map(lost_of).collect();
        lost.sort_by(|one, other| one.name.cmp(&other.name));
        lost.dedup_by(|one, other| one.name == other.name);
        let calls = restored.unfinished.as_ref().map_or(0, |unfinished| unfinished.step.results.len());
        Progress {
            step: restored.next_step(),
            calls,
            is_answered: restored.unfinished.is_some(),
            is_done: restored.is_done,
            is_unseen: restored.is_unseen,
            last: restored.answers().last().map(|step| stored_answer(&step.answer)),
            lost,
            lost_before: lost_before(log),
        }
    }

    /// The steps from which the run can be resumed if no states are missing.
    pub fn steps(&self) -> Range<usize> {
        0..self.lost_before.len()
    }

    pub fn lost_before(&self, step: usize) -> &[LostState] {
        self.lost_before.get(step).map_or(&[], Vec::as_slice)
    }

    /// The last step up to `limit` before which no state is missing.
    pub fn last_complete(&self, limit: usize) -> Option<usize> {
        let steps = self.lost_before.iter().take(limit.saturating_add(1));
        steps.enumerate().rfind(|(_, lost)| lost.is_empty()).map(|(step, _)| step)
    }
}

fn stored_answer(answer: &AnswerEntry) -> StoredAnswer {
    let text = answer.message_as_written().map(|message| message.plain_text()).unwrap_or_default();
    StoredAnswer {
        text,
        finish_reason: answer.finish_reason,
        model: format!("{}:{}", answer.provider, answer.model_id),
    }
}

fn lost_of(memory: &Memory) -> Vec<LostState> {
    memory.lost().map(|(name, reason)| LostState { name: name.to_owned(), reason: reason.to_owned() }).collect()
}

/// An answer's entry contains the changes since the step before, and those belong to its own step.
fn lost_before(log: &[Entry]) -> Vec<Vec<LostState>> {
    let (mut memory, mut lost, mut is_over) = (Memory::default(), Vec::new(), true);
    for entry in log {
        if let Entry::Answered(answer) = entry {
            if answer.step == 0 && !lost.is_empty() {
                (memory, lost) = Default::default();
            }
            lost.push(lost_of(&memory));
        }
        if let Some(change) = entry.memory() {
            memory.apply(change);
        }
        match entry {
            Entry::Answered(_) | Entry::Ends => is_over = false,
            Entry::StepEnds { .. } | Entry::Said { .. } => is_over = true,
            _ => {}
        }
    }
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
    fn a_run_can_be_resumed_at_steps_whose_states_are_complete() {
        let lost = || json!({ "s": { "lost": "it holds a function" } });
        let lines = [
            answered(0, json!({ "s": { "value": 1 } })),
            ends(0, json!({})),
            answered(1, json!({})),
            ends(1, lost()),
            answered(2, json!({})),
            ends(2, json!({ "s": { "value": 2 } })),
            // Changes by the prompt function before the answer are made again.
            answered(3, lost()),
        ];
        let progress = progress(&lines);
        assert_eq!((progress.step, progress.is_answered, progress.steps()), (3, true, 0..4));
        let whole: Vec<bool> = progress.steps().map(|step| progress.lost_before(step).is_empty()).collect();
        assert_eq!(whole, [true, true, false, true]);
        assert_eq!((progress.last_complete(3), progress.last_complete(2)), (Some(3), Some(1)));
        assert_eq!(progress.lost, [LostState { name: "s".to_owned(), reason: "it holds a function".to_owned() }]);
        assert_eq!(progress.last.map(|said| (said.text, said.model)), Some(("answer 3".into(), "lab:m".into())));
    }

    #[test]
    fn the_next_step_counts_unless_the_run_has_ended() {
        assert_eq!((progress(&[]).steps(), progress(&[]).last_complete(5)), (0..1, Some(0)));
        let mut lines = vec![answered(0, json!({})), ends(0, json!({}))];
        assert_eq!(progress(&lines).steps(), 0..2);
        lines.extend([answered(1, json!({})), json!("ends")]);
        let done = progress(&lines);
        assert_eq!((done.is_done, done.steps(), done.step), (true, 0..2, 2));
        // The run could not be resumed and was restarted.
        lines.push(answered(0, json!({})));
        assert_eq!(progress(&lines).steps(), 0..1);
    }
}
