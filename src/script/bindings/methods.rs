//! `defMethod` (SPEC 6): functions the model calls from `<run_code>` blocks in its text.
//!
//! A method is a function of code mode in every respect but how it is called, so its entry, declaration and sandbox are
//! those of `functions`; only the section that explains them and the answer's shape are its own.

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    function_call, functions,
    reference::Reference,
    schema::Schema,
    stateful_prompt::{Call, Core, PromptObject, area},
    tool_call::message_of,
    tools::check_entry,
    values::{property, type_error},
};
use crate::{
    prompt::{DefinitionKind, MethodAnswer},
    sandbox::RunOutcome,
};

/// The section that shows the methods to the model.
const SECTION: &str = "available_methods";

/// `defMethod(name, description, inputSchema, execute, responseSchema?)`: a function the model calls from the code of a
/// `<run_code>` block in its text. The last argument may also be options, as for `defFunction`.
/// Throws a `TypeError` that names the method and the argument. Returns a reference.
pub(super) fn def_method(call: Call<'_>) -> Result<Value<'_>> {
    let name = call.string(0, "defMethod: the name")?;
    let place = format!("defMethod('{name}')");
    let description = call.string(1, &format!("{place}: the description"))?;
    let entry = Object::new(call.ctx.clone())?;
    entry.set("inputSchema", call.arg(2))?;
    entry.set("execute", call.arg(3))?;
    entry.set("options", options(&call, 4)?)?;
    check_entry(&call.ctx, &entry, &place)?;
    entry.set("description", description)?;
    entry.set("isAgent", false)?;
    let methods = area(&call.bag, "methods")?;
    if let Some(before) = property(&methods, &name)?.and_then(Value::into_object) {
        functions::take_over_declaration(&before, &entry)?;
    }
    functions::check_declaration(&call.ctx, &name, &entry, &place)?;
    let defined = call.core.prompt.borrow_mut().define_other(DefinitionKind::DefMethod, &name);
    defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    methods.set(&name, entry)?;
    functions::warm(&call, "methods")?;
    Reference::create(&call.ctx, &call.core, DefinitionKind::DefMethod, name)
}

/// A schema in the place of the options stands for `{responseSchema}`.
fn options<'js>(call: &Call<'js>, index: usize) -> Result<Value<'js>> {
    let given = call.arg(index);
    let is_options = given.as_object().is_none_or(|object| {
        ["responseSchema", "beforeCall", "onSuccess", "onError"]
            .iter()
            .any(|key| object.contains_key(*key).unwrap_or(false))
    });
    if is_options {
        return Ok(given);
    }
    Schema::from_value(&call.ctx, &given, "defMethod: responseSchema")?;
    let options = Object::new(call.ctx.clone())?;
    options.set("responseSchema", given)?;
    Ok(options.into_value())
}

/// The section of the step being prepared: how to call the methods, and their declarations.
pub(super) fn section<'js>(ctx: &Ctx<'js>, bag: &Object<'js>, core: &Core) -> Result<Option<(String, String)>> {
    if property(bag, "methods")?.is_none() {
        return Ok(None);
    }
    let declarations = functions::declarations(ctx, bag, core, "methods")?;
    if declarations.functions().is_empty() {
        return Ok(None);
    }
    let text = format!(
        "You can run TypeScript in the middle of your answer. Write <run_code>…</run_code> with the body of an async \
         function between the tags; it may call the functions below. A value that it returns takes the place of the block, \
         and your answer ends there. It is type-checked first.\n\n{}",
        declarations.text()
    );
    Ok(Some((SECTION.to_owned(), text)))
}

/// Whether the text of the step under way has to be watched for code.
pub(super) fn any<'js>(bag: &Object<'js>, core: &Core) -> Result<bool> {
    let Some(methods) = property(bag, "methods")?.and_then(Value::into_object) else { return Ok(false) };
    let prompt = core.prompt.borrow();
    Ok(methods
        .keys::<String>()
        .filter_map(std::result::Result::ok)
        .any(|name| prompt.is_active(DefinitionKind::DefMethod, &name)))
}

/// Runs the code of one block.
pub(super) async fn run<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, code: &str) -> MethodAnswer {
    let execution = Value::new_undefined(ctx.clone());
    let (outcome, _) = function_call::run_code(ctx, prompt, "methods", code, execution).await;
    match outcome {
        Ok(RunOutcome::Success { result, .. }) => MethodAnswer::Value(result),
        Ok(RunOutcome::Failed { error, .. }) => MethodAnswer::Error(error),
        Ok(outcome) => MethodAnswer::Error(outcome.error_text().unwrap_or_default()),
        Err(error) => MethodAnswer::Error(message_of(ctx, error)),
    }
}
