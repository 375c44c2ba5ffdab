//! `defFunction` and `defFunctionAgent` (SPEC 6): what code mode's functions are made of. Calling them is in `function_call`.

use rquickjs::{Array, Ctx, Object, Result, Value};

use super::{
    reference::Reference,
    schema::{Schema, Side},
    services,
    stateful_prompt::{Call, Core, area},
    tools::{composite, single},
    values::{property, type_error},
};
use crate::{
    chat::ToolSpec,
    code::{Declaration, Declarations, FunctionSignature},
    prompt::{DefinitionKind, ToolDefinition},
};

/// The tool that code mode adds as long as any function is defined.
pub(super) const RUN_TOOL_CODE: &str = "runToolCode";

/// Marks the tool's entry, should a prompt define a tool of its own by that name.
const BUILT_IN: &str = "isBuiltIn";

/// The section that shows the functions to the model.
const SECTION: &str = "available_functions";

/// `defFunction(name, description, inputSchema, execute, options?)`, or with `[func(…), …]` in place of the last three for a
/// namespace. `options`: `responseSchema` (types and checks the result), `beforeCall`, `onSuccess`, `onError`.
/// Throws a `TypeError` that names the function and the argument. Returns a reference.
pub(super) fn def_function(call: Call<'_>) -> Result<Value<'_>> {
    define(&call, DefinitionKind::DefFunction, "func")
}

/// `defFunctionAgent(name, description, inputSchema, (args, child) => …, options?)`, or with `[funcAgent(…), …]`: functions
/// that run a child prompt. `options` as for `defAgent`, and the callbacks of `defFunction`.
pub(super) fn def_function_agent(call: Call<'_>) -> Result<Value<'_>> {
    define(&call, DefinitionKind::DefFunctionAgent, "funcAgent")
}

fn define<'js>(call: &Call<'js>, kind: DefinitionKind, helper: &str) -> Result<Value<'js>> {
    let method = kind.method();
    let name = call.string(0, &format!("{method}: the name"))?;
    let place = format!("{method}('{name}')");
    let description = call.string(1, &format!("{place}: the description"))?;
    let entry = match call.arg(2).as_array() {
        Some(list) => composite(&call.ctx, list, &place, helper)?,
        None => single(call, 2, &place)?,
    };
    entry.set("description", description)?;
    entry.set("isAgent", kind == DefinitionKind::DefFunctionAgent)?;
    let functions = area(&call.bag, "functions")?;
    if let Some(before) = property(&functions, &name)?.and_then(Value::into_object) {
        take_over_declaration(&before, &entry)?;
    }
    check_declaration(&call.ctx, &name, &entry, &place)?;
    {
        let mut prompt = call.core.prompt.borrow_mut();
        let defined =
            prompt.define_other(kind, &name).and_then(|()| prompt.define_tool(RUN_TOOL_CODE, tool_definition()));
        defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    }
    functions.set(&name, entry)?;
    let tool = Object::new(call.ctx.clone())?;
    tool.set(BUILT_IN, true)?;
    area(&call.bag, "tools")?.set(RUN_TOOL_CODE, tool)?;
    warm(call, "functions")?;
    Reference::create(&call.ctx, &call.core, kind, name)
}

/// The tool as the prompt knows it.
fn tool_definition() -> ToolDefinition {
    let description = "Runs TypeScript that may call the functions of <available_functions>. The code is the body of an \
                       async function: use await, and return what you want to see. It is type-checked first; errors come \
                       back with their lines. There are no imports, no timers and no network.";
    ToolDefinition { kind: DefinitionKind::DefTool, description: description.to_owned() }
}

/// The tool as the model is told of it.
pub(super) fn tool_spec(definition: &ToolDefinition) -> ToolSpec {
    ToolSpec {
        name: RUN_TOOL_CODE.to_owned(),
        description: definition.description.clone(),
        input_schema: serde_json::json!({
            "type": "object",
            "properties": { "code": { "type": "string", "description": "The body of an async TypeScript function" } },
            "required": ["code"],
            "additionalProperties": false,
        }),
        provider_options: None,
    }
}

/// Starts a worker ahead of need, once a prompt. `kept_in` is the area of the bag: `functions` or `methods`.
pub(super) fn warm(call: &Call<'_>, kept_in: &str) -> Result<()> {
    if property(&call.bag, "sandboxWarm")?.is_some() {
        return Ok(());
    }
    call.bag.set("sandboxWarm", true)?;
    let declarations = declarations(&call.ctx, &call.bag, &call.core, kept_in)?;
    services::sandbox(&call.ctx, &call.bag)?.warm(&declarations);
    Ok(())
}

/// The status section of the step being prepared: the declarations of every function that is not hidden.
pub(super) fn section<'js>(ctx: &Ctx<'js>, bag: &Object<'js>, core: &Core) -> Result<Option<(String, String)>> {
    if property(bag, "functions")?.is_none() {
        return Ok(None);
    }
    let declarations = declarations(ctx, bag, core, "functions")?;
    if declarations.functions().is_empty() {
        return Ok(None);
    }
    let text = format!("Functions that the code of {RUN_TOOL_CODE} can call:\n\n{}", declarations.text());
    Ok(Some((SECTION.to_owned(), text)))
}

/// The declarations of the functions that are not hidden on the step being prepared.
pub(super) fn declarations<'js>(ctx: &Ctx<'js>, bag: &Object<'js>, core: &Core, kept_in: &str) -> Result<Declarations> {
    let kind = if kept_in == "methods" { DefinitionKind::DefMethod } else { DefinitionKind::DefFunction };
    let mut list = Vec::new();
    for entry in area(bag, kept_in)?.props::<String, Object>() {
        let (name, entry) = entry?;
        if core.prompt.borrow().is_active(kind, &name) {
            list.push(declaration(ctx, &name, &entry, &name)?);
        }
    }
    Declarations::new(&list).map_err(|error| type_error(ctx, error.to_string()))
}

/// Refuses names that code cannot call.
pub(super) fn check_declaration<'js>(ctx: &Ctx<'js>, name: &str, entry: &Object<'js>, place: &str) -> Result<()> {
    let declaration = declaration(ctx, name, entry, place)?;
    declaration.validate().map_err(|error| type_error(ctx, format!("{place}: {error}")))
}

fn declaration<'js>(ctx: &Ctx<'js>, name: &str, entry: &Object<'js>, place: &str) -> Result<Declaration> {
    let description = entry.get::<_, Option<String>>("description")?.unwrap_or_default();
    match property(entry, "items")?.and_then(Value::into_array) {
        None => Ok(Declaration::Function(signature(ctx, name, entry, place)?)),
        Some(items) => {
            let functions = items
                .iter::<Object>()
                .map(|item| {
                    let item = item?;
                    let name: String = item.get("name")?;
                    signature(ctx, &name, &item, place)
                })
                .collect::<Result<_>>()?;
            Ok(Declaration::Namespace { name: name.to_owned(), description, functions })
        }
    }
}

/// The signature of one function; converting schemas is dear, so the result is kept with the entry.
fn signature<'js>(ctx: &Ctx<'js>, name: &str, entry: &Object<'js>, place: &str) -> Result<FunctionSignature> {
    let kept = |key: &str| -> Result<Option<serde_json::Value>> {
        let text: Option<String> = entry.get(key)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    };
    let input_schema = match kept("inputJson")? {
        Some(schema) => schema,
        None => {
            let schema =
                Schema::from_value(ctx, &entry.get("inputSchema")?, place)?.to_type_schema(ctx, Side::Input)?;
            entry.set("inputJson", schema.to_string())?;
            schema
        }
    };
    let options = property(entry, "options")?.and_then(Value::into_object);
    let response = options.map(|options| property(&options, "responseSchema")).transpose()?.flatten();
    let output_schema = match (kept("outputJson")?, response) {
        (Some(schema), Some(_)) => Some(schema),
        (None, Some(response)) => {
            let schema = Schema::from_value(ctx, &response, place)?.to_type_schema(ctx, Side::Output)?;
            entry.set("outputJson", schema.to_string())?;
            Some(schema)
        }
        (_, None) => None,
    };
    let description = entry.get::<_, Option<String>>("description")?.unwrap_or_default();
    Ok(FunctionSignature { name: name.to_owned(), description, input_schema, output_schema })
}

/// Schemas that are the same objects as on the last run need not be converted again.
pub(super) fn take_over_declaration<'js>(before: &Object<'js>, now: &Object<'js>) -> Result<()> {
    let response = |entry: &Object<'js>| -> Result<Option<Value<'js>>> {
        let options = property(entry, "options")?.and_then(Value::into_object);
        Ok(options.map(|options| property(&options, "responseSchema")).transpose()?.flatten())
    };
    if before.get::<_, Value>("inputSchema")? == now.get::<_, Value>("inputSchema")? {
        now.set("inputJson", before.get::<_, Value>("inputJson")?)?;
    }
    if response(before)? == response(now)? {
        now.set("outputJson", before.get::<_, Value>("outputJson")?)?;
    }
    Ok(())
}

/// The entry of a function as code calls it: `name` or `namespace.name`.
pub(super) fn find<'js>(bag: &Object<'js>, kept_in: &str, name: &str) -> Result<Option<(Object<'js>, bool)>> {
    let functions = area(bag, kept_in)?;
    let (top, member) = name.split_once('.').map_or((name, None), |(top, member)| (top, Some(member)));
    let Some(entry) = property(&functions, top)?.and_then(Value::into_object) else { return Ok(None) };
    let is_agent: bool = entry.get("isAgent")?;
    let Some(member) = member else { return Ok(Some((entry, is_agent))) };
    let items: Option<Array> = entry.get("items")?;
    let Some(items) = items else { return Ok(None) };
    let item = super::tool_call::find_item(items.as_value(), member);
    Ok(item.map(|item| (item, is_agent)))
}

/// Whether a tool's entry is the one that code mode added.
pub(super) fn is_run_tool_code(entry: &Object<'_>) -> Result<bool> {
    entry.contains_key(BUILT_IN)
}
