//! Restores the state of a prompt's run from its log.

use std::{collections::BTreeMap, rc::Rc};

use serde_json::value::RawValue;

use super::{
    entry::{AnswerEntry, CallEnd, CallError, Entry},
    memory::{Memory, MemoryChange},
    waiting_call::{CallPartName, WaitingCall},
};
use crate::chat::{ContentPart, Message, ToolResult, ToolSpec};

#[derive(Debug, Default)]
pub struct Restored {
    pub steps: Vec<StoredStep>,
    pub unfinished: Option<UnfinishedStep>,
    /// The conversation, up to the request of the unfinished step if there is one.
    pub history: Vec<Rc<Message>>,
    /// The memory at the last request, or after the last finished step: the state that the prompt function sees.
    pub before: Memory,
    /// The latest memory; differs from `before` when calls of the unfinished step are over.
    pub after: Memory,
    pub is_done: bool,
    /// Whether the last answer is complete, so that the conversation waits for its user.
    pub is_turn_over: bool,
    /// Whether the answer of the last turn is complete, and may not have been shown.
    pub is_unseen: bool,
    /// Whether the user has said something.
    pub has_turns: bool,
    /// How many messages at the end of the conversation the user has said since the last answer.
    pub unanswered: usize,
    /// The number of steps before the last turn of the user; 0 if it has none.
    pub turn_start: usize,
    /// Parts of unfinished calls, by call, then by digest and number.
    pub parts: BTreeMap<String, BTreeMap<(String, usize), CallPart>>,
}

#[derive(Clone, Debug)]
pub struct CallPart {
    /// `None`: it was in progress, and must not be repeated.
    pub outcome: Option<Result<Box<RawValue>, CallError>>,
}

#[derive(Clone, Debug)]
pub struct StoredStep {
    pub answer: Rc<AnswerEntry>,
    pub system: Option<String>,
    pub tools: Rc<[ToolSpec]>,
    pub history_length: usize,
    pub results: Vec<Rc<CallEnd>>,
}

#[derive(Clone, Debug)]
pub struct UnfinishedStep {
    pub step: StoredStep,
    /// The indices of calls that started, must not be repeated, and have no result.
    pub started: Vec<usize>,
}

/// Whether the log with this key is of a prompt that started before step `step` of the file's own prompt, or is that prompt's
/// own log.
pub fn is_log_before(key: &str, step: usize) -> bool {
    let first = key.strip_prefix('/').and_then(|rest| rest.split_once(':'));
    first.is_none_or(|(at, _)| at.parse::<usize>().is_ok_and(|at| at < step) || at == "-")
}

/// Restores the state from a log. `until` leaves out everything from this step on.
pub fn restore(entries: impl IntoIterator<Item = Entry>, until: Option<usize>) -> Restored {
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
                if answer.step == 0 && (!restored.steps.is_empty() || restored.unfinished.is_some()) {
                    // The run could not be resumed and was restarted.
                    (restored, system, tools) = Default::default();
                }
                restored.answered(*answer, &mut system, &mut tools);
            }
            Entry::CallBegins { place } => {
                if let Some(unfinished) = &mut restored.unfinished {
                    unfinished.started.push(place);
                }
            }
            Entry::CallEnds(end) => restored.call_ends(*end),
            Entry::Part { of, number, asked, outcome, memory } => {
                restored.after.apply(&memory);
                restored.parts.entry(of).or_default().insert((asked, number), CallPart { outcome });
            }
            Entry::Waits(call) => restored.remove_start(&call),
            // Decisions are read from all logs at once.
            Entry::Decided { .. } => {}
            Entry::Remembers { memory } => restored.remembers(&memory),
            Entry::StepEnds { added, ends_turn, memory, .. } => {
                restored.after.apply(&memory);
                restored.step_ends(added);
                (restored.is_turn_over, restored.is_unseen) = (ends_turn, ends_turn);
            }
            Entry::Said { added, memory } => restored.said(added, &memory),
            // All of them are taken into account when the log is read.
            Entry::Chosen(_) | Entry::TakenBack { .. } | Entry::ToSay { .. } => {}
            Entry::Shown => restored.is_unseen = false,
            Entry::Ends => {
                // The last step ends with the run.
                restored.step_ends(Vec::new());
                (restored.is_done, restored.is_unseen) = (true, false);
            }
        }
    }
    restored
}

impl Restored {
    pub fn next_step(&self) -> usize {
        self.steps.len()
    }

    pub fn answers(&self) -> impl Iterator<Item = &StoredStep> {
        self.steps.iter().chain(self.unfinished.iter().map(|unfinished| &unfinished.step))
    }

    fn answered(&mut self, answer: AnswerEntry, system: &mut Option<String>, tools: &mut Rc<[ToolSpec]>) {
        if let Some(changed) = &answer.system {
            *system = changed.clone();
        }
        if let Some(changed) = &answer.tools {
            *tools = changed.as_slice().into();
        }
        self.history.extend(answer.added.iter().cloned());
        self.unanswered = 0;
        self.after.apply(&answer.memory);
        self.before = self.after.clone();
        let step = StoredStep {
            system: system.clone(),
            tools: tools.clone(),
            history_length: self.history.len(),
            results: Vec::new(),
            answer: Rc::new(answer),
        };
        self.unfinished = Some(UnfinishedStep { step, started: Vec::new() });
        (self.is_turn_over, self.is_unseen) = (false, false);
    }

    fn said(&mut self, added: Vec<Rc<Message>>, memory: &MemoryChange) {
        // The step before may have failed after its answer.
        self.step_ends(Vec::new());
        self.after.apply(memory);
        self.before = self.after.clone();
        self.unanswered += added.len();
        self.history.extend(added);
        self.turn_start = self.steps.len();
        (self.has_turns, self.is_done, self.is_turn_over, self.is_unseen) = (true, false, false, false);
    }

    fn remembers(&mut self, memory: &MemoryChange) {
        self.after.apply(memory);
        if self.unfinished.is_none() {
            self.before = self.after.clone();
        }
    }

    /// Removes the start of a call that turned out to wait for approval.
    fn remove_start(&mut self, call: &WaitingCall) {
        if let Some(CallPartName { of, asked, number }) = &call.part {
            let Some(parts) = self.parts.get_mut(of) else { return };
            let place = (asked.clone(), *number);
            if parts.get(&place).is_some_and(|part| part.outcome.is_none()) {
                parts.remove(&place);
            }
        } else if let Some(unfinished) = &mut self.unfinished {
            let said = unfinished.step.answer.message.clone();
            let calls = said.iter().flat_map(|message| message.content_parts()).filter_map(|part| match part {
                ContentPart::ToolCall { tool_call_id, provider_executed: false, .. } => Some(tool_call_id),
                _ => None,
            });
            let waits: Vec<bool> = calls.map(|id| *id == call.call).collect();
            unfinished.started.retain(|place| !waits.get(*place).is_some_and(|waits| *waits));
        }
    }

    fn call_ends(&mut self, end: CallEnd) {
        self.after.apply(&end.memory);
        self.parts.remove(&end.tool_call_id);
        let Some(unfinished) = &mut self.unfinished else { return };
        unfinished.started.retain(|place| *place != end.place);
        let place = unfinished.step.results.partition_point(|known| known.place < end.place);
        unfinished.step.results.insert(place, Rc::new(end));
    }

    fn step_ends(&mut self, added: Vec<Rc<Message>>) {
        let Some(UnfinishedStep { step, .. }) = self.unfinished.take() else { return };
        self.history.extend(step.answer.message_as_written());
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
        // From text, as a store returns it.
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
    fn finished_steps_join_the_conversation_and_an_unfinished_one_resumes() {
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
        // By index, not in the order they ended.
        let order: Vec<_> = restored.steps[0].results.iter().map(|end| end.tool_call_id.as_str()).collect();
        assert_eq!(order, ["a", "b"]);
        let unfinished = restored.unfinished.as_ref().unwrap();
        assert_eq!((unfinished.started.as_slice(), unfinished.step.results.len()), ([0].as_slice(), 1));
        assert_eq!((state(&restored.before, "n"), state(&restored.after, "n")), ("2".into(), "3".into()));
    }

    #[test]
    fn restoring_an_earlier_step_leaves_out_later_entries() {
        let lines = [
            answered(0, json!({ "n": { "value": 1 } }), &[]),
            json!({ "step-ends": { "step": 0, "memory": { "states": { "n": { "value": 2 } } } } }),
            answered(1, json!({ "n": { "lost": "it holds a function" } }), &[]),
            json!("ends"),
        ];
        let restored = restore(log(&lines), Some(1));
        assert_eq!((restored.next_step(), restored.is_done, restored.unfinished.is_none()), (1, false, true));
        assert_eq!(state(&restored.before, "n"), "2");
        assert_eq!(restored.after.lost().count(), 0);
        let whole = restore(log(&lines), None);
        assert_eq!((whole.is_done, whole.after.lost().count()), (true, 1));
        assert_eq!((whole.steps.len(), whole.history.len(), whole.unfinished.is_none()), (2, 2, true));
    }

    #[test]
    fn a_restarted_run_has_nothing_of_the_first() {
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
        let kept: Vec<_> = keys.into_iter().filter(|key| is_log_before(key, 3)).collect();
        assert_eq!(kept, keys[..4]);
    }
}
