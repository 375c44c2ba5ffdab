//! `runPrompt`: runs a prompt function or an imported prompt module (docs/reference/results.md and
//! docs/reference/running-prompts.md).

use rquickjs::{Coerced, Ctx, FromJs, Function, IntoJs, Object, Result, Value, function::Opt, promise::Promised};

use super::{
    answer, module, nesting,
    start::{Caller, prepare, run_object, start},
};
use crate::bindings::{
    prompt::config_keys,
    resume, services,
    values::{kind_of, property, type_error},
};
use lmthing_base::event::{Agent, AgentIdentity};
use lmthing_node::CallSite;

/// `runPrompt(fn | module, {model, options?, plugins?, sandbox?, input?, output?})`: runs the function once, then the
/// step loop in the background. Resolves to `{result, prompt}`.
pub(crate) fn run_prompt<'js>(ctx: Ctx<'js>, function: Opt<Value<'js>>, config: Opt<Value<'js>>) -> Result<Value<'js>> {
    let undefined = || Value::new_undefined(ctx.clone());
    let (function, config) = (function.0.unwrap_or_else(undefined), config.0.unwrap_or_else(undefined));
    let depth = as_module(&function)?.map(|_| nesting::next_depth(&ctx)).transpose()?;
    let caller = Caller::current(&ctx)?;
    let inner = ctx.clone();
    let run = async move {
        if let (Some(module), Some(depth)) = (as_module(&function)?, depth) {
            return module::run_imported(&inner, module, &config, depth, caller).await;
        }
        let Some(function) = function.as_function() else {
            let message = format!(
                "runPrompt: the first argument must be a prompt function or an imported prompt module, got {}",
                kind_of(&function)
            );
            return Err(type_error(&inner, message));
        };
        let Some(config) = config.as_object() else {
            let message = format!("runPrompt: the second argument must be {{model, …}}, got {}", kind_of(&config));
            return Err(type_error(&inner, message));
        };
        config_keys::check_of_call(&inner, config)?;
        let prompt = prepare(&inner, function, config)?;
        let input = property(config, "input")?;
        prompt.borrow().core.agent.replace(Some(agent_of(&inner, function, input.as_ref(), &caller)?));
        if let Some(outer) = &caller.prompt {
            prompt.borrow().core.inherit_file(&outer.borrow().core);
        }
        prompt.borrow().core.standing.set(caller.standing);
        prompt.borrow().core.job.set(caller.job);
        answer::expect_output(&inner, &prompt, &config.get("output")?, "runPrompt: output")?;
        if let Some(input) = input {
            prompt.borrow().bag.set_input(input);
        }
        run_object(&inner, start(&inner, prompt).await?)
    };
    let call = CallSite::here(&ctx, "runPrompt")?;
    Promised(async move { call.with_stack(run.await) }).into_js(&ctx)
}

/// The agent of a prompt function in events. Its parent is the file, as a call does not tell which agent makes it.
fn agent_of<'js>(
    ctx: &Ctx<'js>,
    function: &Function<'js>,
    input: Option<&Value<'js>>,
    caller: &Caller<'js>,
) -> Result<Agent> {
    let name: Option<String> = function.get("name").ok();
    // The name of an anonymous default export.
    let name = name.filter(|name| !name.is_empty() && name != "default").unwrap_or_else(|| "runPrompt".to_owned());
    let text = Coerced::<String>::from_js(ctx, function.clone().into_value())?;
    let identity = resume::run_identity(ctx, &text, input, caller.call.as_deref())?;
    let called = AgentIdentity { name: &name, tool_call_id: None, definition_hash: identity };
    let events = services::events(ctx)?;
    Ok(events.agent(&caller.agent(&events), called))
}

/// The first argument as a module: an object whose `default` is a function.
fn as_module<'a, 'js>(value: &'a Value<'js>) -> Result<Option<&'a Object<'js>>> {
    let Some(object) = value.as_object().filter(|_| !value.is_function() && !value.is_array()) else { return Ok(None) };
    Ok(property(object, "default")?.filter(Value::is_function).map(|_| object))
}
