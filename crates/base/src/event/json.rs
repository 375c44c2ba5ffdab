//! Events as JSON, one object a line: the output of `run -f events` (docs/reference/events.md,
//! docs/events.schema.json).

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Agent, Event, EventKind, RunFinish, RunSummary};
use crate::chat::{StreamPart, ToolInput, ToolResult};

const RUN_FINISH: &str = "run-finish";

#[derive(Serialize)]
pub(super) struct Line<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    time: u64,
    run: &'a str,
    agent: AgentPath<'a>,
    /// Distinguishes agents with the same path.
    #[serde(rename = "agentNumber", skip_serializing_if = "is_zero")]
    number: u64,
    #[serde(flatten)]
    body: Body<'a>,
}

struct AgentPath<'a>(&'a Agent);

impl Serialize for AgentPath<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.path().iter().map(|name| &**name))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Deltas are many and have a variant of their own, which needs no tree of values.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Body<'a> {
    Delta { delta: &'a str },
    Other(Value),
}

impl Line<'_> {
    pub(super) fn write(run: &str, time: u64, agent: &Agent, kind: &str, body: Body<'_>) -> Option<String> {
        let line = Line { kind, time, run, agent: AgentPath(agent), number: agent.number(), body };
        // Serializing cannot fail: keys are strings and numbers are finite.
        serde_json::to_string(&line).ok()
    }
}

impl Event<'_> {
    /// The event in its public form, without the newline; `None` if it has none, as for deltas that a later event repeats as a
    /// whole. `summary` includes this event.
    pub fn to_line(&self, summary: &RunSummary) -> Option<String> {
        let (kind, body) = self.public(summary)?;
        Line::write(self.run(), self.time(), self.agent, kind, body)
    }

    /// The type of the event and its own fields, in the public form.
    pub(super) fn public(&self, summary: &RunSummary) -> Option<(&'static str, Body<'_>)> {
        Some(match self.kind {
            EventKind::Stream(part) => stream_part(part)?,
            EventKind::AnswerFinish { .. }
            | EventKind::Approval { .. }
            | EventKind::CodeConsole { .. }
            | EventKind::ToolProgress { .. }
            | EventKind::Notice { .. }
            | EventKind::PromptEnd
            | EventKind::Output(_) => return None,
            kind => other(kind, self, summary),
        })
    }
}

/// The line of the last event, for a thread that has no [`Event`]s. `time` is in milliseconds since 1970.
pub fn run_finish_line(run: &str, time: u64, summary: &RunSummary, end: &RunFinish) -> Option<String> {
    Line::write(run, time, &Agent::root(), RUN_FINISH, Body::Other(summary.to_json(end)))
}

fn stream_part(part: &StreamPart) -> Option<(&'static str, Body<'_>)> {
    match part {
        // An empty delta only carries metadata for the provider, such as a signature.
        StreamPart::TextDelta { delta, .. } if !delta.is_empty() => Some(("text-delta", Body::Delta { delta })),
        StreamPart::ReasoningDelta { delta, .. } if !delta.is_empty() => {
            Some(("reasoning-delta", Body::Delta { delta }))
        }
        StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, .. } => {
            let input = ToolInput::from_text(input);
            let mut body = json!({ "toolCallId": tool_call_id, "toolName": tool_name, "input": input.value() });
            if *provider_executed {
                body["providerExecuted"] = true.into();
            }
            Some(("tool-call", Body::Other(body)))
        }
        StreamPart::Source(source) => Some(("source", Body::Other(json!(source)))),
        _ => None,
    }
}

fn other<'a>(kind: &EventKind, event: &Event<'_>, summary: &RunSummary) -> (&'static str, Body<'a>) {
    let (name, body) = match kind {
        EventKind::RunStart { file, resumed: None } => ("run-start", json!({ "file": file })),
        EventKind::RunStart { file, resumed: Some(step) } => {
            ("run-start", json!({ "file": file, "resumed": true, "fromStep": step }))
        }
        EventKind::StepStart { step, model, .. } => ("step-start", json!({ "step": step, "model": &**model })),
        EventKind::ToolResult { result, took } => ("tool-result", tool_result(result, *took)),
        EventKind::StepFinish { number, step, model, took } => {
            let mut body = json!({
                "step": number,
                "model": &**model,
                "finishReason": step.output.finish_reason,
                "usage": step.usage,
                "cost": step.cost,
                "durationMs": millis(*took),
            });
            if let Some(cache) = &step.cache {
                body["cache"] = json!(cache);
            }
            ("step-finish", body)
        }
        EventKind::AgentStart => {
            let mut body = json!({ "name": event.agent.name() });
            if let Some(id) = event.agent.tool_call_id() {
                body["toolCallId"] = id.into();
            }
            if event.agent.parent() > 0 {
                body["parentNumber"] = event.agent.parent().into();
            }
            ("agent-start", body)
        }
        EventKind::AgentFinish { steps, took, error } => {
            let mut body = json!({ "name": event.agent.name(), "steps": steps, "durationMs": millis(*took) });
            if let Some(error) = error {
                body["error"] = error.as_str().into();
            }
            ("agent-finish", body)
        }
        EventKind::CodeCheck { ok, diagnostics, .. } => ("code-check", json!({ "ok": ok, "diagnostics": diagnostics })),
        EventKind::Warning { message } => ("warning", json!({ "message": message })),
        EventKind::Retry(retry) => ("retry", json!(retry)),
        EventKind::TakenBack { step } => ("taken-back", json!({ "step": step })),
        EventKind::RunFinish(end) => (RUN_FINISH, summary.to_json(end)),
        EventKind::Stream(_)
        | EventKind::AnswerFinish { .. }
        | EventKind::Approval { .. }
        | EventKind::CodeConsole { .. }
        | EventKind::ToolProgress { .. }
        | EventKind::Notice { .. }
        | EventKind::PromptEnd
        | EventKind::Output(_) => ("", Value::Null),
    };
    (name, Body::Other(body))
}

fn tool_result(result: &ToolResult, took: std::time::Duration) -> Value {
    let mut body = json!({
        "toolCallId": result.tool_call_id,
        "toolName": result.tool_name,
        "output": result.output.to_value(),
        "isError": result.output.is_error(),
        "durationMs": millis(took),
    });
    if result.provider_executed {
        body["providerExecuted"] = true.into();
    }
    body
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
