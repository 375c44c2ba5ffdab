//! The child prompt of an agent (docs/reference/agents.md).

use std::rc::Rc;

use rquickjs::{Array, Ctx, Object, Result, Value, object::Filter};

use crate::{
    bindings::{
        prompt::{
            entry::{CallOptions, Callable},
            known_options::{OPTIONS, with_usual_names},
            object::{self, PromptObject},
            options,
        },
        resume,
        services::{self, ChildRun},
        tools::{Label, approval::approved, call::validate_input, warnings},
        values::{call_async, message_of, property, schema::Side, type_error},
    },
    prompt::{AnswerShape, FoundJson},
};
use lmthing_base::{
    chat::{FinishReason, Step},
    checkpoint::CallError,
};

/// Bounds agents that call themselves, unless `options.maxAgentDepth` is set.
const DEFAULT_MAX_DEPTH: usize = 16;

/// Becomes a section of the child.
const OWN_OPTIONS: &[&str] = &["system"];

pub(crate) struct AgentAnswer {
    /// The text of its last step. With a matching schema, only the JSON in it.
    pub response: String,
    pub parsed: Option<serde_json::Value>,
    /// Set when the answer does not match the schema.
    pub validation_error: Option<String>,
    pub steps: Vec<Rc<Step>>,
    pub key: Rc<str>,
}

pub(crate) async fn run_agent<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    callable: &Callable<'js>,
    label: Label<'_>,
    args: Result<Value<'js>>,
) -> std::result::Result<AgentAnswer, CallError> {
    let args = args.map_err(|error| CallError(message_of(ctx, error)))?;
    let args = validate_input(ctx, callable, label, args).await?;
    approved(ctx, callable, label, &args).await?;
    let answer = run_validated(ctx, parent, callable, label, args).await;
    answer.map_err(|error| CallError(warnings::thrown(ctx, &callable.execute, label, None, error)))
}

pub(crate) async fn run_validated<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    callable: &Callable<'js>,
    label: Label<'_>,
    args: Value<'js>,
) -> Result<AgentAnswer> {
    let child = child_prompt(ctx, parent, &callable.options, label)?;
    // Refinements are not part of the JSON Schema and are not checked.
    let schema = &callable.options.response_schema;
    let schema = schema.as_ref().map(|schema| schema.to_json_schema(ctx, Side::Output)).transpose()?;
    let shape = schema.map(|schema| Rc::new(AnswerShape::new(label.name, schema)));
    child.borrow().core.answer.replace(shape.clone());
    let scope = services::scope(ctx, &child.borrow().core)?;
    let _span = scope.begin();
    let run = async {
        resume::begin_set_up(ctx, &child)?;
        let set_up = call_async(&callable.execute, (args, child.clone())).await;
        resume::end_agent_set_up(ctx, &child)?;
        set_up?;
        services::run_child(ctx, &child).await
    };
    let ChildRun { text, steps } = run.await.map_err(|error| services::end_failed(ctx, &scope, error))?;
    let (answer, mended) = read_answer(text, steps, scope.agent().key(), shape.as_deref());
    if let Some(faults) = mended {
        warnings::mended(ctx, label, &faults);
    }
    Ok(answer)
}

/// The answer, and what was wrong with it if it was mended.
fn read_answer(
    text: String,
    steps: Vec<Rc<Step>>,
    key: &str,
    shape: Option<&AnswerShape>,
) -> (AgentAnswer, Option<String>) {
    let is_cut = steps.last().is_some_and(|step| step.output.finish_reason == FinishReason::Length);
    let mut answer = AgentAnswer { response: text, parsed: None, validation_error: None, steps, key: key.into() };
    let Some(shape) = shape else { return (answer, None) };
    let mut was_mended = None;
    match shape.find(&answer.response, is_cut) {
        Ok(FoundJson { text, value, problem: None, mended }) => {
            (answer.response, answer.parsed) = (text, Some(value));
            was_mended = mended;
        }
        Ok(FoundJson { problem, .. }) => answer.validation_error = problem,
        Err(error) => answer.validation_error = Some(error.to_string()),
    }
    (answer, was_mended)
}

/// Creates a child with the parent's methods and plugins. The agent's model and settings override inherited ones.
fn child_prompt<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    agent: &CallOptions<'js>,
    label: Label<'_>,
) -> Result<PromptObject<'js>> {
    let place = format!("{}: options", label.name);
    let own = agent.given.as_ref().map(|own| with_usual_names(ctx, own, &place)).transpose()?;
    let own = own.as_ref();
    let settings = child_options(ctx, parent, own)?;
    let depth = checked_depth(ctx, parent, &settings, label)?;
    let (plugins, model, outer) = {
        let parent = parent.borrow();
        (parent.bag.plugins(), parent.bag.model(), parent.core.clone())
    };
    let plugins: Array = list_of(ctx, plugins)?;
    let child = object::create(ctx, depth, plugins.as_value(), "config.plugins")?;
    child.borrow().bag.set_parent(parent.as_value().clone());
    let core = child.borrow().core.clone();
    let scope = services::scope(ctx, &outer)?;
    core.agent.replace(Some(services::events(ctx)?.agent(scope.agent(), label.called())));
    core.sandbox.replace(outer.sandbox.borrow().clone());
    core.inherit_file(&outer);
    let own_value = |key: &str| own.map(|own| property(own, key)).transpose().map(Option::flatten);
    if let Some(plugins) = own_value("plugins")? {
        object::add_plugins(ctx, &child, &plugins, &format!("{}: options.plugins", label.name))?;
    }
    if let Some(model) = own_value("model")?.or(model) {
        child.borrow().bag.set_model(model);
    }
    options::set(ctx, &child, settings.as_value())?;
    if let Some(system) = own_value("system")? {
        let Some(system) = system.as_string() else {
            return Err(type_error(ctx, format!("{} {}: options.system must be a string", label.noun, label.name)));
        };
        define_section(ctx, &child, "agentSystem", system.to_string()?)?;
    }
    Ok(child)
}

fn checked_depth<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    settings: &Object<'js>,
    label: Label<'_>,
) -> Result<usize> {
    // Read from the child's settings: an agent may set another limit for itself and its children.
    let limit = property(settings, "maxAgentDepth")?.and_then(|limit| limit.as_number());
    let limit = limit.map_or(DEFAULT_MAX_DEPTH, |limit| limit as usize);
    let depth = parent.borrow().core.depth + 1;
    if depth <= limit {
        return Ok(depth);
    }
    let Label { noun, name, .. } = label;
    let message = format!("{noun} {name} would be nested {depth} deep; the limit is {limit} (options.maxAgentDepth)");
    Err(type_error(ctx, message))
}

/// The inheritable options of the parent, overridden by those of the agent.
fn child_options<'js>(ctx: &Ctx<'js>, parent: &PromptObject<'js>, own: Option<&Object<'js>>) -> Result<Object<'js>> {
    let settings = Object::new(ctx.clone())?;
    let inherited = parent.borrow().bag.options();
    let layers = [(inherited.as_ref(), options::NOT_INHERITED), (own, OWN_OPTIONS)];
    for (layer, left_out) in layers {
        let Some(layer) = layer else { continue };
        for entry in layer.own_props::<String, Value>(Filter::new().string().enum_only()) {
            let (key, value) = entry?;
            // `null` is kept: `null` resets what the parent has set.
            let is_setting = OPTIONS.contains(&key.as_str()) && !left_out.contains(&key.as_str());
            if is_setting && !value.is_undefined() {
                settings.set(key, value)?;
            }
        }
    }
    Ok(settings)
}

fn list_of<'js>(ctx: &Ctx<'js>, values: Vec<Value<'js>>) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (index, value) in values.into_iter().enumerate() {
        list.set(index, value)?;
    }
    Ok(list)
}

fn define_section<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, name: &str, text: String) -> Result<()> {
    let defined = prompt.borrow().core.prompt.borrow_mut().define_system(name, text);
    defined.map_err(|error| type_error(ctx, error.to_string()))
}
