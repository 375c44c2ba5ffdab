//! The first render: the prompt function and its effects once, and the request that would go to the model, put together as the
//! step loop does. Must not know what is done with it.

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    fault::{Fault, Rendered, RenderedTool},
    verdict::{broken_off, thrown},
};
use crate::{
    prompt::{DefinitionKind, PromptHost, RunError, StepPlan, plan_step},
    script::{
        bindings::{
            mcp,
            prompt::{
                entry::{Entry, Shelf},
                object::PromptObject,
            },
            run::{
                host::ScriptPrompt,
                start::{prepare, run_first},
                stuck::unless_stuck,
            },
        },
        drain_jobs, location_of_function,
    },
};

const CODE: &str = "render";

/// Makes the prompt of a file that is about to render. Throws what is wrong with its plugins, sandbox or options.
pub(super) fn host<'js>(
    ctx: &Ctx<'js>,
    function: &rquickjs::Function<'js>,
    config: &Object<'js>,
    expect: impl FnOnce(&PromptObject<'js>) -> Result<()>,
) -> Result<Rc<ScriptPrompt<'js>>> {
    let prompt = prepare(ctx, function, config)?;
    prompt.borrow().core.agent.replace(Some(crate::event::Agent::root()));
    expect(&prompt)?;
    Ok(Rc::new(ScriptPrompt::new(ctx, &prompt)?))
}

/// Renders. Effects that ran are cleaned up in any case.
pub(super) async fn render<'js>(ctx: &Ctx<'js>, host: &ScriptPrompt<'js>) -> std::result::Result<Rendered, Fault> {
    host.record().observe();
    let ran = unless_stuck(ctx, "the prompt function", run_first(host)).await;
    ran.map_err(|error| thrown(ctx, error, CODE))?;
    drain_jobs(ctx);
    let rendered = first_step(ctx, host).await;
    let clean_up = async { Ok(host.run_finished(true).await) };
    let cleaned = unless_stuck(ctx, "the clean-up of an effect", clean_up).await;
    let cleaned = cleaned.map_err(|error| thrown(ctx, error, CODE));
    let rendered = rendered?;
    cleaned?.map_err(|error| broken_off(&error, CODE))?;
    Ok(rendered)
}

async fn first_step<'js>(ctx: &Ctx<'js>, host: &ScriptPrompt<'js>) -> std::result::Result<Rendered, Fault> {
    let failed = |error: RunError| broken_off(&error, CODE);
    let effects = async { Ok(host.run_effects(0).await) };
    let modifications = unless_stuck(ctx, "an effect", effects).await.map_err(|error| thrown(ctx, error, CODE))?;
    let modifications = modifications.map_err(failed)?;
    let (_, plan) = plan_step(host, modifications).map_err(failed)?;
    rendered(ctx, host, &plan).map_err(failed)
}

fn rendered<'js>(ctx: &Ctx<'js>, host: &ScriptPrompt<'js>, plan: &StepPlan) -> std::result::Result<Rendered, RunError> {
    let prompt = host.object();
    let specs = host.tool_specs(&plan.active.tools)?;
    let definitions = host.prompt().borrow();
    let tools = specs.into_iter().map(|spec| RenderedTool {
        location: location_of_tool(ctx, &prompt, &spec.name),
        is_agent: definitions.tool(&spec.name).is_some_and(|tool| tool.kind == DefinitionKind::DefAgent),
        name: spec.name,
        description: spec.description,
        input_schema: spec.input_schema,
    });
    let functions = plan.active.functions.iter().chain(&plan.active.methods).cloned().collect();
    let messages = plan.messages.to_vec().iter().map(|message| (**message).clone()).collect();
    let to_come = prompt.borrow().bag.servers().iter().flat_map(|server| mcp::tools::to_come(&server.plan)).collect();
    Ok(Rendered { messages, tools: tools.collect(), functions, to_come })
}

fn location_of_tool<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    name: &str,
) -> Option<crate::diagnostic::Location> {
    let entry = prompt.borrow().bag.entry(Shelf::Tools, name)?;
    match entry {
        Entry::Single(callable) => location_of_function(ctx, &callable.execute),
        Entry::Composite(_) => None,
    }
}

/// `config` with another model, and with nothing beside it but its plugins where `bare`.
pub(super) fn config_with<'js>(
    ctx: &Ctx<'js>,
    config: &Object<'js>,
    model: &Value<'js>,
    bare: bool,
) -> Result<Object<'js>> {
    let own = Object::new(ctx.clone())?;
    own.set("model", model.clone())?;
    let keys: &[&str] = if bare { &["plugins"] } else { &["plugins", "options", "sandbox", "mcpServers", "functions"] };
    for key in keys {
        own.set(*key, config.get::<_, Value>(*key)?)?;
    }
    Ok(own)
}
