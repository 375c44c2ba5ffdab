//! The second argument of an effect: changes to the step being prepared.

use std::{cell::RefCell, rc::Rc};

use rquickjs::{Class, Ctx, Function, Result, Value, function::Opt};

use super::{
    core::Core,
    recorded::{self, Modified},
    reference::Reference,
};
use crate::{
    bindings::values::{
        elements, kind_of,
        messages::message_from_js,
        text::{data_of, scalar_text},
        type_error,
    },
    prompt::{Data, DefinitionKind, Prompt, StepModifications, Variable},
};

/// `stepModifier(aspect, items)`: for this step, `items` replace messages, tools or system sections, or are merged
/// over the variables. Calls add up. Rules: docs/reference/state-and-effects.md.
pub(crate) fn create<'js>(
    ctx: &Ctx<'js>,
    core: &Rc<Core>,
    modifications: &Rc<RefCell<StepModifications>>,
) -> Result<Function<'js>> {
    let (core, modifications) = (core.clone(), modifications.clone());
    let modify = move |ctx: Ctx<'js>, aspect: Opt<Value<'js>>, items: Opt<Value<'js>>| -> Result<()> {
        let undefined = || Value::new_undefined(ctx.clone());
        let aspect = aspect.0.unwrap_or_else(undefined);
        let aspect = match aspect.as_string() {
            Some(aspect) => aspect.to_string()?,
            None => kind_of(&aspect).to_owned(),
        };
        let items = items.0.unwrap_or_else(undefined);
        let Some(items) = items.as_array().map(elements).transpose()? else {
            let message = format!("stepModifier('{aspect}'): the items must be an array, got {}", kind_of(&items));
            return Err(type_error(&ctx, message));
        };
        // Each call is atomic: a call with an invalid item changes nothing.
        let modifier = Modifier { ctx: &ctx, core: &core, modifications: &modifications };
        match aspect.as_str() {
            "messages" => modifier.messages(items),
            "tools" => modifier.tools(items),
            "systems" => modifier.systems(items),
            "variables" => modifier.variables(items),
            other => Err(type_error(
                &ctx,
                format!(
                    "stepModifier: the aspect must be 'messages', 'tools', 'systems' or 'variables', got '{other}'"
                ),
            )),
        }
    };
    Function::new(ctx.clone(), modify)?.with_name("stepModifier")
}

struct Modifier<'a, 'js> {
    ctx: &'a Ctx<'js>,
    core: &'a Core,
    modifications: &'a RefCell<StepModifications>,
}

impl<'js> Modifier<'_, 'js> {
    fn messages(&self, items: Vec<Value<'js>>) -> Result<()> {
        let mut messages = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            messages.push(message_from_js(self.ctx, item, &format!("stepModifier('messages'): item {index}"))?);
        }
        recorded::record_modified(self.ctx, Modified::Messages)?;
        self.modifications.borrow_mut().messages.get_or_insert_default().extend(messages);
        Ok(())
    }

    fn tools(&self, items: Vec<Value<'js>>) -> Result<()> {
        let mut names = Vec::with_capacity(items.len());
        for item in &items {
            let name = self.name_of(item, "tools")?;
            if !self.core.prompt.borrow().tools().any(|(defined, _)| defined == name) {
                let message = format!("stepModifier('tools'): there is no tool '{name}'");
                return Err(type_error(self.ctx, message));
            }
            names.push(name);
        }
        self.modifications.borrow_mut().tools.get_or_insert_default().extend(names);
        Ok(())
    }

    fn systems(&self, items: Vec<Value<'js>>) -> Result<()> {
        let mut sections = Vec::with_capacity(items.len());
        for item in &items {
            let name = self.checked_name(item, DefinitionKind::DefSystem, "systems")?;
            let content = if is_reference(item) || item.is_string() {
                let prompt = self.core.prompt.borrow();
                let defined = prompt.systems().find(|(defined, _)| *defined == name);
                defined.map(|(_, content)| content.to_owned()).ok_or_else(|| {
                    type_error(self.ctx, format!("stepModifier('systems'): there is no section '{name}'"))
                })?
            } else {
                let value = self.value_of(item)?;
                scalar_text(self.ctx, &value)?.ok_or_else(|| {
                    let kind = kind_of(&value);
                    let message =
                        format!("stepModifier('systems'): the value of '{name}' must be a string, got {kind}");
                    type_error(self.ctx, message)
                })?
            };
            sections.push((name, content));
        }
        recorded::record_modified(self.ctx, Modified::Systems)?;
        self.modifications.borrow_mut().systems.get_or_insert_default().extend(sections);
        Ok(())
    }

    fn variables(&self, items: Vec<Value<'js>>) -> Result<()> {
        let mut variables = Vec::with_capacity(items.len());
        for item in &items {
            if is_reference(item) || item.is_string() {
                continue; // it is among the variables already
            }
            let name = self.checked_name(item, DefinitionKind::Def, "variables")?;
            let value = self.value_of(item)?;
            // The context shows data as YAML; writing it as YAML again would make it one long string.
            let is_yaml = item.get_string("type")?.as_deref() == Some("data") && value.is_string();
            let variable = match scalar_text(self.ctx, &value)? {
                Some(text) if is_yaml => Variable::Data(Data::from_yaml(text).into()),
                Some(text) => Variable::Text(text),
                None => {
                    let place = format!("stepModifier('variables'): '{name}'");
                    Variable::Data(data_of(self.ctx, &value, None, &place)?)
                }
            };
            variables.push((name, variable));
        }
        recorded::record_modified(self.ctx, Modified::Variables)?;
        self.modifications.borrow_mut().variables.extend(variables);
        Ok(())
    }

    fn checked_name(&self, item: &Value<'js>, kind: DefinitionKind, aspect: &str) -> Result<String> {
        let name = self.name_of(item, aspect)?;
        Prompt::check_name(kind, &name).map_err(|error| type_error(self.ctx, error.to_string()))?;
        Ok(name)
    }

    fn name_of(&self, item: &Value<'js>, aspect: &str) -> Result<String> {
        let name = match item.as_string() {
            Some(name) => Some(name.to_string()?),
            None => item.get_string("name")?,
        };
        name.ok_or_else(|| {
            let kind = kind_of(item);
            type_error(self.ctx, format!("stepModifier('{aspect}'): every item needs a string 'name', got {kind}"))
        })
    }

    /// `value`, or `content` for sections.
    fn value_of(&self, item: &Value<'js>) -> Result<Value<'js>> {
        let Some(object) = item.as_object() else { return Ok(item.clone()) };
        let key = if object.contains_key("value")? { "value" } else { "content" };
        object.get(key)
    }
}

fn is_reference(item: &Value<'_>) -> bool {
    item.as_object().is_some_and(|object| Class::<Reference>::from_object(object).is_some())
}

trait GetString {
    fn get_string(&self, key: &str) -> Result<Option<String>>;
}

impl GetString for Value<'_> {
    fn get_string(&self, key: &str) -> Result<Option<String>> {
        let Some(object) = self.as_object() else { return Ok(None) };
        let value: Value = object.get(key)?;
        value.as_string().map(rquickjs::String::to_string).transpose()
    }
}
