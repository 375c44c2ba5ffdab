//! Collects the steps and tool calls of a run from its events.

use std::{cell::RefCell, rc::Rc};

use serde_json::{Map, Value, json};

use crate::bindings::testing::run::runner::CallReport;
use lmthing_base::{
    chat::{AgentRun, ContentPart, Message, Role, Step, StreamPart, ToolInput, ToolOutput, ToolResult},
    event::{Event, EventKind, EventReader},
};

/// Clones share what they collect.
#[derive(Clone, Default)]
pub struct StepCollector(Rc<RefCell<Collected>>);

#[derive(Default)]
struct Collected {
    steps: Vec<Rc<Step>>,
    /// With the number of the agent, as several agents may have the same name.
    calls: Vec<(u64, CallReport)>,
}

/// The steps and calls of a run that has ended.
#[derive(Debug)]
pub struct CollectedSteps {
    /// Of the prompt itself.
    pub steps: Vec<Rc<Step>>,
    /// Of all prompts, in the order in which they were made.
    pub calls: Vec<CallReport>,
}

impl StepCollector {
    pub fn reader(&self) -> EventReader {
        let collected = self.0.clone();
        Rc::new(move |event: &Event<'_>| collected.borrow_mut().add(event))
    }

    pub fn take(&self) -> CollectedSteps {
        let Collected { steps, calls } = self.0.take();
        CollectedSteps { steps, calls: calls.into_iter().map(|(_, call)| call).collect() }
    }
}

impl Collected {
    fn add(&mut self, event: &Event<'_>) {
        match event.kind {
            EventKind::Stream(part) => {
                if let StreamPart::ToolCall { tool_call_id, tool_name, input, provider_executed, .. } = &**part {
                    let call = CallReport {
                        agent: event.agent.path().to_vec(),
                        tool_name: tool_name.clone(),
                        tool_call_id: tool_call_id.clone(),
                        input: ToolInput::from_text(input),
                        provider_executed: *provider_executed,
                        result: None,
                    };
                    self.calls.push((event.agent.number(), call));
                }
            }
            EventKind::ToolResult { result, .. } => self.add_result(event.agent.number(), result),
            EventKind::StepFinish { step, .. } if event.agent.is_root() => self.steps.push(step.clone()),
            _ => {}
        }
    }

    /// Results arrive in the order in which tools end. Some models give two calls the same id.
    fn add_result(&mut self, agent: u64, result: &Rc<ToolResult>) {
        let is_unanswered = |call: &&mut (u64, CallReport)| {
            call.0 == agent && call.1.result.is_none() && call.1.tool_call_id == result.tool_call_id
        };
        if let Some((_, call)) = self.calls.iter_mut().find(is_unanswered) {
            call.input = result.input.clone();
            call.result = Some(result.clone());
        }
    }
}

impl CollectedSteps {
    /// `{steps, toolCalls}` as in `run()` of `lmthing/test`.
    pub fn to_json(&self) -> Map<String, Value> {
        let calls = self.calls.iter().map(call_json).collect();
        let steps = steps_json(&self.steps);
        [("steps".to_owned(), steps), ("toolCalls".to_owned(), Value::Array(calls))].into_iter().collect()
    }
}

fn call_json(call: &CallReport) -> Value {
    let mut object = Map::new();
    object.insert("toolName".to_owned(), call.tool_name.clone().into());
    object.insert("toolCallId".to_owned(), call.tool_call_id.clone().into());
    object.insert("input".to_owned(), json!(call.input));
    if let Some(result) = &call.result {
        object.insert("output".to_owned(), output_json(&result.output, &result.agents));
    }
    if call.provider_executed {
        object.insert("providerExecuted".to_owned(), true.into());
    }
    let agent: Vec<&str> = call.agent.iter().map(|name| &**name).collect();
    object.insert("agent".to_owned(), agent.into());
    Value::Object(object)
}

fn steps_json(steps: &[Rc<Step>]) -> Value {
    let prompt = |step: &Step| step.prompt.to_vec().iter().map(|message| message_json(message)).collect::<Vec<_>>();
    let content = |step: &Step| {
        let parts = step.output.content();
        parts.iter().map(|part| part_json(part, Role::Assistant)).collect::<Vec<_>>()
    };
    let step = |step: &Rc<Step>| {
        json!({
            "input": { "prompt": prompt(step) },
            "output": { "content": content(step), "finishReason": step.output.finish_reason },
            "activeTools": step.active_tools,
        })
    };
    steps.iter().map(step).collect()
}

fn message_json(message: &Message) -> Value {
    let mut object = json!(message);
    if object["content"].is_array() {
        object["content"] =
            message.content_parts().iter().map(|part| part_json(part, message.role)).collect::<Vec<_>>().into();
    }
    object
}

/// A part of a message with the role `role`.
fn part_json(part: &ContentPart, role: Role) -> Value {
    let mut object = json!(part);
    if let ContentPart::ToolResult { output, agents, .. } = part {
        object["output"]["value"] = output_json(output, agents);
        if !agents.is_empty() {
            let steps: Vec<Rc<Step>> = agents.iter().flat_map(|agent| agent.steps.iter().cloned()).collect();
            object["agentSteps"] = steps_json(&steps);
        }
        // A result in an answer is one of the provider.
        if role == Role::Assistant {
            object["providerExecuted"] = true.into();
        }
    }
    object
}

/// The value of a tool result. Those of a composite agent have the steps of its children.
fn output_json(output: &ToolOutput, agents: &[AgentRun]) -> Value {
    let mut value = output.to_value();
    for agent in agents {
        let Some(place) = agent.result else { continue };
        let result = value.get_mut("results").and_then(|results| results.get_mut(place));
        let Some(result) = result.and_then(Value::as_object_mut) else { continue };
        // Set again so that it stays the last property.
        let problem = result.shift_remove("validationError");
        result.insert("steps".to_owned(), steps_json(&agent.steps));
        result.extend(problem.map(|problem| ("validationError".to_owned(), problem)));
    }
    value
}
