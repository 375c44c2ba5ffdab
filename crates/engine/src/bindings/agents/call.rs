//! Calls of tools made with `defAgent` (docs/reference/agents.md).

use rquickjs::Ctx;

use super::child::{AgentAnswer, run_agent};
use crate::{
    bindings::{
        prompt::{
            entry::{Callable, Entry, Item},
            object::PromptObject,
        },
        tools::{Label, call::sub_calls},
        values::from_tool_input,
    },
    prompt::ToolAnswer,
};
use lmthing_base::chat::{AgentRun, ToolCall, ToolOutput};

/// A failure becomes the answer of the call; it never ends the run.
pub(crate) async fn call_agent<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    entry: &Entry<'js>,
    call: &ToolCall,
) -> ToolAnswer {
    match entry {
        Entry::Single(callable) => call_single(ctx, parent, callable, call).await,
        Entry::Composite(items) => call_composite(ctx, parent, items, call).await,
    }
}

async fn call_single<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    callable: &Callable<'js>,
    call: &ToolCall,
) -> ToolAnswer {
    let label =
        Label { noun: "agent", name: &call.tool_name, of: None, tool_call_id: Some(&call.tool_call_id), part: None };
    let AgentAnswer { response, validation_error, steps, key, .. } =
        match run_agent(ctx, parent, callable, label, from_tool_input(ctx, &call.input)).await {
            Ok(answer) => answer,
            Err(error) => return ToolAnswer::failed(call, error.0),
        };
    let output = match validation_error {
        None => ToolOutput::Text(response),
        Some(problem) => ToolOutput::Json(serde_json::json!({ "response": response, "validationError": problem })),
    };
    ToolAnswer::new(call.input.clone(), output).by_agents(vec![AgentRun { result: None, steps, key }])
}

/// Runs the sub-agents one after another. A failure becomes the response of its own call.
async fn call_composite<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    items: &[Item<'js>],
    call: &ToolCall,
) -> ToolAnswer {
    let calls = match sub_calls(ctx, call) {
        Ok(calls) => calls,
        Err(error) => return ToolAnswer::failed(call, error.0),
    };
    let mut results = Vec::with_capacity(calls.len());
    let mut agents = Vec::new();
    for (name, args) in calls {
        let failed = |message: String| serde_json::json!({ "name": name, "response": format!("Error: {message}") });
        let Some(item) = items.iter().find(|item| item.name == name) else {
            results.push(failed(format!("Unknown sub-agent: {name}")));
            continue;
        };
        let part = Some(results.len() as u64);
        let label = Label {
            noun: "sub-agent",
            name: &name,
            of: Some(&call.tool_name),
            tool_call_id: Some(&call.tool_call_id),
            part,
        };
        results.push(match run_agent(ctx, parent, &item.callable, label, Ok(args)).await {
            Ok(AgentAnswer { response, validation_error, steps, key, .. }) => {
                agents.push(AgentRun { result: Some(results.len()), steps, key });
                let mut result = serde_json::json!({ "name": name, "response": response });
                if let Some(problem) = validation_error {
                    result["validationError"] = problem.into();
                }
                result
            }
            Err(error) => failed(error.0),
        });
    }
    let output = ToolOutput::Json(serde_json::json!({ "results": results }));
    ToolAnswer::new(call.input.clone(), output).by_agents(agents)
}
