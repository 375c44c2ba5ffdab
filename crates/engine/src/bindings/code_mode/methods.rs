//! `defMethod`: functions that the model calls from `<run_code>` blocks in its text.

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    declare::{declared_functions, register},
    run_code::{CodeSnippet, run_code},
};
use crate::{
    bindings::{
        prompt::{
            call::Call,
            core::Core,
            entry::{CALLBACKS, Callable, Entry, REPEAT, Registry},
            known_options,
            object::PromptObject,
        },
        tools::define::NamedEntry,
        values::{message_of, schema::Schema},
    },
    plugin::text_methods,
    prompt::{ActiveSet, DefinitionKind, MethodAnswer, StepPlan},
};
use lmthing_typescript::sandbox::RunOutcome;

/// `defMethod(name, description, inputSchema, execute, responseSchema? | options?)`. Rules:
/// docs/reference/code-mode.md.
pub(crate) fn def_method(call: Call<'_>) -> Result<Value<'_>> {
    let name = call.string(0, "defMethod: the name")?;
    let place = format!("defMethod('{name}')");
    let description = call.string(1, &format!("{place}: the description"))?;
    let options = options(&call, 4)?;
    known_options::check_definition(&call.ctx, &options, &place, "func")?;
    let callable = Callable::read(&call.ctx, &call.arg(2), &call.arg(3), &options, &place)?;
    let named = NamedEntry { name, description, entry: Entry::Single(callable), place };
    register(&call, DefinitionKind::DefMethod, Registry::Methods, named)
}

/// A schema in place of the options means `{responseSchema}`.
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

pub(crate) fn section(ctx: &Ctx<'_>, core: &Core, active: &ActiveSet) -> Result<Option<(String, String)>> {
    if active.methods.is_empty() {
        return Ok(None);
    }
    let is_active = |name: &str| active.methods.iter().any(|active| active == name);
    let declared = declared_functions(core, DefinitionKind::DefMethod, is_active);
    Ok(Some((text_methods::SECTION.to_owned(), text_methods::section_text(declared.text(ctx)?))))
}

pub(crate) async fn run<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, code: &str, plan: &StepPlan) -> MethodAnswer {
    // Without a tool call there is no call id and there are no messages to pass on.
    let execution = Value::new_undefined(ctx.clone());
    let code = CodeSnippet { text: code, tool_call_id: None };
    match run_code(ctx, prompt, Registry::Methods, &plan.active.methods, code, execution).await.outcome {
        Ok(RunOutcome::Success { result, .. }) => MethodAnswer::Value(result),
        Ok(RunOutcome::Failed { error, .. }) => MethodAnswer::Error(error),
        Ok(outcome) => MethodAnswer::Error(outcome.error_text().unwrap_or_default()),
        Err(error) => MethodAnswer::Error(message_of(ctx, error)),
    }
}
