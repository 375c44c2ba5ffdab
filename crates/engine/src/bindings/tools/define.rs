//! `defTool` and `tool()`.

use rquickjs::{Ctx, Object, Result, Value};

use crate::{
    bindings::{
        prompt::{
            call::Call,
            entry::{Callable, Entry, Registry},
            known_options, recorded,
            reference::Reference,
        },
        values::{kind_of, type_error},
    },
    prompt::{DefinitionKind, ToolDefinition},
};

/// `defTool(name, description, inputSchema, execute, options?)`, or `defTool(name, description, [tool(…), …])` for
/// one tool that runs several. Rules: docs/reference/tools.md.
pub(crate) fn def_tool(call: Call<'_>) -> Result<Value<'_>> {
    let NamedEntry { name, description, entry, .. } = named_entry(&call, DefinitionKind::DefTool, "tool")?;
    register(&call, &name, ToolDefinition::new(DefinitionKind::DefTool, description), entry)
}

pub(crate) struct NamedEntry<'js> {
    pub name: String,
    pub description: String,
    pub entry: Entry<'js>,
    pub place: String,
}

pub(crate) fn named_entry<'js>(call: &Call<'js>, kind: DefinitionKind, helper: &str) -> Result<NamedEntry<'js>> {
    let method = kind.method();
    let name = call.string(0, &format!("{method}: the name"))?;
    let place = format!("{method}('{name}')");
    let description = call.string(1, &format!("{place}: the description"))?;
    let entry = match call.arg(2).as_array() {
        Some(list) => Entry::composite(&call.ctx, list, &place, helper)?,
        None => {
            known_options::check_definition(&call.ctx, &call.arg(4), &place, helper)?;
            Entry::Single(Callable::read(&call.ctx, &call.arg(2), &call.arg(3), &call.arg(4), &place)?)
        }
    };
    Ok(NamedEntry { name, description, entry, place })
}

pub(crate) fn register<'js>(
    call: &Call<'js>,
    name: &str,
    definition: ToolDefinition,
    entry: Entry<'js>,
) -> Result<Value<'js>> {
    let kind = definition.kind;
    recorded::record(&call.ctx, &call.prompt, kind, name)?;
    let defined = call.core.prompt.borrow_mut().define_tool(name, definition);
    defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    let before = call.prompt.borrow().bag.entry(Registry::Tools, name);
    let entry = entry.with_schemas_of(&call.ctx, before.as_ref());
    // After the definition: a rejected name must not leave an entry.
    call.prompt.borrow().bag.set_entry(Registry::Tools, name, entry);
    Reference::create(&call.ctx, &call.core, kind, name.to_owned())
}

/// `tool(name, description, inputSchema, execute, options?)`, `agent(…)`, `func(…)`, `funcAgent(…)`: one member of an
/// array form.
pub(crate) fn array_form_member<'js>(ctx: &Ctx<'js>, helper: &str, args: Vec<Value<'js>>) -> Result<Object<'js>> {
    let arg = |index: usize| args.get(index).cloned().unwrap_or_else(|| Value::new_undefined(ctx.clone()));
    let text = |index: usize, what: &str| match arg(index).as_string() {
        Some(text) => text.to_string(),
        None => Err(type_error(ctx, format!("{helper}: the {what} must be a string, got {}", kind_of(&arg(index))))),
    };
    let (name, description) = (text(0, "name")?, text(1, "description")?);
    // Checked again with the list, but an error here points at the right line.
    let place = format!("{helper}('{name}')");
    known_options::check_definition(ctx, &arg(4), &place, helper)?;
    Callable::read(ctx, &arg(2), &arg(3), &arg(4), &place)?;
    let item = Object::new(ctx.clone())?;
    item.set("name", name)?;
    item.set("description", description)?;
    item.set("inputSchema", arg(2))?;
    item.set("execute", arg(3))?;
    item.set("options", arg(4))?;
    Ok(item)
}
