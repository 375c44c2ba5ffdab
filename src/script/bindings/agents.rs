//! `defAgent` and `agent()`: tools that run a child prompt (SPEC 5).

use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result, Value, object::Filter};

use super::{
    options,
    prompt_host::ScriptPrompt,
    run_prompt::set_options,
    schema::{Schema, Side},
    services,
    stateful_prompt::{self, Call, PromptObject, parts},
    steps,
    tool_call::{Label, find_item, message_of, sub_calls, validate_input},
    tools::{composite, register, single},
    values::{call_async, from_tool_input, property, to_json, type_error},
};
use crate::{
    chat::{Step, ToolCall, ToolOutput, read_json},
    prompt::{DefinitionKind, RunOutcome, ToolAnswer},
    schema::{Validator, describe_problems},
};

/// How deep agents may nest unless `options.maxAgentDepth` says otherwise.
const DEFAULT_MAX_DEPTH: usize = 16;

/// Options of an agent that are not call settings.
const OWN_OPTIONS: &[&str] = &["model", "system", "responseSchema", "plugins"];

/// `defAgent(name, description, inputSchema, (args, child) => …, options?)`, or with `[agent(…), …]` in place of the last
/// three for one tool that runs several. `options`: `model`, `system`, `responseSchema`, `plugins` and call settings;
/// what is unset is inherited. Throws a `TypeError` that names the agent and the argument. Returns a reference.
pub(super) fn def_agent(call: Call<'_>) -> Result<Value<'_>> {
    let name = call.string(0, "defAgent: the name")?;
    let place = format!("defAgent('{name}')");
    let description = call.string(1, &format!("{place}: the description"))?;
    let entry = match call.arg(2).as_array() {
        Some(list) => composite(&call.ctx, list, &place, "agent")?,
        None => single(&call, 2, &place)?,
    };
    register(&call, DefinitionKind::DefAgent, name, description, entry)
}

/// What a child prompt answered.
pub(super) struct AgentAnswer {
    pub(super) response: String,
    /// The answer as JSON, when there is a schema and it matches.
    pub(super) parsed: Option<serde_json::Value>,
    pub(super) validation_error: Option<String>,
    pub(super) steps: Vec<Step>,
}

/// Answers a call of a tool made with `defAgent`.
pub(super) async fn call_agent<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    entry: &Object<'js>,
    call: &ToolCall,
) -> ToolAnswer {
    let answer = |output, agent_steps| ToolAnswer { input: call.input.clone(), output, agent_steps };
    if let Ok(Some(items)) = property(entry, "items") {
        return call_composite(ctx, parent, &items, call).await;
    }
    let label = Label { noun: "agent", name: &call.tool_name };
    let args = from_tool_input(ctx, &call.input);
    match ask(ctx, parent, entry, label, args).await {
        Ok(AgentAnswer { response, validation_error: None, steps, .. }) => {
            answer(ToolOutput::Text(response), Some(Rc::new(steps)))
        }
        Ok(AgentAnswer { response, validation_error, steps, .. }) => {
            let shown = serde_json::json!({ "response": response, "validationError": validation_error });
            answer(ToolOutput::Json(shown), Some(Rc::new(steps)))
        }
        Err(message) => answer(ToolOutput::error(message), None),
    }
}

/// Runs the sub-agents one after another; a failure is that call's response and stops nothing.
async fn call_composite<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    items: &Value<'js>,
    call: &ToolCall,
) -> ToolAnswer {
    let answer = |output, agent_steps| ToolAnswer { input: call.input.clone(), output, agent_steps };
    let calls = match sub_calls(ctx, call) {
        Ok(calls) => calls,
        Err(message) => return answer(ToolOutput::error(message), None),
    };
    let mut results = Vec::with_capacity(calls.len());
    let mut all_steps = Vec::new();
    for (name, args) in calls {
        let Some(item) = find_item(items, &name) else {
            let response = format!("Error: Unknown sub-agent: {name}");
            results.push(serde_json::json!({ "name": name, "response": response }));
            continue;
        };
        let label = Label { noun: "sub-agent", name: &name };
        results.push(match ask(ctx, parent, &item, label, Ok(args)).await {
            Ok(answer) => {
                let mut result = serde_json::json!({ "name": name, "response": answer.response });
                result["steps"] = steps_json(ctx, &answer.steps);
                if let Some(error) = answer.validation_error {
                    result["validationError"] = error.into();
                }
                all_steps.extend(answer.steps);
                result
            }
            Err(message) => serde_json::json!({ "name": name, "response": format!("Error: {message}") }),
        });
    }
    answer(ToolOutput::Json(serde_json::json!({ "results": results })), Some(Rc::new(all_steps)))
}

fn steps_json(ctx: &Ctx<'_>, child_steps: &[Step]) -> serde_json::Value {
    let shown = steps::steps_to_js(ctx, child_steps).and_then(|list| to_json(ctx, list.as_value()));
    shown.unwrap_or_else(|_| {
        ctx.catch();
        serde_json::json!([])
    })
}

/// Validates the arguments, makes a child prompt, has the callback set it up and runs it to its end.
pub(super) async fn ask<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    entry: &Object<'js>,
    label: Label<'_>,
    args: Result<Value<'js>>,
) -> std::result::Result<AgentAnswer, String> {
    let args = args.map_err(|error| message_of(ctx, error))?;
    let args = validate_input(ctx, entry, label, args).await?;
    ask_validated(ctx, parent, entry, label, args).await.map_err(|error| message_of(ctx, error))
}

/// Makes a child prompt, has the callback set it up with arguments that were validated, and runs it to its end.
pub(super) async fn ask_validated<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    entry: &Object<'js>,
    label: Label<'_>,
    args: Value<'js>,
) -> Result<AgentAnswer> {
    let options = property(entry, "options")?.and_then(Value::into_object);
    let child = child_prompt(ctx, parent, options.as_ref(), label)?;
    let format = response_schema(ctx, options.as_ref())?;
    if let Some(schema) = &format {
        define_section(ctx, &child, "responseFormat", response_instruction(schema))?;
    }
    let set_up: Function = entry.get("execute")?;
    let (core, _) = parts(&child);
    core.prompt.borrow_mut().set_in_only_body(true);
    call_async(&set_up, (args, child.clone())).await?;
    core.prompt.borrow_mut().set_in_only_body(false);
    run_child(ctx, &child, format).await
}

async fn run_child<'js>(
    ctx: &Ctx<'js>,
    child: &PromptObject<'js>,
    format: Option<serde_json::Value>,
) -> Result<AgentAnswer> {
    let host = Rc::new(ScriptPrompt::new(ctx, child)?);
    let record = host.run_record();
    record.observe();
    let step_loop = services::doors(ctx)?.step_loop;
    step_loop.run(host).await;
    if let Some(RunOutcome::Failed(error)) = record.outcome() {
        return Err(super::run_result::throw_run_error(ctx, &parts(child).1, &error));
    }
    let steps: Vec<Step> = record.steps().iter().map(|step| Step::clone(step)).collect();
    let mut answer = AgentAnswer { response: record.text(), parsed: None, validation_error: None, steps };
    if let Some(schema) = format {
        match check_response(&answer.response, &schema) {
            Ok((json_text, value)) => {
                answer.response = json_text;
                answer.parsed = Some(value);
            }
            Err(problem) => answer.validation_error = Some(problem),
        }
    }
    Ok(answer)
}

/// A child with the parent's methods and plugins; model and settings are inherited unless the agent sets them.
fn child_prompt<'js>(
    ctx: &Ctx<'js>,
    parent: &PromptObject<'js>,
    own: Option<&Object<'js>>,
    label: Label<'_>,
) -> Result<PromptObject<'js>> {
    let (parent_core, parent_bag) = parts(parent);
    let settings = child_options(ctx, &parent_bag, own)?;
    let limit = property(&settings, "maxAgentDepth")?.and_then(|limit| limit.as_number());
    let limit = limit.map_or(DEFAULT_MAX_DEPTH, |limit| limit as usize);
    let depth = parent_core.depth + 1;
    if depth > limit {
        let Label { noun, name } = label;
        let message =
            format!("{noun} {name} would be nested {depth} deep; the limit is {limit} (options.maxAgentDepth)");
        return Err(type_error(ctx, message));
    }
    let plugins: Value = parent_bag.get("plugins")?;
    let child = stateful_prompt::create(ctx, depth, &plugins, "config.plugins")?;
    let (_, bag) = parts(&child);
    bag.set("plugins", plugins)?;
    bag.set("sandbox", parent_bag.get::<_, Value>("sandbox")?)?;
    let own_value = |key: &str| own.map(|own| property(own, key)).transpose().map(Option::flatten);
    if let Some(plugins) = own_value("plugins")? {
        stateful_prompt::add_plugins(ctx, &child, &plugins, &format!("{}: options.plugins", label.name))?;
        bag.set("plugins", joined(ctx, &bag.get("plugins")?, &plugins)?)?;
    }
    let model = match own_value("model")? {
        Some(model) => model,
        None => parent_bag.get("model")?,
    };
    bag.set("model", model)?;
    set_options(ctx, &bag, settings.into_value())?;
    if let Some(system) = own_value("system")? {
        let Some(system) = system.as_string() else {
            return Err(type_error(ctx, format!("{} {}: options.system must be a string", label.noun, label.name)));
        };
        define_section(ctx, &child, "agentSystem", system.to_string()?)?;
    }
    Ok(child)
}

/// The parent's options without those that are its own, and the agent's settings over them.
fn child_options<'js>(ctx: &Ctx<'js>, parent_bag: &Object<'js>, own: Option<&Object<'js>>) -> Result<Object<'js>> {
    let settings = Object::new(ctx.clone())?;
    let inherited = property(parent_bag, "options")?.and_then(Value::into_object);
    let layers = [(inherited.as_ref(), options::NOT_INHERITED), (own, OWN_OPTIONS)];
    for (layer, left_out) in layers {
        let Some(layer) = layer else { continue };
        for entry in layer.own_props::<String, Value>(Filter::new().string().enum_only()) {
            let (key, value) = entry?;
            if !left_out.contains(&key.as_str()) && !value.is_undefined() {
                settings.set(key, value)?;
            }
        }
    }
    Ok(settings)
}

fn joined<'js>(ctx: &Ctx<'js>, first: &Value<'js>, second: &Value<'js>) -> Result<Value<'js>> {
    let list = rquickjs::Array::new(ctx.clone())?;
    for value in [first, second].into_iter().filter_map(Value::as_array) {
        for item in value.iter::<Value>() {
            list.set(list.len(), item?)?;
        }
    }
    Ok(list.into_value())
}

fn define_section<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, name: &str, text: String) -> Result<()> {
    let (core, _) = parts(prompt);
    let defined = core.prompt.borrow_mut().define_system(name, text);
    defined.map_err(|error| type_error(ctx, error.to_string()))
}

/// The whole JSON Schema of `options.responseSchema`; refinements are not part of it (SPEC 5).
fn response_schema<'js>(ctx: &Ctx<'js>, options: Option<&Object<'js>>) -> Result<Option<serde_json::Value>> {
    let Some(schema) = options.map(|options| property(options, "responseSchema")).transpose()?.flatten() else {
        return Ok(None);
    };
    Schema::from_value(ctx, &schema, "options.responseSchema")?.to_json_schema(ctx, Side::Output).map(Some)
}

fn response_instruction(schema: &serde_json::Value) -> String {
    format!("Answer with JSON that matches this JSON Schema, and with nothing else:\n\n{schema:#}")
}

/// The JSON text of an answer and its value, or why it does not match. The text may stand in a code fence.
fn check_response(text: &str, schema: &serde_json::Value) -> std::result::Result<(String, serde_json::Value), String> {
    let json_text = without_fence(text);
    let value = read_json(json_text).map_err(|error| format!("the answer is not JSON: {error}"))?;
    Validator::new(schema)?.validate(&value).map_err(|problems| describe_problems(&problems))?;
    Ok((json_text.to_owned(), value))
}

/// The inside of the code fence that is all of `text`, or `text` itself.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inside = inside.and_then(|inside| inside.split_once('\n'));
    inside.map_or(text, |(_language, body)| body.trim())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_in_a_code_fence_is_accepted() {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
        for text in ["{\"n\":1}", " ```json\n{\"n\":1}\n``` ", "```\n{\"n\":1}\n```"] {
            assert_eq!(check_response(text, &schema).unwrap(), ("{\"n\":1}".to_owned(), json!({ "n": 1 })));
        }
        assert!(check_response("```json\n{\"n\":\"x\"}\n```", &schema).is_err());
        assert!(check_response("I think 1", &schema).unwrap_err().contains("not JSON"));
    }
}
