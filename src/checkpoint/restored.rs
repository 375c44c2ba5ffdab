//! A log put together again: the steps that are over, the one that is not, the conversation and the memory.

use std::{collections::BTreeMap, rc::Rc};

use serde_json::value::RawValue;

use super::{
    entry::{Answered, CallEnd, Entry},
    memory::Memory,
};
use crate::chat::{ContentPart, Message, Role, ToolSpec};

/// What was done of a prompt's run.
#[derive(Debug, Default)]
pub(crate) struct Restored {
    /// The steps that are over.
    pub steps: Vec<StoredStep>,
    /// The step whose answer has come and which is not over.
    pub half: Option<HalfStep>,
    /// The conversation, up to the half step's request if there is one.
    pub history: Vec<Rc<Message>>,
    /// What was remembered when the last request went out, or after the last step that is over: what the body sees.
    pub before: Memory,
    /// What was remembered last: other than `before` when calls of the half step are over.
    pub after: Memory,
    /// Whether the run came to its end.
    pub is_done: bool,
    /// Parts of calls that are not over, by call, in the order they began.
    pub parts: BTreeMap<String, BTreeMap<usize, Part>>,
}

/// A part of a call.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub asked: Box<RawValue>,
    /// `None`: it was under way, and must not be repeated.
    pub outcome: Option<Result<Box<RawValue>, String>>,
}

/// A step that is over.
#[derive(Clone, Debug)]
pub(crate) struct StoredStep {
    pub answer: Rc<Answered>,
    /// As it was sent.
    pub system: Option<String>,
    /// As the model was told of them.
    pub tools: Vec<ToolSpec>,
    /// How many messages of the conversation it was sent.
    pub history_length: usize,
    /// In call order.
    pub results: Vec<Rc<CallEnd>>,
}

/// A step whose answer has come and which is not over.
#[derive(Clone, Debug)]
pub(crate) struct HalfStep {
    /// Its answer, and the results that there are.
    pub step: StoredStep,
    /// Calls that began, that must not be repeated, and of which there is no result; by their places.
    pub begun: Vec<usize>,
}

/// Puts the log of one prompt together. `until` leaves out everything from this step on.
pub(crate) fn restore(entries: impl IntoIterator<Item = Entry>, until: Option<usize>) -> Restored {
    let mut restored = Restored::default();
    let mut system = None;
    let mut tools = Vec::new();
    for entry in entries {
        match entry {
            Entry::Answered(answer) => {
                if until.is_some_and(|until| answer.step >= until) {
                    break;
                }
                if answer.step == 0 {
                    // A run that could not be restored began once more.
                    (restored, system, tools) = Default::default();
                }
                restored.answered(*answer, &mut system, &mut tools);
            }
            Entry::CallBegins { place } => {
                if let Some(half) = &mut restored.half {
                    half.begun.push(place);
                }
            }
            Entry::CallEnds(end) => restored.call_ends(*end),
            Entry::Part { of, number, asked, outcome, memory } => {
                restored.after.apply(&memory);
                restored.parts.entry(of).or_default().insert(number, Part { asked, outcome });
            }
            Entry::StepEnds { added, memory, .. } => {
                restored.after.apply(&memory);
                restored.step_ends(added);
            }
            Entry::Ends => restored.is_done = true,
        }
    }
    restored
}

impl Restored {
    /// The number of the step that comes next, or goes on.
    pub(crate) fn next_step(&self) -> usize {
        self.steps.len()
    }

    /// The answers there are.
    pub(crate) fn answers(&self) -> impl Iterator<Item = &StoredStep> {
        self.steps.iter().chain(self.half.iter().map(|half| &half.step))
    }

    fn answered(&mut self, answer: Answered, system: &mut Option<String>, tools: &mut Vec<ToolSpec>) {
        if let Some(changed) = &answer.system {
            *system = changed.clone();
        }
        if let Some(changed) = &answer.tools {
            *tools = changed.clone();
        }
        self.history.extend(answer.added.iter().cloned());
        self.after.apply(&answer.memory);
        self.before = self.after.clone();
        let step = StoredStep {
            system: system.clone(),
            tools: tools.clone(),
            history_length: self.history.len(),
            results: Vec::new(),
            answer: Rc::new(answer),
        };
        self.half = Some(HalfStep { step, begun: Vec::new() });
    }

    fn call_ends(&mut self, end: CallEnd) {
        self.after.apply(&end.memory);
        self.parts.remove(&end.tool_call_id);
        let Some(half) = &mut self.half else { return };
        half.begun.retain(|place| *place != end.place);
        let place = half.step.results.partition_point(|known| known.place < end.place);
        half.step.results.insert(place, Rc::new(end));
    }

    fn step_ends(&mut self, added: Vec<Rc<Message>>) {
        let Some(HalfStep { step, .. }) = self.half.take() else { return };
        self.history.extend(step.answer.said());
        self.history.extend(results_message(&step.results).map(Rc::new));
        self.history.extend(added);
        self.before = self.after.clone();
        self.parts.clear();
        self.steps.push(step);
    }
}

/// The message that carries the results back, as the step loop puts it together.
fn results_message(results: &[Rc<CallEnd>]) -> Option<Message> {
    let part = |result: &Rc<CallEnd>| ContentPart::ToolResult {
        tool_call_id: result.tool_call_id.clone(),
        tool_name: result.tool_name.clone(),
        output: result.output.clone(),
        agents: Rc::new([]),
        provider_options: None,
    };
    let parts: Vec<_> = results.iter().map(part).collect();
    (!parts.is_empty()).then(|| Message::parts(Role::Tool, parts))
}
