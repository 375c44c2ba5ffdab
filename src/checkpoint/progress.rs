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
    /// Before which steps its states are whole, so that they can be asked again; the place is the step.
    whole: Vec<bool>,
}

impl Progress {
    /// Of the log of the file's own prompt.
    pub(crate) fn of(log: &[Entry]) -> Self {
        let restored = restore(log.iter().cloned(), None);
        let last = [&restored.before, &restored.after];
        let lost = last.into_iter().flat_map(Memory::lost);
        let mut lost: Vec<LostState> =
            lost.map(|(name, reason)| LostState { name: name.to_owned(), reason: reason.to_owned() }).collect();
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
            whole: whole(log),
        }
    }

    /// The steps that can be asked again, were it not for states.
    pub(crate) fn steps(&self) -> Range<usize> {
        0..self.whole.len()
    }

    /// Whether everything is known that was remembered before a step.
    pub(crate) fn is_whole_at(&self, step: usize) -> bool {
        self.whole.get(step).copied().unwrap_or(false)
    }

    /// The last step before which everything is known, up to this one.
    pub(crate) fn last_whole(&self, limit: usize) -> Option<usize> {
        (0..self.whole.len().min(limit.saturating_add(1))).rev().find(|step| self.whole[*step])
    }
}

fn said(answer: &Answered) -> Said {
    let text = answer.said().map(|message| message.plain_text()).unwrap_or_default();
    Said { text, finish_reason: answer.finish_reason, model: format!("{}:{}", answer.provider, answer.model_id) }
}

/// Before which steps a memory is whole. What has changed since the step before is told with its answer, but belongs to it.
fn whole(log: &[Entry]) -> Vec<bool> {
    let (mut memory, mut whole, mut is_over) = (Memory::default(), Vec::new(), true);
    for entry in log {
        match entry {
            Entry::Answered(answer) => {
                if answer.step == 0 {
                    (memory, whole) = Default::default();
                }
                whole.push(memory.lost().next().is_none());
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
            Entry::CallBegins { .. } => {}
            Entry::Ends => is_over = false,
        }
    }
    // The step that would come next.
    if is_over {
        whole.push(memory.lost().next().is_none());
    }
    whole
}
