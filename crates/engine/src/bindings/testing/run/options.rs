//! The arguments of `run`.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
    time::Duration,
};

use rquickjs::{Ctx, Error, Object, Result, Value, object::Filter};

use super::{
    bridge::{Bridge, bridge},
    runner::RunRequest,
};
use crate::bindings::{
    models::{
        mock::mock_item,
        resolve::{native_model, provider_name},
    },
    run::{model_choice::ModelChoice, module::path_of},
    values::{blob::input_json_text, kind_of, property, type_error},
};
use lmthing_base::permission::ApprovalRules;
use lmthing_node::{ScriptError, environment, event_loop::EventLoop, is_name_mentioned, warn};

const OPTIONS: &[&str] = &["input", "model", "mock", "recording", "env", "approve", "timeout"];

enum ModelSource<'js> {
    File,
    Choice(ModelChoice),
    Test(ModelChoice, Bridge<'js>),
}

pub(super) fn read_arguments<'js>(
    ctx: &Ctx<'js>,
    file: &Value<'js>,
    given: &Value<'js>,
    caller: Option<&Path>,
) -> Result<(RunRequest, Option<Bridge<'js>>)> {
    let path = absolute(&path_of(ctx, file, caller, "run: the file")?);
    let given = options_object(ctx, given)?;
    let of = |name: &str| given.get::<_, Value>(name).map(|value| Some(value).filter(|value| !value.is_undefined()));
    let (model, mock, recording) = (of("model")?, of("mock")?, of("recording")?);
    let recording = recording.map(|value| path_of(ctx, &value, caller, "run: recording")).transpose()?;
    let model_source = model_source(ctx, model, mock, recording.is_some())?;
    let (model, bridge) = match model_source {
        ModelSource::File => (None, None),
        ModelSource::Choice(model) => (Some(model), None),
        ModelSource::Test(model, bridge) => (Some(model), Some(bridge)),
    };
    let request = RunRequest {
        path,
        input: of("input")?.map(|value| input(ctx, &value)).transpose()?,
        model,
        recording: recording.as_deref().map(absolute),
        location: None,
        environment: environment(ctx)?,
        variables: of("env")?.map_or(Ok(Vec::new()), |value| variables(ctx, &value))?,
        approve: of("approve")?.map_or(Ok(ApprovalRules::default()), |value| approve(ctx, &value))?,
        timeout: of("timeout")?.map(|value| timeout(ctx, &value)).transpose()?,
        latest: EventLoop::of(ctx)?.interrupt_time(),
        keeps_pieces: is_name_mentioned(ctx)?,
    };
    Ok((request, bridge))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn options_object<'js>(ctx: &Ctx<'js>, given: &Value<'js>) -> Result<Object<'js>> {
    if given.is_undefined() {
        return Object::new(ctx.clone());
    }
    let Some(object) = plain_object(given) else {
        let message = format!("run: the options must be an object such as {{ input, model }}, got {}", kind_of(given));
        return Err(type_error(ctx, message));
    };
    for name in object.own_keys::<String>(Filter::new().string().enum_only()) {
        let name = name?;
        if !OPTIONS.contains(&name.as_str()) {
            return Err(unknown(ctx, &name));
        }
    }
    Ok(object.clone())
}

fn plain_object<'a, 'js>(value: &'a Value<'js>) -> Option<&'a Object<'js>> {
    value.as_object().filter(|_| !value.is_array() && !value.is_function())
}

fn unknown(ctx: &Ctx<'_>, name: &str) -> Error {
    let advice = match name {
        "vars" | "variables" => "variables are set with env: { NAME: 'value' }".to_owned(),
        // Options of `run` in `lmthing`.
        "options" | "plugins" | "sandbox" | "prices" | "output" => {
            "the file runs with its own, as with lmthing run".to_owned()
        }
        _ => warn::suggestion(name, OPTIONS),
    };
    type_error(ctx, format!("run: there is no option '{name}'; {advice}"))
}

fn model_source<'js>(
    ctx: &Ctx<'js>,
    model: Option<Value<'js>>,
    mock: Option<Value<'js>>,
    is_replay: bool,
) -> Result<ModelSource<'js>> {
    let both = |one: &str, other: &str| {
        let message = format!("run: {one} and {other} cannot go together; each says who answers, so leave one out");
        Err(type_error(ctx, message))
    };
    match (model, mock) {
        (Some(_), Some(_)) => both("model", "mock"),
        (None, Some(_)) if is_replay => both("mock", "recording"),
        (None, Some(mock)) => Ok(ModelSource::Choice(mock_items(ctx, &mock)?)),
        (None, None) => Ok(ModelSource::File),
        (Some(value), None) => {
            let model_source = model_given(ctx, &value)?;
            let bypasses_recording = match &model_source {
                ModelSource::File => false,
                ModelSource::Choice(ModelChoice::Named(name)) => name == "mock",
                ModelSource::Choice(ModelChoice::Object { model, .. }) => model.provider() == "mock",
                ModelSource::Choice(ModelChoice::Mock { .. }) | ModelSource::Test(..) => true,
            };
            if bypasses_recording && is_replay {
                both("a model that answers by itself", "recording")
            } else {
                Ok(model_source)
            }
        }
    }
}

fn mock_items<'js>(ctx: &Ctx<'js>, mock: &Value<'js>) -> Result<ModelChoice> {
    let Some(list) = mock.as_array() else {
        let advice = if is_model(mock)? { "; a model goes under model" } else { "" };
        let message = format!("run: mock must be an array of mock items, got {}{advice}", kind_of(mock));
        return Err(type_error(ctx, message));
    };
    let read = |(index, item): (usize, Result<Value<'js>>)| {
        let item = mock_item(ctx, index, &item?)?;
        item.map_err(|problem| type_error(ctx, format!("run: mock: {problem}")))
    };
    let items = list.iter::<Value>().enumerate().map(read).collect::<Result<_>>()?;
    Ok(ModelChoice::Mock { items, place: "mock of run()".to_owned() })
}

fn is_model(value: &Value<'_>) -> Result<bool> {
    let Some(object) = plain_object(value) else { return Ok(false) };
    Ok(native_model(object).is_some() || property(object, "doStream")?.is_some())
}

fn model_given<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<ModelSource<'js>> {
    if let Some(name) = value.as_string() {
        return Ok(ModelSource::Choice(ModelChoice::Named(name.to_string()?)));
    }
    if let Some(provider) = provider_name(value)? {
        let message = format!("run: model is the provider {provider}, not a model; call it: {provider}('MODEL')");
        return Err(type_error(ctx, message));
    }
    let Some(object) = plain_object(value).filter(|_| is_model(value).unwrap_or(true)) else {
        let advice = if value.is_array() { "; mock items go under mock" } else { "" };
        let message = format!(
            "run: model must be 'provider:model', 'mock' or a model object such as createMockModel([…]), got {}{advice}",
            kind_of(value)
        );
        return Err(type_error(ctx, message));
    };
    if let Some(model) = native_model(object) {
        return Ok(ModelSource::Choice(ModelChoice::Object { model, is_foreign: false }));
    }
    let (model, bridge) = bridge(ctx, object.clone())?;
    Ok(ModelSource::Test(ModelChoice::Object { model: Rc::new(model), is_foreign: true }, bridge))
}

fn input<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<String> {
    if value.is_function() || value.is_symbol() {
        return Err(type_error(ctx, format!("run: input must be data that JSON can hold, got {}", kind_of(value))));
    }
    input_json_text(ctx, value).map_err(|error| {
        // Its own message does not name the option.
        let Error::Exception = error else { return error };
        let thrown = ctx.catch();
        let message = thrown.as_object().and_then(|thrown| thrown.get::<_, String>("message").ok());
        let why = message.map(|message| format!(": {message}")).unwrap_or_default();
        ScriptError::type_error(format!("run: input must be data that JSON can hold{why}")).throw(ctx)
    })
}

fn variables<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Vec<(String, Option<String>)>> {
    let Some(object) = plain_object(value) else {
        let message = format!("run: env must be an object such as {{ NAME: 'value' }}, got {}", kind_of(value));
        return Err(type_error(ctx, message));
    };
    let mut variables = Vec::new();
    for entry in object.own_props::<String, Value>(Filter::new().string().enum_only()) {
        let (name, value) = entry?;
        let text = match value.as_string() {
            Some(text) => Some(text.to_string()?),
            None if value.is_undefined() => None,
            None => {
                let message =
                    format!("run: env.{name} must be a string, or undefined to unset it, got {}", kind_of(&value));
                return Err(type_error(ctx, message));
            }
        };
        variables.push((name, text));
    }
    Ok(variables)
}

fn approve<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<ApprovalRules> {
    let text = |item: Result<Value<'js>>| item?.as_string().map(rquickjs::String::to_string).transpose();
    let patterns: Option<Vec<String>> = match value.as_array() {
        Some(list) => list.iter::<Value>().map(text).collect::<Result<_>>()?,
        None => None,
    };
    let Some(patterns) = patterns else {
        let message =
            format!("run: approve must be an array of patterns such as ['deploy', 'files_*'], got {}", kind_of(value));
        return Err(type_error(ctx, message));
    };
    let rules = ApprovalRules::new(patterns.iter().map(String::as_str));
    rules.map_err(|problem| type_error(ctx, format!("run: approve: {problem}")))
}

fn timeout<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Duration> {
    let milliseconds = value.as_number().filter(|milliseconds| *milliseconds > 0.0);
    let timeout = milliseconds.and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok());
    let wrong = || type_error(ctx, format!("run: timeout must be milliseconds above 0, got {}", shown(value)));
    timeout.ok_or_else(wrong)
}

fn shown(value: &Value<'_>) -> String {
    value.as_number().map_or_else(|| kind_of(value).to_owned(), |number| number.to_string())
}
