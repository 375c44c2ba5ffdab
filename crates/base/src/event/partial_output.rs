//! The events `output-partial` (docs/reference/events.md): the answer of a file with `output` while it comes.

use serde_json::{Value, json};

use super::{
    Event, EventKind, OutputEvent,
    json::{Body, Line},
};
use crate::{
    answer::{PartialAnswer, PartialValue, SizeBudget, extends},
    chat::{FinishReason, StreamPart},
};

/// Each event has the whole value so far. Those of an answer are at most this long together, without the last one.
const BUDGET: SizeBudget = SizeBudget::new(64 << 10, 15);

/// Makes the lines of the events from the other events of a run.
pub struct PartialOutputs {
    /// `None` for a file without `output`.
    answer: Option<PartialAnswer>,
    budget: SizeBudget,
    /// Replaces secrets in a value.
    redact: Box<dyn Fn(&mut Value)>,
    /// The last value of this answer, without secrets.
    shown: Option<Value>,
    /// A newer one that waits for the end of the answer.
    held: Option<Value>,
}

impl PartialOutputs {
    pub fn new(redact: impl Fn(&mut Value) + 'static) -> Self {
        PartialOutputs { answer: None, budget: BUDGET, redact: Box::new(redact), shown: None, held: None }
    }

    /// The line that belongs to an event, without the newline: after a piece of text, and before the end of a step.
    pub fn line(&mut self, event: &Event<'_>) -> Option<String> {
        if !event.agent.is_root() {
            return None;
        }
        if let EventKind::Output(OutputEvent::Expected(shape)) = event.kind {
            self.answer = Some(PartialAnswer::new(shape.clone()));
        }
        let answer = self.answer.as_mut()?;
        let value = match event.kind {
            EventKind::StepStart { .. } => {
                answer.begin();
                (self.budget, self.shown, self.held) = (BUDGET, None, None);
                None
            }
            EventKind::Stream(part) => match &**part {
                StreamPart::TextDelta { delta, .. } => {
                    answer.push(delta);
                    next_value(answer, &mut self.budget)
                }
                _ => None,
            },
            // Text before calls of tools is no answer.
            EventKind::StepFinish { step, .. } if step.tool_results.is_empty() => {
                answer.finish(step.output.finish_reason == FinishReason::Length)
            }
            _ => None,
        };
        if let Some(value) = value {
            let value = self.held.insert(value.value.clone());
            (self.redact)(value);
        }
        let is_end = matches!(event.kind, EventKind::StepFinish { .. });
        let shown = self.shown.as_ref();
        // Of a secret that comes in pieces, the first ones were shown.
        let value = self.held.take_if(|value| shown.is_none_or(|shown| is_end || extends(shown, value)))?;
        if shown == Some(&value) {
            return None;
        }
        let body = Body::Other(json!({ "output": self.shown.insert(value) }));
        Line::write(event.run(), event.time(), event.agent, "output-partial", body)
    }
}

fn next_value<'a>(answer: &'a mut PartialAnswer, budget: &mut SizeBudget) -> Option<&'a PartialValue> {
    let size = answer.next_size().filter(|size| budget.allows(*size))?;
    budget.spend(size);
    answer.take_value()
}
