//! The first argument of an effect: what the prompt looks like now (SPEC 4).

use std::rc::Rc;

use rquickjs::{
    Array, Ctx, Function, JsLifetime, Object, Result, Value,
    class::Trace,
    function::{Opt, This},
    object::Property,
};

use super::{
    messages::{Shape, message_to_js},
    stateful_prompt::{Core, area},
    values::{from_json, from_tool_input, property},
};
use crate::prompt::{DefinitionKind, Variable};

/// `context`: `messages`, `tools`, `systems`, `variables` (arrays with `has`), `lastTool`, `stepNumber`.
///
/// The collections are made when an effect looks at them and then kept for the step.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(super) struct EffectContext<'js> {
    #[qjs(skip_trace)]
    core: Rc<Core>,
    bag: Object<'js>,
    made: Object<'js>,
}

impl<'js> EffectContext<'js> {
    pub(super) fn new(ctx: &Ctx<'js>, bag: &Object<'js>, core: &Rc<Core>) -> Result<Self> {
        Ok(EffectContext { core: core.clone(), bag: bag.clone(), made: Object::new(ctx.clone())? })
    }

    fn collection(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
        make: impl FnOnce(&Array<'js>) -> Result<()>,
    ) -> Result<Value<'js>> {
        if let Some(made) = property(&self.made, name)? {
            return Ok(made);
        }
        let list = Array::new(ctx.clone())?;
        make(&list)?;
        let has = Function::new(ctx.clone(), collection_has)?.with_name("has")?;
        list.as_object().prop("has", Property::from(has).writable().configurable())?;
        self.made.set(name, list.clone())?;
        Ok(list.into_value())
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> EffectContext<'js> {
    /// The number of the step being prepared, from 0.
    #[qjs(get)]
    fn step_number(&self) -> usize {
        self.core.step.get()
    }

    /// The conversation so far, without the system prompt. `has(role | predicate)`.
    #[qjs(get)]
    fn messages(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        let history = self.core.prompt.borrow().history().to_vec();
        // Message objects are kept from step to step, so that a long run does not make them again and again.
        let kept = match property(&self.bag, "messageObjects")?.and_then(Value::into_array) {
            Some(kept) => kept,
            None => {
                let kept = Array::new(ctx.clone())?;
                self.bag.set("messageObjects", kept.clone())?;
                kept
            }
        };
        for message in &history[kept.len().min(history.len())..] {
            kept.set(kept.len(), message_to_js(&ctx, message, Shape::Written)?)?;
        }
        self.collection(&ctx, "messages", |list| {
            kept.iter::<Value>().enumerate().try_for_each(|(index, message)| list.set(index, message?))
        })
    }

    /// The tools and agents: `{name, description, type, inputSchema}`. `has(name)`.
    #[qjs(get)]
    fn tools(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        let entries = area(&self.bag, "tools")?;
        let prompt = self.core.prompt.borrow();
        self.collection(&ctx, "tools", |list| {
            for (index, (name, tool)) in prompt.tools().enumerate() {
                let item = Object::new(ctx.clone())?;
                item.set("name", name)?;
                item.set("description", tool.description.as_str())?;
                item.set("type", if tool.kind == DefinitionKind::DefAgent { "agent" } else { "tool" })?;
                if let Some(entry) = property(&entries, name)?.and_then(Value::into_object) {
                    item.set("inputSchema", entry.get::<_, Value>("inputSchema")?)?;
                }
                list.set(index, item)?;
            }
            Ok(())
        })
    }

    /// The system sections: `{name, value}`. `has(name)`.
    #[qjs(get)]
    fn systems(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        let prompt = self.core.prompt.borrow();
        self.collection(&ctx, "systems", |list| {
            for (index, (name, content)) in prompt.systems().enumerate() {
                let item = Object::new(ctx.clone())?;
                item.set("name", name)?;
                item.set("value", content)?;
                list.set(index, item)?;
            }
            Ok(())
        })
    }

    /// The variables: `{name, type: 'string'|'data', value}`; the value of data is its YAML. `has(name)`.
    #[qjs(get)]
    fn variables(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        let prompt = self.core.prompt.borrow();
        self.collection(&ctx, "variables", |list| {
            for (index, (name, value)) in prompt.variables().enumerate() {
                let (kind, text) = match value {
                    Variable::Text(text) => ("string", text),
                    Variable::Yaml(text) => ("data", text),
                };
                let item = Object::new(ctx.clone())?;
                item.set("name", name)?;
                item.set("type", kind)?;
                item.set("value", text.as_str())?;
                list.set(index, item)?;
            }
            Ok(())
        })
    }

    /// The latest tool call, `{toolName, args, output}`, or `null`.
    #[qjs(get)]
    fn last_tool(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        if let Some(made) = property(&self.made, "lastTool")? {
            return Ok(made);
        }
        let record = self.core.record.borrow().clone();
        let steps = record.steps();
        let Some(result) = steps.iter().rev().find_map(|step| step.tool_results.last()) else {
            return Ok(Value::new_null(ctx));
        };
        let object = Object::new(ctx.clone())?;
        object.set("toolName", result.tool_name.as_str())?;
        object.set("args", from_tool_input(&ctx, &result.input)?)?;
        object.set("output", from_json(&ctx, &result.output.to_value())?)?;
        self.made.set("lastTool", object.clone())?;
        Ok(object.into_value())
    }
}

/// `collection.has(key)`: by name, for messages by role; a function is asked for every item.
fn collection_has<'js>(this: This<Array<'js>>, key: Opt<Value<'js>>) -> Result<bool> {
    let Some(key) = key.0 else { return Ok(false) };
    let wanted = match key.as_string() {
        Some(text) => Some(text.to_string()?),
        // A reference stands for its definition.
        None => match key.as_object().filter(|_| !key.is_function()) {
            Some(object) => object.get("name").unwrap_or_default(),
            None => None,
        },
    };
    for item in this.0.iter::<Object>() {
        let item = item?;
        let found = match (key.as_function(), &wanted) {
            (Some(test), _) => test.call::<_, rquickjs::prelude::Coerced<bool>>((item,))?.0,
            (None, Some(wanted)) => {
                let key = if item.contains_key("role")? { "role" } else { "name" };
                item.get::<_, String>(key)? == *wanted
            }
            (None, None) => false,
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}
