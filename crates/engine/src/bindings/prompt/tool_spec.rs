//! Conversion of tools to the form of a request (docs/reference/tools.md).

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use super::{
    entry::Registry,
    object::PromptObject,
    unconverted_tool::{CallableSchemas, ConvertedTool, ToolMember, ToolShape, UnconvertedTool},
};
use crate::{
    bindings::values::{messages::provider_options, schema::Side},
    plugin::{provider_tools, run_tool_code},
    prompt::{DefinitionKind, ToolDefinition, ToolMaker},
};
use lmthing_base::chat::ToolSpec;

pub(crate) fn tools_of<'js>(prompt: &PromptObject<'js>, wanted: impl Fn(&str) -> bool) -> Vec<UnconvertedTool<'js>> {
    let prompt = prompt.borrow();
    let definitions = prompt.core.prompt.borrow();
    let unconverted = |(name, definition): (&str, &ToolDefinition)| {
        let shape = match definition.maker {
            ToolMaker::CodeMode => ToolShape::RunsCode,
            _ if definition.provider_tool.is_some() => ToolShape::RunByProvider,
            _ => prompt.bag.with_entry(Registry::Tools, name, |entry| entry.into())?,
        };
        Some(UnconvertedTool { name: name.to_owned(), definition: definition.clone(), shape })
    };
    definitions.tools().filter(|(name, _)| wanted(name)).filter_map(unconverted).collect()
}

/// Conversions are cached, as converting schemas is slow.
pub(crate) fn convert<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    tool: &UnconvertedTool<'js>,
) -> Result<Rc<ConvertedTool>> {
    let known = prompt.borrow().bag.converted_tool(tool);
    if let Some(known) = known {
        return Ok(known);
    }
    let converted = Rc::new(convert_uncached(ctx, tool)?);
    prompt.borrow().bag.set_converted_tool(tool.clone(), converted.clone());
    Ok(converted)
}

fn convert_uncached<'js>(ctx: &Ctx<'js>, tool: &UnconvertedTool<'js>) -> Result<ConvertedTool> {
    let UnconvertedTool { name, definition, shape } = tool;
    let mut spec = ToolSpec {
        name: name.clone(),
        description: definition.description.clone(),
        input_schema: serde_json::Value::Null,
        provider_options: None,
        provider_tool: definition.provider_tool.as_deref().cloned(),
    };
    let mut members = Vec::new();
    match shape {
        ToolShape::RunsCode => spec.input_schema = run_tool_code::input_schema(),
        ToolShape::RunByProvider => spec.input_schema = provider_tools::input_schema(definition.kind),
        ToolShape::Single(schemas) => {
            spec.description.push_str(&response_note(ctx, schemas, definition.kind)?);
            spec.input_schema = schemas.input_schema.to_tool_schema(ctx, name)?;
            if let Some(options) = &schemas.provider_options {
                spec.provider_options = provider_options(ctx, options, name)?;
            }
        }
        ToolShape::Composite(list) => {
            let what = if definition.kind == DefinitionKind::DefAgent { "agents" } else { "tools" };
            spec.description.push_str(&format!("\n\nAvailable sub-{what}:"));
            for member in list {
                let member = member_spec(ctx, member, definition.kind)?;
                spec.description.push_str(&format!("\n- {}: {}", member.name, member.description));
                members.push(member);
            }
            spec.input_schema = composite_schema(members.iter().map(call_variant).collect());
        }
    }
    Ok(ConvertedTool { spec, members })
}

fn member_spec<'js>(ctx: &Ctx<'js>, member: &ToolMember<'js>, kind: DefinitionKind) -> Result<ToolSpec> {
    let note = response_note(ctx, &member.schemas, kind)?;
    Ok(ToolSpec {
        name: member.name.clone(),
        description: format!("{}{note}", member.description),
        input_schema: member.schemas.input_schema.to_tool_schema(ctx, &member.name)?,
        provider_options: None,
        provider_tool: None,
    })
}

fn response_note<'js>(ctx: &Ctx<'js>, schemas: &CallableSchemas<'js>, kind: DefinitionKind) -> Result<String> {
    match &schemas.response_schema {
        Some(schema) if kind == DefinitionKind::DefTool => {
            let schema = schema.to_json_schema(ctx, Side::Output)?;
            Ok(format!("\nReturns JSON that matches this schema: {schema}"))
        }
        _ => Ok(String::new()),
    }
}

fn call_variant(member: &ToolSpec) -> serde_json::Value {
    let mut args = member.input_schema.clone();
    if let Some(args) = args.as_object_mut() {
        // Only the outermost schema names its version.
        args.shift_remove("$schema");
    }
    serde_json::json!({
        "type": "object",
        "properties": { "name": { "type": "string", "const": member.name }, "args": args },
        "required": ["name", "args"],
        "additionalProperties": false,
    })
}

fn composite_schema(variants: Vec<serde_json::Value>) -> serde_json::Value {
    let items = match <[_; 1]>::try_from(variants) {
        Ok([only]) => only,
        Err(variants) => serde_json::json!({ "anyOf": variants }),
    };
    serde_json::json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": { "calls": { "type": "array", "items": items } },
        "required": ["calls"],
        "additionalProperties": false,
    })
}
