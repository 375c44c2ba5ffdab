//! Running a whole prompt module from code: `run('./other.lmt.mjs', …)`, and `runPrompt` with an imported module
//! (docs/reference/running-prompts.md).

use std::path::{Path, PathBuf};

use rquickjs::{Ctx, IntoJs, Object, Result, Value, function::Opt, object::Filter, promise::Promised};
use url::Url;

use super::{
    answer,
    config_overrides::put_entries,
    file, limits, nesting,
    start::{Caller, prepare, run_object, start},
};
use crate::{
    bindings::{
        models::mock::mock_model,
        prompt::{known_options, object::PromptObject},
        resume, services,
        values::{elements, kind_of, property, schema::Schema, type_error},
    },
    prompt::Standing,
};
use lmthing_base::event::AgentIdentity;
use lmthing_node::{CallSite, calling_file, import_file_once};
use lmthing_providers::MockOptions;

/// `run(file, {input, model, options, plugins, sandbox, output}?)` of `lmthing`: runs a prompt file with its own
/// exports. A relative path counts from the calling file. Resolves to `{result, prompt}`.
pub(crate) fn run<'js>(ctx: Ctx<'js>, file: Opt<Value<'js>>, given: Opt<Value<'js>>) -> Result<Value<'js>> {
    let undefined = || Value::new_undefined(ctx.clone());
    let (file, given) = (file.0.unwrap_or_else(undefined), given.0.unwrap_or_else(undefined));
    // Read before the first await, after which the caller is unknown.
    let caller = calling_file(&ctx);
    let depth = nesting::next_depth(&ctx)?;
    let outer = Caller::current(&ctx)?;
    let inner = ctx.clone();
    let run = async move {
        let path = path_of(&inner, &file, caller.as_deref(), "run: the file")?;
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        let module = ModuleRun { label: format!("run: {name}"), name, caller: outer };
        nesting::check(&inner, depth, &module.label)?;
        let given = given_object(&inner, &given, "run: the second argument")?;
        let namespace = import_file_once(&inner, &path).await?;
        run_module(&inner, &namespace, given.as_ref(), &module, depth).await
    };
    let call = CallSite::here(&ctx, "run")?;
    Promised(async move { call.with_stack(run.await) }).into_js(&ctx)
}

/// Runs an imported module for `runPrompt`. `depth` is the nesting depth of its file.
pub(super) async fn run_imported<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    given: &Value<'js>,
    depth: usize,
    caller: Caller<'js>,
) -> Result<Value<'js>> {
    let given = given_object(ctx, given, "runPrompt: the second argument")?;
    let module = ModuleRun { label: "runPrompt: the module".to_owned(), name: "the module".to_owned(), caller };
    nesting::check(ctx, depth, &module.label)?;
    run_module(ctx, namespace, given.as_ref(), &module, depth).await
}

/// Keys of the second argument. Limits of the main file apply to all runs.
const ARGUMENT_KEYS: &[&str] = &["input", "model", "options", "plugins", "sandbox", "prices", "output"];

struct ModuleRun<'js> {
    label: String,
    name: String,
    caller: Caller<'js>,
}

fn given_object<'js>(ctx: &Ctx<'js>, given: &Value<'js>, place: &str) -> Result<Option<Object<'js>>> {
    if given.is_undefined() || given.is_null() {
        return Ok(None);
    }
    match given.as_object().filter(|_| !given.is_array() && !given.is_function()) {
        Some(given) => Ok(Some(given.clone())),
        None => Err(type_error(ctx, format!("{place} must be {{input, model, …}}, got {}", kind_of(given)))),
    }
}

/// The path that is given as a path or a `file:` URL. `place` is the prefix of error messages.
pub(crate) fn path_of<'js>(ctx: &Ctx<'js>, file: &Value<'js>, caller: Option<&Path>, place: &str) -> Result<PathBuf> {
    let wrong = || type_error(ctx, format!("{place} must be a path or a file: URL, got {}", kind_of(file)));
    let text = match (file.as_string(), file.as_object()) {
        (Some(text), _) => text.to_string()?,
        (None, Some(object)) => {
            property(object, "href")?.and_then(|href| href.get::<String>().ok()).ok_or_else(wrong)?
        }
        _ => return Err(wrong()),
    };
    if text.starts_with("file:") {
        let path = Url::parse(&text).ok().and_then(|url| url.to_file_path().ok());
        return path.ok_or_else(|| type_error(ctx, format!("{place}: {text} is no path of this machine")));
    }
    let base = caller.and_then(Path::parent).unwrap_or(Path::new(""));
    Ok(base.join(text).components().collect())
}

async fn run_module<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    given: Option<&Object<'js>>,
    module: &ModuleRun<'js>,
    depth: usize,
) -> Result<Value<'js>> {
    let of_call = |key: &str| given.map(|given| property(given, key)).transpose().map(Option::flatten);
    let function = file::default_function(ctx, namespace, &module.name)?;
    let config = merge_config(ctx, namespace, given, module)?;
    let prices = limits::add_prices(ctx, &config, module.caller.standing.prices)?;
    let prompt = prepare(ctx, &function, &config)?;
    prompt.borrow().core.files.set(depth);
    prompt.borrow().core.standing.set(Standing { prices, ..module.caller.standing });
    prompt.borrow().core.job.set(module.caller.job);
    let name = module.name.split_once(".lmt.").map_or(&*module.name, |(name, _)| name);
    let identity = resume::run_identity(ctx, &module.label, of_call("input")?.as_ref(), module.caller.call.as_deref())?;
    let called = AgentIdentity { name, tool_call_id: None, definition_hash: identity };
    let events = services::events(ctx)?;
    prompt.borrow().core.agent.replace(Some(events.agent(&module.caller.agent(&events), called)));
    if let Some(mock) = property(namespace, "mock")? {
        let mock = mock_model(ctx, &mock, &format!("the export mock of {}", module.name), MockOptions::default())?;
        prompt.borrow().core.mock.replace(Some(mock.into()));
    }
    match of_call("output")? {
        Some(output) => answer::expect_output(ctx, &prompt, &output, &format!("{}: output", module.label))?,
        None => {
            let own: Value = namespace.get("output")?;
            answer::expect_output(ctx, &prompt, &own, &format!("the export output of {}", module.name))?;
        }
    }
    set_input(ctx, &prompt, namespace, of_call("input")?, module).await?;
    let started = start(ctx, prompt).await?;
    run_object(ctx, started)
}

async fn set_input<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    namespace: &Object<'js>,
    input: Option<Value<'js>>,
    module: &ModuleRun<'js>,
) -> Result<()> {
    let input = match property(namespace, "input")? {
        None => input,
        Some(schema) => {
            let schema = Schema::from_value(ctx, &schema, &format!("the export input of {}", module.name))?;
            let input = input.map_or_else(|| Object::new(ctx.clone()).map(Object::into_value), Ok)?;
            let input = with_defaults(ctx, &schema, input)?;
            let checked = schema.validate(ctx, input).await?;
            Some(checked.map_err(|problem| type_error(ctx, format!("{}: wrong input: {problem}", module.label)))?)
        }
    };
    if let Some(input) = input {
        prompt.borrow().bag.set_input(input);
    }
    Ok(())
}

/// A copy of the input with the defaults of a plain JSON Schema, as on the command line. Other schemas apply their
/// defaults themselves.
fn with_defaults<'js>(ctx: &Ctx<'js>, schema: &Schema<'js>, input: Value<'js>) -> Result<Value<'js>> {
    let (Schema::Json(schema), Some(given)) = (schema, input.as_object().filter(|_| !input.is_array())) else {
        return Ok(input);
    };
    let Some(properties) = property(schema, "properties")?.and_then(Value::into_object) else { return Ok(input) };
    let filled = Object::new(ctx.clone())?;
    for entry in given.own_props::<String, Value>(Filter::new().string().enum_only()) {
        let (name, value) = entry?;
        filled.set(name, value)?;
    }
    for entry in properties.own_props::<String, Value>(Filter::new().string().enum_only()) {
        let (name, declared) = entry?;
        let default = declared.as_object().map(|declared| property(declared, "default")).transpose()?.flatten();
        let Some(default) = default else { continue };
        if !filled.contains_key(name.as_str())? {
            filled.set(name, default)?;
        }
    }
    Ok(filled.into_value())
}

fn merge_config<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    given: Option<&Object<'js>>,
    module: &ModuleRun<'js>,
) -> Result<Object<'js>> {
    if let Some(given) = given {
        known_options::check(ctx, given, &module.label, ARGUMENT_KEYS)?;
    }
    let of_call = |key: &str| given.map(|given| property(given, key)).transpose().map(Option::flatten);
    let own = match of_call("model")? {
        // A call with a model needs no config.
        Some(_) if property(namespace, "config")?.is_none() => Object::new(ctx.clone())?,
        Some(_) => file::config_object(ctx, namespace, &module.name)?,
        None => file::config(ctx, namespace, &module.name, None)?,
    };
    let config = Object::new(ctx.clone())?;
    for key in ["model", "sandbox", "prices"] {
        let value = of_call(key)?.map_or_else(|| property(&own, key), |value| Ok(Some(value)))?;
        if let Some(value) = value {
            config.set(key, value)?;
        }
    }
    let plugins = [property(&own, "plugins")?, of_call("plugins")?].into_iter().flatten();
    let plugins: Vec<Value> = plugins.collect();
    if let Some(plugins) = concat(ctx, plugins)? {
        config.set("plugins", plugins)?;
    }
    let options = Object::new(ctx.clone())?;
    for layer in [property(&own, "options")?, of_call("options")?].into_iter().flatten() {
        if !put_entries(&layer, &options)? {
            // Reported when the options are read.
            config.set("options", layer)?;
            return Ok(config);
        }
    }
    config.set("options", options)?;
    Ok(config)
}

/// A value that is not a list is reported later.
fn concat<'js>(ctx: &Ctx<'js>, lists: Vec<Value<'js>>) -> Result<Option<Value<'js>>> {
    if lists.len() < 2 || lists.iter().any(|list| !list.is_array()) {
        return Ok(lists.into_iter().next_back());
    }
    let all = rquickjs::Array::new(ctx.clone())?;
    for list in lists.iter().filter_map(Value::as_array) {
        for item in elements(list)? {
            all.set(all.len(), item)?;
        }
    }
    Ok(Some(all.into_value()))
}
