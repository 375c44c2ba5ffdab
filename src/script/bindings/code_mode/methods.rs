//! `defMethod`: functions the model calls from `<run_code>` blocks in its text.
//!
//! A method is a function of code mode in every respect but how it is called, so its entry, declaration and sandbox are
//! those of functions; only the section that explains them and the answer's shape are its own.

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    declare::{declared, register},
    run_code::{Code, run_code},
};
use crate::{
    plugin::text_methods,
    prompt::{ActiveSet, DefinitionKind, MethodAnswer, StepPlan},
    sandbox::RunOutcome,
    script::bindings::{
        prompt::{
            call::Call,
            core::Core,
            entry::{CALLBACKS, Callable, Entry, REPEAT, Shelf},
            object::PromptObject,
        },
        tools::define::NamedEntry,
        values::{message_of, schema::Schema},
    },
};

/// `defMethod(name, description, inputSchema, execute, responseSchema?)`: a function the model calls from the code of a
/// `<run_code>` block in its text. The last argument may also be options, as for `defFunction`.
/// Throws a `TypeError` that names the method and the argument. Returns a reference.
/// Rules: docs/reference.md, "Methods in text".
pub(crate) fn def_method(call: Call<'_>) -> Result<Value<'_>> {
    let name = call.string(0, "defMethod: the name")?;
    let place = format!("defMethod('{name}')");
    let description = call.string(1, &format!("{place}: the description"))?;
    let callable = Callable::read(&call.ctx, &call.arg(2), &call.arg(3), &options(&call, 4)?, &place)?;
    let named = NamedEntry { name, description, entry: Entry::Single(callable), place };
    register(&call, DefinitionKind::DefMethod, Shelf::Methods, named)
}

/// A schema in the place of the options stands for `{responseSchema}`.
fn options<'js>(call: &Call<'js>, index: usize) -> Result<Value<'js>> {
    let given = call.arg(index);
    let is_options = given.as_object().is_none_or(|object| {
        let has = |key: &str| object.contains_key(key).unwrap_or(false);
        has("responseSchema") || has(REPEAT) || CALLBACKS.iter().any(|key| has(key))
    });
    if is_options {
        return Ok(given);
    }
    Schema::from_value(&call.ctx, &given, "defMethod: responseSchema")?;
    let options = Object::new(call.ctx.clone())?;
    options.set("responseSchema", given)?;
    Ok(options.into_value())
}

/// The section of the step being prepared: how to call the methods that are active on it, and their declarations.
pub(crate) fn section(ctx: &Ctx<'_>, core: &Core, active: &ActiveSet) -> Result<Option<(String, String)>> {
    if active.methods.is_empty() {
        return Ok(None);
    }
    let is_active = |name: &str| active.methods.iter().any(|active| active == name);
    let declared = declared(core, DefinitionKind::DefMethod, is_active);
    Ok(Some((text_methods::SECTION.to_owned(), text_methods::section_text(declared.text(ctx)?))))
}

/// Runs the code of one block.
pub(crate) async fn run<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, code: &str, plan: &StepPlan) -> MethodAnswer {
    // There is no tool call whose id and messages a function could be told.
    let execution = Value::new_undefined(ctx.clone());
    let code = Code { text: code, tool_call_id: None };
    match run_code(ctx, prompt, Shelf::Methods, &plan.active.methods, code, execution).await.outcome {
        Ok(RunOutcome::Success { result, .. }) => MethodAnswer::Value(result),
        Ok(RunOutcome::Failed { error, .. }) => MethodAnswer::Error(error),
        Ok(outcome) => MethodAnswer::Error(outcome.error_text().unwrap_or_default()),
        Err(error) => MethodAnswer::Error(message_of(ctx, error)),
    }
}
