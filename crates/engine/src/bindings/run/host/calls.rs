//! Answers of tool calls.

use futures_util::FutureExt;
use rquickjs::{Result, Value};

use super::ScriptPrompt;
use crate::{
    bindings::{
        agents,
        code_mode::functions,
        mcp,
        prompt::entry::{Entry, Registry},
        resume, tools,
    },
    prompt::{DefinitionKind, StepPlan, ToolAnswer, ToolMaker},
};
use lmthing_base::chat::ToolCall;
use lmthing_node::{PendingAnswer, PendingAnswerGuard, location_of_function};

impl<'js> ScriptPrompt<'js> {
    pub(super) async fn answer(&self, call: &ToolCall, plan: &StepPlan) -> Result<ToolAnswer> {
        let execution = tools::execution::create(&self.ctx, &self.prompt, &call.tool_call_id, &plan.messages)?;
        if self.core.prompt.borrow().tool(&call.tool_name).is_none() {
            // A step that another process began was not prepared in this one.
            mcp::tools::update_servers(&self.ctx, &self.prompt).await?;
        }
        let (definition, entry) = {
            let prompt = self.prompt.borrow();
            let definition = prompt.core.prompt.borrow().tool(&call.tool_name).cloned();
            let kind = definition.as_ref().map_or(DefinitionKind::DefTool, |tool| tool.kind);
            (definition, prompt.bag.entry(Registry::Tools, Registry::key(kind, &call.tool_name)))
        };
        let agent = definition.as_ref().is_some_and(|tool| tool.kind == DefinitionKind::DefAgent);
        // Boxed, so that the call of a plain tool does not move futures as large as an agent's.
        Ok(match (definition, entry) {
            (Some(tool), _) if tool.maker == ToolMaker::CodeMode => {
                functions::run_tool_code(&self.ctx, &self.prompt, call, plan, execution).boxed_local().await
            }
            (Some(_), Some(entry)) if agent => {
                agents::call::call_agent(&self.ctx, &self.prompt, &entry, call).boxed_local().await
            }
            (Some(_), Some(entry)) => self.answer_tool(&entry, call, execution).await,
            (Some(tool), None) if tool.provider_tool.is_some() => ToolAnswer::failed(call, no_else(call, tool.kind)),
            _ => ToolAnswer::failed(call, format!("{} is not defined any more", call.tool_name)),
        })
    }

    async fn answer_tool(&self, entry: &Entry<'js>, call: &ToolCall, execution: Value<'js>) -> ToolAnswer {
        let location = match entry {
            Entry::Single(callable) => location_of_function(&self.ctx, &callable.execute),
            Entry::Composite(_) => None,
        };
        let _pending = PendingAnswerGuard::new(
            &self.ctx,
            PendingAnswer { responder: format!("the tool {}", call.tool_name), location },
        );
        let answer = tools::call::call_tool(&self.ctx, &self.prompt, entry, call, execution);
        resume::within_call(&self.ctx, &self.prompt, &call.tool_call_id, answer).await
    }
}

/// The model called a tool of the provider as one of ours.
fn no_else(call: &ToolCall, kind: DefinitionKind) -> String {
    format!("{} has no function 'else' ({}), and the provider has not run the call", call.tool_name, kind.method())
}
