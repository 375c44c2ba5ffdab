//! Tools as the model is told of them: schemas as JSON Schema, the response schema and sub-tools in the description
//! (docs/reference.md, "Tools").

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use super::{
    entry::Shelf,
    object::PromptObject,
    told_tool::{ConvertedTool, Member, Shape, Told, ToldTool},
};
use crate::{
    chat::ToolSpec,
    plugin::run_tool_code,
    prompt::{DefinitionKind, ToolDefinition, ToolMaker},
    script::bindings::values::{messages::provider_options, schema::Side},
};

/// The tools of a prompt that `wanted` names, in definition order, as they are now.
pub(crate) fn tools_of<'js>(prompt: &PromptObject<'js>, wanted: impl Fn(&str) -> bool) -> Vec<ToldTool<'js>> {
    let prompt = prompt.borrow();
    let definitions = prompt.core.prompt.borrow();
    let told = |(name, definition): (&str, &ToolDefinition)| {
        let shape = if definition.maker == ToolMaker::CodeMode {
            Shape::RunsCode
        } else {
            prompt.bag.with_entry(Shelf::Tools, name, |entry| entry.into())?
        };
        Some(ToldTool { name: name.to_owned(), definition: definition.clone(), shape })
    };
    definitions.tools().filter(|(name, _)| wanted(name)).filter_map(told).collect()
}

/// What the model is told of a tool of `prompt`. Converting schemas is dear, so what was converted before is taken again as
/// long as the tool is told the same.
pub(crate) fn convert<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    tool: &ToldTool<'js>,
) -> Result<Rc<ConvertedTool>> {
    let known = prompt.borrow().bag.converted_tool(tool);
    if let Some(known) = known {
        return Ok(known);
    }
    let converted = Rc::new(convert_anew(ctx, tool)?);
    prompt.borrow().bag.set_converted_tool(tool.clone(), converted.clone());
    Ok(converted)
}

fn convert_anew<'js>(ctx: &Ctx<'js>, tool: &ToldTool<'js>) -> Result<ConvertedTool> {
    let ToldTool { name, definition, shape } = tool;
    let mut spec = ToolSpec {
        name: name.clone(),
        description: definition.description.clone(),
        input_schema: serde_json::Value::Null,
        provider_options: None,
    };
    let mut members = Vec::new();
    match shape {
        Shape::RunsCode => spec.input_schema = run_tool_code::input_schema(),
        Shape::Single(told) => {
            spec.description.push_str(&response_note(ctx, told, definition.kind)?);
            spec.input_schema = told.input_schema.to_tool_schema(ctx)?;
            if let Some(options) = &told.provider_options {
                spec.provider_options = provider_options(ctx, options, name)?;
            }
        }
        Shape::Composite(list) => {
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

fn member_spec<'js>(ctx: &Ctx<'js>, member: &Member<'js>, kind: DefinitionKind) -> Result<ToolSpec> {
    let note = response_note(ctx, &member.told, kind)?;
    Ok(ToolSpec {
        name: member.name.clone(),
        description: format!("{}{note}", member.description),
        input_schema: member.told.input_schema.to_tool_schema(ctx)?,
        provider_options: None,
    })
}

/// What the model is told of a tool's result; an agent's schema goes to the agent instead.
fn response_note<'js>(ctx: &Ctx<'js>, told: &Told<'js>, kind: DefinitionKind) -> Result<String> {
    match &told.response_schema {
        Some(schema) if kind == DefinitionKind::DefTool => {
            let schema = schema.to_json_schema(ctx, Side::Output)?;
            Ok(format!("\nReturns JSON that matches this schema: {schema}"))
        }
        _ => Ok(String::new()),
    }
}

/// One call within the arguments of a composite.
fn call_variant(member: &ToolSpec) -> serde_json::Value {
    let mut args = member.input_schema.clone();
    if let Some(args) = args.as_object_mut() {
        // A schema within a schema must not name its version again.
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
