//! What `model` may be: a model string, a model object of ours, or any object with `doStream` (SPEC 7).

use std::{rc::Rc, time::Duration};

use rquickjs::{Array, Class, Ctx, JsLifetime, Object, Result, Value, class::Trace, function::Opt};

use super::{
    js_model::JsModel,
    services::{self, Doors, Exchanges},
    values::{elements, error_object, kind_of, property, to_json, to_json_text, type_error},
};
use crate::{
    chat::Usage,
    provider::{
        self, FallbackModel, LanguageModel, MockItem, MockModel, MockOptions, ProviderError, ProviderErrorKind,
    },
};

/// A model made in Rust, as scripts hold it.
#[derive(Trace, JsLifetime)]
#[rquickjs::class(rename = "LanguageModel")]
pub(super) struct ModelObject {
    #[qjs(skip_trace)]
    model: Rc<dyn LanguageModel>,
}

#[rquickjs::methods(rename_all = "camelCase")]
impl ModelObject {
    /// The provider's name.
    #[qjs(get)]
    fn provider(&self) -> String {
        self.model.provider().to_owned()
    }

    /// The model's id at the provider.
    #[qjs(get)]
    fn model_id(&self) -> String {
        self.model.model_id().to_owned()
    }
}

impl ModelObject {
    /// The model, recorded or replayed as the run wants it.
    fn used(&self, exchanges: &Exchanges) -> Rc<dyn LanguageModel> {
        let model = self.model.clone();
        if model.provider() == "mock" {
            return model;
        }
        let name = format!("{}:{}", model.provider(), model.model_id());
        exchanges.model(&name, || Ok(model.clone())).unwrap_or(model)
    }
}

/// A model as a JavaScript object.
pub(super) fn model_object<'js>(ctx: &Ctx<'js>, model: Rc<dyn LanguageModel>) -> Result<Value<'js>> {
    Ok(Class::instance(ctx.clone(), ModelObject { model })?.into_value())
}

/// Finds the model a `model` value means. Throws an error that says what to do when there is none.
pub(super) fn resolve<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Rc<dyn LanguageModel + 'js>> {
    if let Some(name) = value.as_string() {
        return resolve_string(ctx, &name.to_string()?);
    }
    if let Some(list) = value.as_array() {
        return resolve_list(ctx, list);
    }
    let Some(object) = value.as_object().filter(|_| !value.is_function() && !value.is_array()) else {
        let got = if value.is_undefined() { String::new() } else { format!(", got {}", kind_of(value)) };
        let message =
            format!("a model is required: set config.model to 'provider:model', an alias or a model object{got}");
        return Err(type_error(ctx, message));
    };
    if let Some(model) = Class::<ModelObject>::from_object(object) {
        return Ok(model.borrow().used(&services::doors(ctx)?.exchanges));
    }
    let stream: Value = object.get("doStream")?;
    if stream.is_function() {
        return Ok(Rc::new(JsModel::new(ctx, object.clone())?));
    }
    Err(type_error(ctx, "config.model is an object without doStream; use 'provider:model', an alias or a model object"))
}

fn resolve_string<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Rc<dyn LanguageModel + 'js>> {
    if name == "mock" {
        return match services::with(ctx, |services| services.mock.borrow().clone())? {
            Some(mock) => Ok(mock),
            None => Err(type_error(
                ctx,
                "the model is 'mock', but the prompt file exports no mock array: export const mock = [{ type: 'text', text: '…' }]",
            )),
        };
    }
    let doors = services::doors(ctx)?;
    match doors.exchanges.model(name, || provider::resolve(name, &doors.providers)) {
        Ok(model) => Ok(model),
        Err(error) => Err(throw_provider_error(ctx, &error)),
    }
}

/// A list of models: the next one is asked when one fails before its first visible byte.
fn resolve_list<'js>(ctx: &Ctx<'js>, list: &Array<'js>) -> Result<Rc<dyn LanguageModel + 'js>> {
    let Doors { providers, exchanges, .. } = services::doors(ctx)?;
    let mut models: Vec<Rc<dyn LanguageModel>> = Vec::with_capacity(list.len());
    for (index, item) in elements(list)?.into_iter().enumerate() {
        let model = match (item.as_string(), item.as_object().and_then(Class::<ModelObject>::from_object)) {
            (Some(name), _) => {
                let name = name.to_string()?;
                exchanges.model(&name, || provider::resolve(&name, &providers))
            }
            (None, Some(model)) => Ok(model.borrow().used(&exchanges)),
            (None, None) => {
                let message =
                    format!("config.model[{index}] must be 'provider:model' or a model object, got {}", kind_of(&item));
                return Err(type_error(ctx, message));
            }
        };
        models.push(model.map_err(|error| throw_provider_error(ctx, &error))?);
    }
    match FallbackModel::of(models, &providers) {
        Ok(model) => Ok(model),
        Err(error) => Err(throw_provider_error(ctx, &error)),
    }
}

/// Throws a model's failure as an `Error` named `ProviderError` (`ConfigurationError` when no request was made yet), with `provider`, `model`, `status` and `hint`.
pub(super) fn throw_provider_error(ctx: &Ctx<'_>, error: &ProviderError) -> rquickjs::Error {
    let made = || -> Result<_> {
        let object = error_object(ctx, "Error", &error.message)?;
        let is_configuration = error.kind == ProviderErrorKind::Configuration;
        object.set("name", if is_configuration { "ConfigurationError" } else { "ProviderError" })?;
        object.set("provider", error.provider.as_str())?;
        object.set("model", error.model.as_str())?;
        object.set("status", error.status)?;
        object.set("hint", error.hint.as_deref())?;
        Ok(ctx.throw(object.into_value()))
    };
    made().unwrap_or_else(|error| error)
}

/// `createMockModel(items, {delay, usage, streaming}?)` of `lmthing/test`.
///
/// `items`: see [`MockItem::from_json`]. `delay`: milliseconds before each item. `usage`: token counts of every turn.
/// `streaming`: `false` joins consecutive texts into one piece. Throws a `TypeError` that names the item or option.
pub(super) fn create_mock_model<'js>(
    ctx: Ctx<'js>,
    items: Opt<Value<'js>>,
    options: Opt<Value<'js>>,
) -> Result<Value<'js>> {
    let items = items.0.unwrap_or_else(|| Value::new_undefined(ctx.clone()));
    let options = options.0.and_then(Value::into_object);
    let options = options.map(|options| mock_options(&ctx, &options)).transpose()?.unwrap_or_default();
    let model = mock_model(&ctx, &items, "createMockModel", options)?;
    model_object(&ctx, Rc::new(model))
}

/// A mock model from a script's array; `place` opens error messages.
pub(crate) fn mock_model<'js>(
    ctx: &Ctx<'js>,
    items: &Value<'js>,
    place: &str,
    options: MockOptions,
) -> Result<MockModel> {
    let Some(list) = items.as_array() else {
        return Err(type_error(ctx, format!("{place}: the items must be an array, got {}", kind_of(items))));
    };
    let mut script = Vec::with_capacity(list.len());
    for (index, item) in elements(list)?.iter().enumerate() {
        let mut json = to_json(ctx, item)?;
        for key in ["args", "input"] {
            // As text, as models give them: a value would lose half surrogate pairs.
            let given = item.as_object().map(|item| property(item, key)).transpose()?.flatten();
            if let Some(given) = given.filter(|given| !given.is_string()) {
                json[key] = to_json_text(ctx, &given)?.into();
            }
        }
        script
            .push(MockItem::from_json(index, &json).map_err(|problem| type_error(ctx, format!("{place}: {problem}")))?);
    }
    Ok(MockModel::new(script, options))
}

fn mock_options<'js>(ctx: &Ctx<'js>, options: &Object<'js>) -> Result<MockOptions> {
    let mut read = MockOptions::default();
    if let Some(delay) = property(options, "delay")? {
        let delay = delay.as_number().and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok());
        read.delay = delay.ok_or_else(|| type_error(ctx, "createMockModel: delay must be milliseconds"))?;
    }
    if let Some(usage) = property(options, "usage")? {
        let wrong = |error| type_error(ctx, format!("createMockModel: usage must hold token counts: {error}"));
        let usage: Usage = serde_json::from_value(to_json(ctx, &usage)?).map_err(wrong)?;
        let total = Usage::new(usage.input_tokens, usage.output_tokens).total_tokens;
        read.usage = Some(Usage { total_tokens: usage.total_tokens.or(total), ..usage });
    }
    if let Some(streaming) = property(options, "streaming")? {
        let streaming = streaming.as_bool();
        read.streaming =
            streaming.ok_or_else(|| type_error(ctx, "createMockModel: streaming must be true or false"))?;
    }
    Ok(read)
}
