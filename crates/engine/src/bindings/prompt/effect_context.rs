//! The first argument of an effect: a read-only view of the prompt (docs/reference/state-and-effects.md).

use rquickjs::{
    Array, Ctx, Function, JsLifetime, Object, Result, Value,
    class::Trace,
    function::{Opt, This},
    object::Property,
};

use super::{object::PromptObject, tool_spec};
use crate::{
    bindings::values::{
        from_tool_input,
        messages::{MessageShape, message_to_js, output_value},
        property,
        steps::tool_to_js,
    },
    prompt::{DefinitionKind, Variable},
};

/// `context`: `messages`, `tools`, `systems`, `variables` (arrays with `has`), `lastTool`, `stepNumber`. Hidden
/// definitions are included. Collections are created on first access, once a step.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub struct EffectContext<'js> {
    prompt: PromptObject<'js>,
    cached: Object<'js>,
}

impl<'js> EffectContext<'js> {
    pub fn new(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Self> {
        Ok(EffectContext { prompt: prompt.clone(), cached: Object::new(ctx.clone())? })
    }

    fn collection(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
        make: impl FnOnce(&Array<'js>) -> Result<()>,
    ) -> Result<Value<'js>> {
        if let Some(cached) = property(&self.cached, name)? {
            return Ok(cached);
        }
        let list = Array::new(ctx.clone())?;
        make(&list)?;
        let has = Function::new(ctx.clone(), collection_has)?.with_name("has")?;
        // Not enumerable, so that the list prints, copies and compares like a plain array.
        list.as_object().prop("has", Property::from(has).writable().configurable())?;
        self.cached.set(name, list.clone())?;
        Ok(list.into_value())
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> EffectContext<'js> {
    #[qjs(get)]
    fn step_number(&self) -> usize {
        self.prompt.borrow().core.step.get()
    }

    #[qjs(get)]
    fn messages(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        let (history, kept) = {
            let prompt = self.prompt.borrow();
            (prompt.core.prompt.borrow().history().to_vec(), prompt.bag.messages())
        };
        let kept = match kept {
            Some(kept) => kept,
            None => {
                let kept = Array::new(ctx.clone())?;
                self.prompt.borrow().bag.set_messages(kept.clone());
                kept
            }
        };
        // A conversation only grows, so the cached objects are its beginning.
        for message in &history[kept.len().min(history.len())..] {
            kept.set(kept.len(), message_to_js(&ctx, message, MessageShape::Written)?)?;
        }
        // A new list for every step: changes by an effect must not reach the next step.
        self.collection(&ctx, "messages", |list| {
            kept.iter::<Value>().enumerate().try_for_each(|(index, message)| list.set(index, message?))
        })
    }

    #[qjs(get)]
    fn tools(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        if let Some(cached) = property(&self.cached, "tools")? {
            return Ok(cached);
        }
        // Cloned first: converting a schema runs JavaScript, which must not see a borrowed prompt.
        let tools = tool_spec::tools_of(&self.prompt, |_| true);
        self.collection(&ctx, "tools", |list| {
            for (index, tool) in tools.iter().enumerate() {
                let converted = tool_spec::convert(&ctx, &self.prompt, tool)?;
                let item = tool_to_js(&ctx, &converted.spec)?;
                item.set("type", if tool.definition.kind == DefinitionKind::DefAgent { "agent" } else { "tool" })?;
                let members = Array::new(ctx.clone())?;
                for member in &converted.members {
                    members.set(members.len(), tool_to_js(&ctx, member)?)?;
                }
                if !members.is_empty() {
                    item.set("tools", members)?;
                }
                list.set(index, item)?;
            }
            Ok(())
        })
    }

    #[qjs(get)]
    fn systems(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        let systems: Vec<(String, String)> = {
            let prompt = self.prompt.borrow();
            let definitions = prompt.core.prompt.borrow();
            definitions.systems().map(|(name, content)| (name.to_owned(), content.to_owned())).collect()
        };
        self.collection(&ctx, "systems", |list| {
            for (index, (name, content)) in systems.into_iter().enumerate() {
                let item = Object::new(ctx.clone())?;
                item.set("name", name)?;
                item.set("value", content)?;
                list.set(index, item)?;
            }
            Ok(())
        })
    }

    /// Variables: `{name, type: 'string'|'data', value}`; the value of data is its YAML. `has(name)`.
    #[qjs(get)]
    fn variables(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        let variables: Vec<(String, Variable)> = {
            let prompt = self.prompt.borrow();
            let definitions = prompt.core.prompt.borrow();
            definitions.variables().map(|(name, value)| (name.to_owned(), value.clone())).collect()
        };
        self.collection(&ctx, "variables", |list| {
            for (index, (name, value)) in variables.into_iter().enumerate() {
                let (kind, text) = match &value {
                    Variable::Text(text) => ("string", text.as_str()),
                    Variable::Data(data) => ("data", data.yaml()),
                };
                let item = Object::new(ctx.clone())?;
                item.set("name", name)?;
                item.set("type", kind)?;
                item.set("value", text)?;
                list.set(index, item)?;
            }
            Ok(())
        })
    }

    #[qjs(get)]
    fn last_tool(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        if let Some(cached) = property(&self.cached, "lastTool")? {
            return Ok(cached);
        }
        let run = self.prompt.borrow().bag.run();
        let Some(record) = run.map(|run| run.borrow().record.clone()) else { return Ok(Value::new_null(ctx)) };
        // Only the latest run counts for a prompt that a script runs again.
        let steps = record.steps();
        let Some(result) = steps.iter().rev().find_map(|step| step.tool_results.last()) else {
            return Ok(Value::new_null(ctx));
        };
        let object = Object::new(ctx.clone())?;
        object.set("toolName", result.tool_name.as_str())?;
        object.set("args", from_tool_input(&ctx, &result.input)?)?;
        object.set("output", output_value(&ctx, &result.output, &result.agents)?)?;
        self.cached.set("lastTool", object.clone())?;
        Ok(object.into_value())
    }
}

fn collection_has<'js>(this: This<Array<'js>>, key: Opt<Value<'js>>) -> Result<bool> {
    let Some(key) = key.0 else { return Ok(false) };
    let wanted = match key.as_string() {
        Some(text) => Some(text.to_string()?),
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
