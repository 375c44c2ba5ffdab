//! Tools as the model is told of them: schemas as JSON Schema, the response schema and sub-tools in the description.

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    entry::{CallOptions, Entry, Item, Shelf},
    object::PromptObject,
    run::KeptTool,
};
use crate::{
    chat::ToolSpec,
    plugin::run_tool_code,
    prompt::DefinitionKind,
    script::bindings::values::{messages::provider_options, property, schema::Side},
};

/// The tools of a prompt that `wanted` names, in definition order, as they are now.
pub(crate) fn tools_of<'js>(prompt: &PromptObject<'js>, wanted: impl Fn(&str) -> bool) -> Vec<KeptTool<'js>> {
    let prompt = prompt.borrow();
    let definitions = prompt.core.prompt.borrow();
    definitions
        .tools()
        .filter(|(name, _)| wanted(name))
        .map(|(name, definition)| {
            let entry = if definition.runs_code { None } else { prompt.bag.entry(Shelf::Tools, name) };
            KeptTool { name: name.to_owned(), definition: definition.clone(), entry }
        })
        .collect()
}

/// What the model is told of a tool.
pub(crate) fn tool_spec<'js>(ctx: &Ctx<'js>, tool: &KeptTool<'js>) -> Result<ToolSpec> {
    let KeptTool { name, definition, entry } = tool;
    let mut spec = ToolSpec {
        name: name.clone(),
        description: definition.description.clone(),
        input_schema: serde_json::Value::Null,
        provider_options: None,
    };
    match entry {
        None => spec.input_schema = run_tool_code::input_schema(),
        Some(Entry::Single(callable)) => {
            spec.description.push_str(&response_note(ctx, &callable.options, definition.kind)?);
            spec.input_schema = callable.input_schema.to_tool_schema(ctx)?;
            spec.provider_options = own_provider_options(ctx, callable.options.given.as_ref(), name)?;
        }
        Some(Entry::Composite(items)) => {
            let what = if definition.kind == DefinitionKind::DefAgent { "agents" } else { "tools" };
            spec.description.push_str(&format!("\n\nAvailable sub-{what}:"));
            let mut variants = Vec::with_capacity(items.len());
            for item in items {
                let member = member_spec(ctx, item, definition.kind)?;
                spec.description.push_str(&format!("\n- {}: {}", member.name, member.description));
                variants.push(call_variant(&member));
            }
            spec.input_schema = composite_schema(variants);
        }
    }
    Ok(spec)
}

/// What the model is told of the members of a composite; none for other tools.
pub(crate) fn member_specs<'js>(ctx: &Ctx<'js>, tool: &KeptTool<'js>) -> Result<Vec<ToolSpec>> {
    match &tool.entry {
        Some(Entry::Composite(items)) => {
            items.iter().map(|item| member_spec(ctx, item, tool.definition.kind)).collect()
        }
        _ => Ok(Vec::new()),
    }
}

fn member_spec<'js>(ctx: &Ctx<'js>, item: &Item<'js>, kind: DefinitionKind) -> Result<ToolSpec> {
    let note = response_note(ctx, &item.callable.options, kind)?;
    Ok(ToolSpec {
        name: item.name.clone(),
        description: format!("{}{note}", item.description),
        input_schema: item.callable.input_schema.to_tool_schema(ctx)?,
        provider_options: None,
    })
}

/// What the model is told of a tool's result; an agent's schema goes to the agent instead.
fn response_note<'js>(ctx: &Ctx<'js>, options: &CallOptions<'js>, kind: DefinitionKind) -> Result<String> {
    match &options.response_schema {
        Some(schema) if kind == DefinitionKind::DefTool => {
            let schema = schema.to_json_schema(ctx, Side::Output)?;
            Ok(format!("\nReturns JSON that matches this schema: {schema}"))
        }
        _ => Ok(String::new()),
    }
}

fn own_provider_options<'js>(
    ctx: &Ctx<'js>,
    options: Option<&Object<'js>>,
    name: &str,
) -> Result<Option<crate::chat::ProviderOptions>> {
    let given: Option<Value> = options.map(|options| property(options, "providerOptions")).transpose()?.flatten();
    given.map_or(Ok(None), |given| provider_options(ctx, &given, name))
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
