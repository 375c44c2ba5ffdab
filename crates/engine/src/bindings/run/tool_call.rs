//! Answers a tool call of a step: by code mode, an agent or a function.

use futures_util::FutureExt;
use rquickjs::{Ctx, Result, Value};

use crate::{
    bindings::{
        agents,
        code_mode::functions,
        mcp,
        prompt::{
            entry::{Entry, Registry},
            object::PromptObject,
        },
        resume, tools,
    },
    prompt::{DefinitionKind, StepPlan, ToolAnswer, ToolMaker},
};
use lmthing_base::chat::ToolCall;
use lmthing_node::{PendingAnswer, PendingAnswerGuard, location_of_function};

pub(super) async fn answer<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    call: &ToolCall,
    plan: &StepPlan,
) -> Result<ToolAnswer> {
    let execution = tools::execution::create(ctx, prompt, &call.tool_call_id, &plan.messages)?;
    let is_defined = prompt.borrow().core.prompt.borrow().tool(&call.tool_name).is_some();
    if !is_defined {
        // A step that another process began was not prepared in this one.
        mcp::tools::update_servers(ctx, prompt).await?;
    }
    let (definition, entry) = {
        let prompt = prompt.borrow();
        let definition = prompt.core.prompt.borrow().tool(&call.tool_name).cloned();
        let kind = definition.as_ref().map_or(DefinitionKind::DefTool, |tool| tool.kind);
        (definition, prompt.bag.entry(Registry::Tools, Registry::key(kind, &call.tool_name)))
    };
    let agent = definition.as_ref().is_some_and(|tool| tool.kind == DefinitionKind::DefAgent);
    // Boxed, so that the call of a plain tool does not move futures as large as an agent's.
    Ok(match (definition, entry) {
        (Some(tool), _) if tool.maker == ToolMaker::CodeMode => {
            functions::run_tool_code(ctx, prompt, call, plan, execution).boxed_local().await
        }
        (Some(_), Some(entry)) if agent => agents::call::call_agent(ctx, prompt, &entry, call).boxed_local().await,
        (Some(_), Some(entry)) => answer_tool(ctx, prompt, &entry, call, execution).await,
        (Some(tool), None) if tool.provider_tool.is_some() => ToolAnswer::failed(call, no_else(call, tool.kind)),
        _ => ToolAnswer::failed(call, format!("{} is not defined any more", call.tool_name)),
    })
}

async fn answer_tool<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    entry: &Entry<'js>,
    call: &ToolCall,
    execution: Value<'js>,
) -> ToolAnswer {
    let location = match entry {
        Entry::Single(callable) => location_of_function(ctx, &callable.execute),
        Entry::Composite(_) => None,
    };
    let responder = format!("the tool {}", call.tool_name);
    let _pending = PendingAnswerGuard::new(ctx, PendingAnswer { responder, location });
    let answer = tools::call::call_tool(ctx, prompt, entry, call, execution);
    resume::within_call(ctx, prompt, &call.tool_call_id, answer).await
}

/// The model called a tool of the provider as one of ours.
fn no_else(call: &ToolCall, kind: DefinitionKind) -> String {
    format!("{} has no function 'else' ({}), and the provider has not run the call", call.tool_name, kind.method())
}
