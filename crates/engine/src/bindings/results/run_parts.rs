//! Parts of `result.textStream` and `result.fullStream` as JavaScript values (docs/reference/results.md).

use rquickjs::{Ctx, IntoJs, Object, Result, Value};
use serde_json::json;

use crate::{
    bindings::values::{from_json, from_serde, from_tool_input, steps},
    prompt::RunRecord,
};
use lmthing_base::{
    chat::{StreamPart, ToolInput},
    event::EventKind,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    Text,
    Full,
}

/// Returns `None` for a part that the stream does not show.
pub(crate) fn part_to_js<'js>(ctx: &Ctx<'js>, part: &EventKind, kind: PartKind) -> Result<Option<Value<'js>>> {
    if kind == PartKind::Text {
        return match part {
            EventKind::Stream(part) => match &**part {
                // An empty delta only carries provider data such as a signature.
                StreamPart::TextDelta { delta, .. } if !delta.is_empty() => delta.as_str().into_js(ctx).map(Some),
                _ => Ok(None),
            },
            _ => Ok(None),
        };
    }
    match part {
        // Replaced by `run_end`, once it is known that the run did not fail.
        EventKind::PromptEnd => Ok(None),
        EventKind::StepStart { step, .. } => {
            from_json(ctx, &json!({ "type": "start-step", "stepNumber": step })).map(Some)
        }
        EventKind::Stream(part) => stream_part(ctx, part),
        EventKind::ToolResult { result, .. } => Ok(Some(steps::tool_result(ctx, result)?.into_value())),
        EventKind::StepFinish { step, .. } => {
            let object = Object::new(ctx.clone())?;
            object.set("type", "finish-step")?;
            object.set("finishReason", steps::finish_reason(step.output.finish_reason))?;
            object.set("usage", from_serde(ctx, &step.usage)?)?;
            object.set("cost", from_serde(ctx, &step.cost)?)?;
            object.set("response", from_serde(ctx, &step.response)?)?;
            Ok(Some(object.into_value()))
        }
        // Not part of a record.
        _ => Ok(None),
    }
}

pub(crate) fn run_end<'js>(ctx: &Ctx<'js>, record: &RunRecord, kind: PartKind) -> Result<Option<Value<'js>>> {
    if kind == PartKind::Text {
        return Ok(None);
    }
    let object = Object::new(ctx.clone())?;
    object.set("type", "finish")?;
    object.set("finishReason", steps::finish_reason(record.finish_reason()))?;
    object.set("totalUsage", from_serde(ctx, &record.total_usage())?)?;
    object.set("totalCost", from_serde(ctx, &record.total_cost())?)?;
    Ok(Some(object.into_value()))
}

/// Converts to the names of `fullStream`: deltas carry `text`, tool calls parsed `input`.
fn stream_part<'js>(ctx: &Ctx<'js>, part: &StreamPart) -> Result<Option<Value<'js>>> {
    let shown = match part {
        // Their content is in `finish-step` and `finish`, and that of a result in an event of its own.
        StreamPart::StreamStart { .. }
        | StreamPart::ResponseMetadata(_)
        | StreamPart::Finish { .. }
        | StreamPart::ToolResult { .. } => {
            return Ok(None);
        }
        StreamPart::Source(source) => steps::source_part(source),
        StreamPart::TextDelta { id, delta, .. } => json!({ "type": "text-delta", "id": id, "text": delta }),
        StreamPart::ReasoningDelta { id, delta, .. } => json!({ "type": "reasoning-delta", "id": id, "text": delta }),
        StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, .. } => {
            let object = Object::new(ctx.clone())?;
            object.set("type", "tool-call")?;
            object.set("toolCallId", tool_call_id.as_str())?;
            object.set("toolName", tool_name.as_str())?;
            object.set("input", from_tool_input(ctx, &ToolInput::from_text(input))?)?;
            if *provider_executed {
                object.set("providerExecuted", true)?;
            }
            return Ok(Some(object.into_value()));
        }
        other => return from_serde(ctx, other).map(Some),
    };
    from_json(ctx, &shown).map(Some)
}
