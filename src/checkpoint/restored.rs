//! A log put together again: the steps that are over, the one that is not, the conversation and the memory.

use std::{collections::BTreeMap, rc::Rc};

use serde_json::value::RawValue;

use super::{
    entry::{Answered, CallEnd, Entry},
    memory::{Memory, MemoryChange},
    waiting::{PartName, WaitingCall},
};
use crate::chat::{ContentPart, Message, ToolResult, ToolSpec};

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
    /// Parts of calls that are not over, by call, by what they asked for and how many had asked for the same before.
    pub parts: BTreeMap<String, BTreeMap<(String, usize), Part>>,
}

/// A part of a call.
#[derive(Clone, Debug)]
pub(crate) struct Part {
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
    pub tools: Rc<[ToolSpec]>,
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

/// Whether the log with this key is of a prompt that began to work for the file's own before its step `step`, or is that
/// prompt's own log.
pub(crate) fn is_before(key: &str, step: usize) -> bool {
    let first = key.strip_prefix('/').and_then(|rest| rest.split_once(':'));
    first.is_none_or(|(at, _)| at.parse::<usize>().is_ok_and(|at| at < step) || at == "-")
}

/// Puts the log of one prompt together. `until` leaves out everything from this step on.
pub(crate) fn restore(entries: impl IntoIterator<Item = Entry>, until: Option<usize>) -> Restored {
    let mut restored = Restored::default();
    let mut system = None;
    let mut tools: Rc<[ToolSpec]> = Rc::default();
    for entry in entries {
        if until.is_some_and(|until| restored.steps.len() >= until) {
            break;
        }
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
                restored.parts.entry(of).or_default().insert((asked, number), Part { outcome });
            }
            Entry::Waits(call) => restored.has_not_begun(&call),
            // What was decided is looked for in all logs at once.
            Entry::Decided { .. } => {}
            Entry::Remembers { memory } => restored.remembers(&memory),
            Entry::StepEnds { added, memory, .. } => {
                restored.after.apply(&memory);
                restored.step_ends(added);
            }
            Entry::Ends => {
                // The last step ends with the run.
                restored.step_ends(Vec::new());
                restored.is_done = true;
            }
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

    fn answered(&mut self, answer: Answered, system: &mut Option<String>, tools: &mut Rc<[ToolSpec]>) {
        if let Some(changed) = &answer.system {
            *system = changed.clone();
        }
        if let Some(changed) = &answer.tools {
            *tools = changed.as_slice().into();
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

    fn remembers(&mut self, memory: &MemoryChange) {
        self.after.apply(memory);
        if self.half.is_none() {
            self.before = self.after.clone();
        }
    }

    /// What is said of a call before it is known that it waits.
    fn has_not_begun(&mut self, call: &WaitingCall) {
        if let Some(PartName { of, asked, number }) = &call.part {
            let Some(parts) = self.parts.get_mut(of) else { return };
            let place = (asked.clone(), *number);
            if parts.get(&place).is_some_and(|part| part.outcome.is_none()) {
                parts.remove(&place);
            }
        } else if let Some(half) = &mut self.half {
            let said = half.step.answer.message.clone();
            let calls = said.iter().flat_map(|message| message.content_parts()).filter_map(|part| match part {
                ContentPart::ToolCall { tool_call_id, .. } => Some(tool_call_id),
                _ => None,
            });
            let waits: Vec<bool> = calls.map(|id| *id == call.call).collect();
            half.begun.retain(|place| !waits.get(*place).is_some_and(|waits| *waits));
        }
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
        let results: Vec<_> = step.results.iter().map(|end| end.result()).collect();
        self.history.extend(ToolResult::message(&results).map(Rc::new));
        self.history.extend(added);
        self.before = self.after.clone();
        self.parts.clear();
        self.steps.push(step);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn log(lines: &[serde_json::Value]) -> Vec<Entry> {
        // From text, as it comes out of a store.
        lines.iter().map(|line| serde_json::from_str(&line.to_string()).unwrap()).collect()
    }

    fn answered(step: usize, states: serde_json::Value, calls: &[&str]) -> serde_json::Value {
        let call = |id: &&str| json!({ "type": "tool-call", "toolCallId": id, "toolName": "t", "input": {} });
        let content: Vec<_> = calls.iter().map(call).collect();
        json!({ "answered": {
            "step": step, "active": { "tools": ["t"] }, "finishReason": "tool-calls", "cost": 0.5, "provider": "mock",
            "modelId": "mock", "usage": { "inputTokens": 1, "outputTokens": 2, "totalTokens": 3 },
            "message": { "role": "assistant", "content": content },
            "memory": { "states": states },
        } })
    }

    fn call_ends(place: usize, id: &str, states: serde_json::Value) -> serde_json::Value {
        json!({ "call-ends": {
            "place": place, "toolCallId": id, "toolName": "t", "input": {}, "output": { "type": "text", "value": id },
            "memory": { "states": states },
        } })
    }

    fn state(restored: &Memory, name: &str) -> String {
        let text = serde_json::to_value(&restored.states[name]).unwrap();
        text["value"].to_string()
    }

    #[test]
    fn a_step_that_is_over_is_part_of_the_conversation_and_one_that_is_not_goes_on() {
        let mut lines = vec![
            answered(0, json!({ "n": { "value": 1 } }), &["a", "b"]),
            call_ends(1, "b", json!({})),
            call_ends(0, "a", json!({ "n": { "value": 2 } })),
        ];
        lines.push(json!({ "step-ends": { "step": 0, "memory": {} } }));
        lines.push(answered(1, json!({}), &["a", "b"]));
        lines.push(json!({ "call-begins": { "place": 0 } }));
        lines.push(json!({ "call-begins": { "place": 1 } }));
        lines.push(call_ends(1, "b", json!({ "n": { "value": 3 } })));
        let restored = restore(log(&lines), None);
        assert_eq!((restored.steps.len(), restored.history.len(), restored.next_step()), (1, 2, 1));
        // By place, whichever ended first.
        let order: Vec<_> = restored.steps[0].results.iter().map(|end| end.tool_call_id.as_str()).collect();
        assert_eq!(order, ["a", "b"]);
        let half = restored.half.as_ref().unwrap();
        assert_eq!((half.begun.as_slice(), half.step.results.len()), ([0].as_slice(), 1));
        assert_eq!((state(&restored.before, "n"), state(&restored.after, "n")), ("2".into(), "3".into()));
    }

    #[test]
    fn an_earlier_step_leaves_out_what_came_later() {
        let lines = [
            answered(0, json!({ "n": { "value": 1 } }), &[]),
            json!({ "step-ends": { "step": 0, "memory": { "states": { "n": { "value": 2 } } } } }),
            answered(1, json!({ "n": { "lost": "it holds a function" } }), &[]),
            json!("ends"),
        ];
        let restored = restore(log(&lines), Some(1));
        assert_eq!((restored.next_step(), restored.is_done, restored.half.is_none()), (1, false, true));
        assert_eq!(state(&restored.before, "n"), "2");
        assert_eq!(restored.after.lost().count(), 0);
        let whole = restore(log(&lines), None);
        assert_eq!((whole.is_done, whole.after.lost().count()), (true, 1));
        assert_eq!((whole.steps.len(), whole.history.len(), whole.half.is_none()), (2, 2, true));
    }

    #[test]
    fn a_run_that_began_once_more_has_nothing_of_the_first() {
        let lines = [
            answered(0, json!({ "n": { "value": 1 } }), &["a"]),
            call_ends(0, "a", json!({})),
            json!({ "step-ends": { "step": 0, "memory": {} } }),
            answered(0, json!({ "m": { "value": 2 } }), &[]),
        ];
        let restored = restore(log(&lines), None);
        assert_eq!((restored.next_step(), restored.history.len()), (0, 0));
        assert_eq!(restored.after.states.keys().collect::<Vec<_>>(), ["m"]);
    }

    #[test]
    fn logs_of_agents_belong_to_a_step() {
        let keys = ["", "/-:p#0", "/2:a@call_1#0", "/2:a@call_1#0/7:b#0", "/3:a@call_1#0"];
        let kept: Vec<_> = keys.into_iter().filter(|key| is_before(key, 3)).collect();
        assert_eq!(kept, keys[..4]);
    }
}
