//! Native methods of a prompt: their arguments, and their JavaScript functions.

use std::rc::Rc;

use rquickjs::{
    Class, Ctx, Function, Result, Value,
    function::{Args, Rest, This},
};

use super::{
    core::Core,
    explain::ExplainPrompts,
    method_table::{Method, MethodTable},
    object::{PromptObject, StatefulPrompt},
};
use crate::bindings::values::{kind_of, plain_error, type_error};
use lmthing_node::string_text;

pub(crate) fn install(ctx: &Ctx<'_>, table: &'static [Method]) -> Result<()> {
    let stored = ctx.store_userdata(MethodTable(table));
    stored.map(drop).map_err(|_| plain_error(ctx, "user data is in use"))?;
    lmthing_node::set_explain(ctx, Rc::new(ExplainPrompts::new(table)))?;
    let Some(prototype) = Class::<StatefulPrompt>::prototype(ctx)? else { return Ok(()) };
    for method in table {
        prototype.set(method.name, (method.function)(ctx)?.with_name(method.name)?)?;
    }
    Ok(())
}

pub(crate) struct Call<'js> {
    pub ctx: Ctx<'js>,
    pub prompt: PromptObject<'js>,
    pub core: Rc<Core>,
    args: Vec<Value<'js>>,
}

impl<'js> Call<'js> {
    pub(crate) fn arg(&self, index: usize) -> Value<'js> {
        self.args.get(index).cloned().unwrap_or_else(|| Value::new_undefined(self.ctx.clone()))
    }

    pub(crate) fn string(&self, index: usize, place: &str) -> Result<String> {
        let value = self.arg(index);
        match value.as_string() {
            Some(text) => string_text(text),
            None => {
                // Other libraries take one object with named arguments.
                let method = place.split(':').next().filter(|_| index == 0 && value.is_object());
                let advice = method.map(|method| format!("; arguments stand in order: lmthing docs {method}"));
                let kind = kind_of(&value);
                let message = format!("{place} must be a string, got {kind}{}", advice.unwrap_or_default());
                Err(type_error(&self.ctx, message))
            }
        }
    }

    pub(crate) fn function(&self, index: usize, place: &str) -> Result<Function<'js>> {
        let value = self.arg(index);
        match value.as_function() {
            Some(function) => Ok(function.clone()),
            None => Err(type_error(&self.ctx, format!("{place} must be a function, got {}", kind_of(&value)))),
        }
    }
}

pub(crate) fn method<'js>(ctx: &Ctx<'js>, run: for<'a> fn(Call<'a>) -> Result<Value<'a>>) -> Result<Function<'js>> {
    // A plain `fn`: a closure could keep JavaScript values past the end of the engine.
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, this: This<Value<'js>>, args: Rest<Value<'js>>| {
        // The methods of a prompt are bound to it; those exported by `lmthing/plugins` are not.
        let Ok(prompt) = PromptObject::from_value(&this.0) else {
            return Err(type_error(&ctx, "a prompt method was called without its prompt"));
        };
        let core = prompt.borrow().core.clone();
        run(Call { ctx, prompt, core, args: args.0 })
    })
}

/// Calls a method of a prompt by name, as a plugin would, so that overridden methods apply.
pub(crate) fn invoke<'js>(prompt: &PromptObject<'js>, name: &str, values: Vec<Value<'js>>) -> Result<Value<'js>> {
    let function: Function = prompt.get(name)?;
    let mut args = Args::new(prompt.ctx().clone(), values.len());
    args.push_args(values)?;
    args.apply(&function)
}
