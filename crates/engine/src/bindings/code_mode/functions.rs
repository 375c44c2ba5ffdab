//! `defFunction` and `defFunctionAgent`: functions for the code of `runToolCode` (docs/reference/code-mode.md).

use rquickjs::{Ctx, Result, Value};

use super::{
    declare::{declared_functions, register},
    run_code::{CodeSnippet, run_code},
    search,
};
use crate::{
    bindings::{
        prompt::{call::Call, core::Core, entry::Registry, object::PromptObject},
        tools::define::named_entry,
        values::{message_of, type_error},
    },
    plugin::run_tool_code,
    prompt::{ActiveSet, DefinitionKind, StepPlan, ToolAnswer, ToolDefinition, ToolMaker},
};
use lmthing_base::chat::{ToolCall, ToolOutput};

/// `defFunction(name, description, inputSchema, execute, options?)`, or with `[func(…), …]` in place of the last three
/// arguments for a namespace. The name must be a TypeScript identifier.
pub(crate) fn def_function(call: Call<'_>) -> Result<Value<'_>> {
    define(&call, DefinitionKind::DefFunction, "func")
}

/// `defFunctionAgent(name, description, inputSchema, (args, child) => …, options?)`, or with `[funcAgent(…), …]`:
/// functions that run a child prompt.
pub(crate) fn def_function_agent(call: Call<'_>) -> Result<Value<'_>> {
    define(&call, DefinitionKind::DefFunctionAgent, "funcAgent")
}

fn define<'js>(call: &Call<'js>, kind: DefinitionKind, helper: &str) -> Result<Value<'js>> {
    let named = named_entry(call, kind, helper)?;
    let reference = register(call, kind, Registry::Functions, named)?;
    define_tool(&call.ctx, &call.core)?;
    Ok(reference)
}

pub(crate) fn define_tool(ctx: &Ctx<'_>, core: &Core) -> Result<()> {
    let tool = ToolDefinition {
        maker: ToolMaker::CodeMode,
        ..ToolDefinition::new(DefinitionKind::DefTool, run_tool_code::DESCRIPTION)
    };
    let defined = core.prompt.borrow_mut().define_tool(run_tool_code::NAME, tool);
    defined.map_err(|error| type_error(ctx, error.to_string()))
}

pub(crate) fn section(ctx: &Ctx<'_>, core: &Core, active: &ActiveSet) -> Result<Option<(String, String)>> {
    if active.functions.is_empty() {
        return Ok(None);
    }
    let is_active = |name: &str| active.functions.iter().any(|active| active == name);
    let text = match search::section_text(ctx, core, &active.functions)? {
        Some(text) => text,
        None => {
            run_tool_code::section_text(declared_functions(core, DefinitionKind::DefFunction, is_active).text(ctx)?)
        }
    };
    Ok(Some((run_tool_code::SECTION.to_owned(), text)))
}

pub(crate) async fn run_tool_code<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    call: &ToolCall,
    plan: &StepPlan,
    execution: Value<'js>,
) -> ToolAnswer {
    let Some(code) = call.input.value().get("code").and_then(serde_json::Value::as_str) else {
        return ToolAnswer::failed(call, "Invalid input for tool runToolCode: it takes {code}, a string of TypeScript");
    };
    let code = CodeSnippet { text: code, tool_call_id: Some(&call.tool_call_id) };
    let ran = run_code(ctx, prompt, Registry::Functions, &plan.active.functions, code, execution).await;
    let output = match ran.outcome {
        Ok(outcome) => ToolOutput::Json(outcome.to_value()),
        Err(error) => ToolOutput::error(message_of(ctx, error)),
    };
    ToolAnswer::new(call.input.clone(), output).by_agents(ran.agents)
}
