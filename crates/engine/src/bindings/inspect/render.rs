//! Renders: a run of the prompt function and its effects, and the request that would follow.

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    fault::{Fault, Rendered, RenderedDefinition, RenderedTool},
    pieces::{Piece, pieces},
    thrown_fault::{fault_of, run_fault},
};
use crate::{
    bindings::{
        mcp,
        models::resolve::{model_object, resolve},
        prompt::{
            entry::{Entry, Registry},
            object::PromptObject,
            recorded::{self, Definition},
        },
        run::{
            deadlock::detect_deadlock,
            file::set_mock,
            host::ScriptPrompt,
            start::{prepare, run_set_up},
        },
    },
    prompt::{DefinitionKind, Prompt, PromptHost, RunError, RunSettings, StepPlan, Variable, plan_step},
};
use lmthing_base::chat::{ContentPart, Message, Role};
use lmthing_node::{drain_jobs, location_of_function};
use lmthing_providers::{MockModel, MockOptions};
use lmthing_typescript::code::Declarations;

const CODE: &str = "render";

pub(super) fn host<'js>(
    ctx: &Ctx<'js>,
    function: &rquickjs::Function<'js>,
    config: &Object<'js>,
    expect: impl FnOnce(&PromptObject<'js>) -> Result<()>,
) -> Result<Rc<ScriptPrompt<'js>>> {
    let prompt = prepare(ctx, function, config)?;
    prompt.borrow().core.agent.replace(Some(lmthing_base::event::Agent::root()));
    expect(&prompt)?;
    Ok(Rc::new(ScriptPrompt::new(ctx, &prompt)?))
}

/// Effects that ran are always cleaned up. With `collects_pieces` the pieces of the request are part of the result.
pub(super) async fn render<'js>(
    ctx: &Ctx<'js>,
    host: &ScriptPrompt<'js>,
    collects_pieces: bool,
) -> std::result::Result<Rendered, Fault> {
    host.record().observe();
    let ran = detect_deadlock(ctx, "the prompt function", run_set_up(host)).await;
    ran.map_err(|error| fault_of(ctx, error, CODE))?;
    drain_jobs(ctx);
    let rendered = first_step(ctx, host, collects_pieces).await;
    let cleaned = clean_up(ctx, host).await;
    let rendered = rendered?;
    cleaned?;
    Ok(rendered)
}

/// The pieces of the request after an answer of plain text, which calls no tool.
pub(super) async fn second_step<'js>(
    ctx: &Ctx<'js>,
    host: &ScriptPrompt<'js>,
) -> std::result::Result<Vec<Piece>, Fault> {
    let answer = Message::parts(Role::Assistant, vec![ContentPart::text("…")]);
    host.prompt().borrow_mut().finish_step(vec![Rc::new(answer)]);
    let again = async { Ok(host.rerun().await) };
    let ran = detect_deadlock(ctx, "the prompt function", again).await.map_err(|error| fault_of(ctx, error, CODE))?;
    ran.map_err(|error| run_fault(&error, CODE))?;
    let found = match planned(ctx, host, 1).await {
        Ok((settings, plan)) => pieces(ctx, host, &settings, &plan).map_err(|error| run_fault(&error, CODE)),
        Err(fault) => Err(fault),
    };
    clean_up(ctx, host).await.and(found)
}

async fn clean_up<'js>(ctx: &Ctx<'js>, host: &ScriptPrompt<'js>) -> std::result::Result<(), Fault> {
    let clean_up = async { Ok(host.run_finished(true).await) };
    let cleaned = detect_deadlock(ctx, "the clean-up of an effect", clean_up).await;
    cleaned.map_err(|error| fault_of(ctx, error, CODE))?.map_err(|error| run_fault(&error, CODE))
}

async fn first_step<'js>(
    ctx: &Ctx<'js>,
    host: &ScriptPrompt<'js>,
    collects_pieces: bool,
) -> std::result::Result<Rendered, Fault> {
    let failed = |error: RunError| run_fault(&error, CODE);
    let (settings, plan) = planned(ctx, host, 0).await?;
    let pieces = if collects_pieces { pieces(ctx, host, &settings, &plan).map_err(failed)? } else { Vec::new() };
    Ok(Rendered { pieces, ..rendered(ctx, host, &plan).map_err(failed)? })
}

async fn planned<'js>(
    ctx: &Ctx<'js>,
    host: &ScriptPrompt<'js>,
    step: usize,
) -> std::result::Result<(RunSettings, StepPlan), Fault> {
    let effects = async { Ok(host.run_effects(step).await) };
    let modifications = detect_deadlock(ctx, "an effect", effects).await.map_err(|error| fault_of(ctx, error, CODE))?;
    let planned = modifications.and_then(|modifications| plan_step(host, modifications));
    planned.map_err(|error| run_fault(&error, CODE))
}

fn rendered<'js>(ctx: &Ctx<'js>, host: &ScriptPrompt<'js>, plan: &StepPlan) -> std::result::Result<Rendered, RunError> {
    let prompt = host.object();
    let specs = host.tool_specs(&plan.active.tools)?;
    let refused = host.chosen_model().refusal(&specs);
    let definitions = host.prompt().borrow();
    let tools = specs.into_iter().map(|spec| RenderedTool {
        location: location_of_tool(ctx, &prompt, definitions.tool(&spec.name).map(|tool| tool.kind), &spec.name),
        is_agent: definitions.tool(&spec.name).is_some_and(|tool| tool.kind == DefinitionKind::DefAgent),
        name: spec.name,
        description: spec.description,
        input_schema: spec.input_schema,
    });
    let functions = plan.active.functions.iter().chain(&plan.active.methods).cloned().collect();
    let messages: Vec<Message> = plan.messages.to_vec().iter().map(|message| (**message).clone()).collect();
    let expected_names =
        prompt.borrow().bag.servers().iter().flat_map(|server| mcp::tools::expected_names(&server.config)).collect();
    let tools = tools.collect();
    let definitions = located_definitions(ctx, &definitions, &messages);
    Ok(Rendered { messages, tools, functions, expected_names, refused, definitions, pieces: Vec::new() })
}

fn located_definitions(ctx: &Ctx<'_>, prompt: &Prompt, messages: &[Message]) -> Vec<RenderedDefinition> {
    let made = recorded::located_definitions(ctx).into_iter().filter_map(|Definition { kind, name, location }| {
        let text = text_of(prompt, kind, &name).or_else(|| section_of(messages, kind, &name));
        Some(RenderedDefinition { method: kind.method().to_owned(), text, name, location: location? })
    });
    let messages = recorded::located_messages(ctx).into_iter().filter_map(|(method, message, location)| {
        let text = Some(message.plain_text());
        let name = message.role.as_str().to_owned();
        Some(RenderedDefinition { method: method.to_owned(), text, name, location: location? })
    });
    made.chain(messages).collect()
}

/// The section of a plugin, which only the system prompt has.
fn section_of(messages: &[Message], kind: DefinitionKind, name: &str) -> Option<String> {
    let system = messages.iter().find(|message| message.role == Role::System).map(Message::plain_text)?;
    let (start, end) = (format!("<{name}>\n"), format!("\n</{name}>"));
    let (_, inner) = system.split_once(&start).filter(|_| kind == DefinitionKind::DefSystem)?;
    Some(format!("{start}{}{end}", inner.split_once(&end)?.0))
}

fn text_of(prompt: &Prompt, kind: DefinitionKind, name: &str) -> Option<String> {
    let section = || prompt.systems().find(|(known, _)| *known == name);
    let variable = || prompt.variables().find(|(known, _)| *known == name);
    match kind {
        DefinitionKind::DefSystem => section().map(|(name, text)| format!("<{name}>\n{text}\n</{name}>")),
        DefinitionKind::Def | DefinitionKind::DefData => variable().map(|(name, value)| match value {
            Variable::Text(text) => format!("<{name}>{text}</{name}>"),
            Variable::Data(data) => format!("<{name}>\n{}</{name}>", data.yaml()),
        }),
        DefinitionKind::DefFunction | DefinitionKind::DefFunctionAgent | DefinitionKind::DefMethod => {
            let (_, function) = prompt.functions(kind).find(|(known, _)| *known == name)?;
            let declared = Declarations::new([&*function.declaration]).ok()?;
            Some(declared.text().trim_end().to_owned())
        }
        _ => None,
    }
}

fn location_of_tool<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    kind: Option<DefinitionKind>,
    name: &str,
) -> Option<lmthing_base::diagnostic::Location> {
    let entry = prompt.borrow().bag.entry(Registry::Tools, Registry::key(kind?, name))?;
    match entry {
        Entry::Single(callable) => location_of_function(ctx, &callable.execute),
        Entry::Composite(_) => None,
    }
}

/// A copy of `config` with another model, and with only its plugins if `bare`.
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

/// The file's own model, or an empty mock if that cannot be resolved. It is never called.
pub(super) fn render_model<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    config: &Object<'js>,
    name: &str,
) -> Result<Value<'js>> {
    let own = set_mock(ctx, namespace, config, name, None).and_then(|()| {
        let own: Value = config.get("model")?;
        resolve(ctx, &own, None).map(|_| own)
    });
    own.or_else(|_| {
        // Reported with the exports.
        ctx.catch();
        model_object(ctx, Rc::new(MockModel::new(Vec::new(), MockOptions::default())))
    })
}
