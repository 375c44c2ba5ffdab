//! `searchFunctions`: defined when the declarations of all functions exceed the prompt's budget
//! (docs/reference/mcp-client.md).

use std::rc::Rc;

use rquickjs::{Class, Ctx, Function, Result, Value, function::Opt};

use super::declare::declared_functions;
use crate::{
    bindings::{
        prompt::{
            core::Core,
            entry::{CallOptions, Callable, Entry, Registry},
            object::PromptObject,
        },
        tools::execution::ToolExecution,
        values::{
            property,
            schema::{PlainSchema, Schema},
            type_error,
        },
    },
    plugin::{run_tool_code, search_functions},
    prompt::{DefinitionKind, FunctionDefinition, ToolDefinition},
};
use lmthing_node::string_text;
use lmthing_typescript::code::{Declaration, Declarations, FunctionSignature, search};

/// Bytes of the section's tags, and of what surrounds each tool in a request.
const FRAME: usize = 80;

/// Defines the tool and the function if there are more functions than the next step may show.
pub(crate) fn define_if_needed<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let core = prompt.borrow().core.clone();
    let is_known =
        core.prompt.borrow().functions(DefinitionKind::DefFunction).any(|(name, _)| name == search_functions::NAME);
    // The author may have defined a function of that name.
    if is_known || core.prompt.borrow().functions(DefinitionKind::DefFunction).next().is_none() {
        return Ok(());
    }
    let all = declared_functions(&core, DefinitionKind::DefFunction, |_| true);
    if all.text(ctx)?.len() <= prompt_bytes(&core) {
        return Ok(());
    }
    let refused = |error: &dyn std::fmt::Display| type_error(ctx, error.to_string());
    let declaration = Rc::new(Declaration::Function(signature()));
    let definition = FunctionDefinition { kind: DefinitionKind::DefFunction, declaration };
    let tool = ToolDefinition::new(DefinitionKind::DefTool, search_functions::DESCRIPTION);
    {
        let mut definitions = core.prompt.borrow_mut();
        definitions.define_function(search_functions::NAME, definition).map_err(|error| refused(&error))?;
        if definitions.tool(search_functions::NAME).is_none() {
            definitions.define_tool(search_functions::NAME, tool).map_err(|error| refused(&error))?;
            prompt.borrow().bag.set_entry(
                Registry::Tools,
                search_functions::NAME,
                entry(ctx, search_functions::input_schema())?,
            );
        }
    }
    prompt.borrow().bag.set_entry(
        Registry::Functions,
        search_functions::NAME,
        entry(ctx, search_functions::code_schema())?,
    );
    Ok(())
}

fn signature() -> FunctionSignature {
    FunctionSignature {
        name: search_functions::NAME.to_owned(),
        description: "Declarations of the functions that fit these words best".to_owned(),
        input_schema: search_functions::code_schema(),
        output_schema: Some(serde_json::json!({ "type": "string" })),
    }
}

fn entry<'js>(ctx: &Ctx<'js>, schema: serde_json::Value) -> Result<Entry<'js>> {
    Ok(Entry::Single(Callable {
        input_schema: Schema::Plain(PlainSchema::new(schema)),
        execute: Function::new(ctx.clone(), execute)?.with_name(search_functions::NAME)?,
        options: CallOptions::default(),
    }))
}

fn prompt_bytes(core: &Core) -> usize {
    core.function_bytes.get().unwrap_or(search_functions::PROMPT_BYTES)
}

fn execute<'js>(ctx: Ctx<'js>, query: Value<'js>, execution: Opt<Value<'js>>) -> Result<String> {
    let query = match query.as_object() {
        Some(object) => property(object, "query")?,
        None => Some(query),
    };
    let query = match query.as_ref().and_then(Value::as_string) {
        Some(query) => string_text(query)?,
        None => return Err(type_error(&ctx, "searchFunctions takes a string or {query}")),
    };
    let execution = execution.0.and_then(|execution| Class::<ToolExecution>::from_value(&execution).ok());
    let Some(execution) = execution else {
        return Err(type_error(&ctx, "searchFunctions was called without a prompt"));
    };
    let core = execution.borrow().prompt().borrow().core.clone();
    let all = declared_functions(&core, DefinitionKind::DefFunction, is_other);
    search::search(&all.list, &query, prompt_bytes(&core)).map_err(|error| type_error(&ctx, error.to_string()))
}

fn is_other(name: &str) -> bool {
    name != search_functions::NAME
}

pub(super) fn section_text(ctx: &Ctx<'_>, core: &Core, active: &[String]) -> Result<Option<String>> {
    let is_active = |name: &str| is_other(name) && active.iter().any(|active| active == name);
    let others = declared_functions(core, DefinitionKind::DefFunction, is_active);
    let budget = prompt_bytes(core);
    if !active.iter().any(|name| !is_other(name)) || others.text(ctx)?.len() <= budget {
        return Ok(None);
    }
    let own =
        Declarations::new([&Declaration::Function(signature())]).map_err(|error| type_error(ctx, error.to_string()))?;
    let head = search_functions::section_head(others.declarations(ctx)?.functions().len(), own.text());
    let taken = FRAME + head.len() + tools_bytes();
    Ok(Some(head + &search::overview(&others.list, budget.saturating_sub(taken))))
}

fn tools_bytes() -> usize {
    let code = (run_tool_code::NAME, run_tool_code::DESCRIPTION, run_tool_code::input_schema());
    let search = (search_functions::NAME, search_functions::DESCRIPTION, search_functions::input_schema());
    let bytes = |(name, description, schema): (&str, &str, serde_json::Value)| {
        FRAME + name.len() + description.len() + schema.to_string().len()
    };
    bytes(code) + bytes(search)
}
