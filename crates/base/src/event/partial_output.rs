//! The events `output-partial` (docs/reference/events.md): the answer of a file with `output` while it comes.

use serde_json::json;

use super::{
    Event, EventKind, OutputEvent,
    json::{Body, Line},
};
use crate::{
    answer::{PartialAnswer, PartialValue, SizeBudget},
    chat::{FinishReason, StreamPart},
};

/// Each event has the whole value so far. Those of an answer are at most this long together, without the last one.
const BUDGET: SizeBudget = SizeBudget::new(64 << 10, 15);

/// Makes the lines of the events from the other events of a run.
#[derive(Default)]
pub struct PartialOutputs {
    /// `None` for a file without `output`.
    answer: Option<PartialAnswer>,
    budget: SizeBudget,
}

impl PartialOutputs {
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
                self.budget = BUDGET;
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
        let body = Body::Other(json!({ "output": value?.value }));
        Line::write(event.run(), event.time(), event.agent, "output-partial", body)
    }
}

fn next_value<'a>(answer: &'a mut PartialAnswer, budget: &mut SizeBudget) -> Option<&'a PartialValue> {
    let size = answer.next_size().filter(|size| budget.allows(*size))?;
    budget.spend(size);
    answer.take_value()
}
