//! Values of `model`: a model string, a model object, an object with `doStream`, or a list
//! (docs/reference/models.md).

use std::rc::Rc;

use rquickjs::{Array, Class, Ctx, JsLifetime, Object, Result, Value, class::Trace};

use super::js_model::JsModel;
use crate::bindings::{
    results::throw::throw_no_model,
    services::{self, Exchanges},
    values::{elements, kind_of, type_error},
};
use lmthing_base::diagnostic::closest;
use lmthing_providers::{FallbackModel, LanguageModel, MockModel, ProviderError};

/// A model made in Rust.
#[derive(Trace, JsLifetime)]
#[rquickjs::class(rename = "LanguageModel")]
pub struct ModelObject {
    #[qjs(skip_trace)]
    model: Rc<dyn LanguageModel>,
    bypasses_exchanges: bool,
}

#[rquickjs::methods(rename_all = "camelCase")]
impl ModelObject {
    #[qjs(get)]
    fn provider(&self) -> String {
        self.model.provider().to_owned()
    }

    #[qjs(get)]
    fn model_id(&self) -> String {
        self.model.model_id().to_owned()
    }
}

impl ModelObject {
    fn with_exchanges(&self, exchanges: &Exchanges) -> Rc<dyn LanguageModel> {
        let model = self.model.clone();
        // A mock is deterministic and need not be recorded.
        if self.bypasses_exchanges || model.provider() == "mock" {
            return model;
        }
        exchanges.model_object(model)
    }
}

pub(crate) fn model_object<'js>(ctx: &Ctx<'js>, model: Rc<dyn LanguageModel>) -> Result<Value<'js>> {
    Ok(Class::instance(ctx.clone(), ModelObject { model, bypasses_exchanges: false })?.into_value())
}

/// The model object of a model in another engine's JavaScript.
pub(crate) fn foreign_model_object<'js>(ctx: &Ctx<'js>, model: Rc<dyn LanguageModel>) -> Result<Value<'js>> {
    Ok(Class::instance(ctx.clone(), ModelObject { model, bypasses_exchanges: true })?.into_value())
}

pub(crate) fn native_model(object: &Object<'_>) -> Option<Rc<dyn LanguageModel>> {
    Class::<ModelObject>::from_object(object).map(|object| object.borrow().model.clone())
}

/// Resolves the value of `model`. `mock` is the model for `'mock'`, if it differs from that of the main file.
pub(crate) fn resolve<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    mock: Option<Rc<MockModel>>,
) -> Result<Rc<dyn LanguageModel + 'js>> {
    if let Some(name) = value.as_string() {
        return resolve_string(ctx, &name.to_string()?, mock);
    }
    if let Some(list) = value.as_array() {
        return resolve_list(ctx, list);
    }
    if let Some(provider) = provider_name(value)? {
        let message = format!("config.model is the provider {provider}, not a model; call it: {provider}('MODEL')");
        return Err(type_error(ctx, message));
    }
    let Some(object) = value.as_object().filter(|_| !value.is_function() && !value.is_array()) else {
        let got = if value.is_undefined() { String::new() } else { format!(", got {}", kind_of(value)) };
        let message =
            format!("a model is required: set config.model to 'provider:model', an alias or a model object{got}");
        return Err(type_error(ctx, message));
    };
    if let Some(model) = Class::<ModelObject>::from_object(object) {
        return Ok(model.borrow().with_exchanges(&services::exchanges(ctx)?));
    }
    let stream: Value = object.get("doStream")?;
    if stream.is_function() {
        return Ok(Rc::new(JsModel::new(ctx, object.clone())?));
    }
    Err(type_error(ctx, "config.model is an object without doStream; use 'provider:model', an alias or a model object"))
}

fn resolve_string<'js>(ctx: &Ctx<'js>, name: &str, mock: Option<Rc<MockModel>>) -> Result<Rc<dyn LanguageModel + 'js>> {
    if name == "mock" {
        return match mock.map_or_else(|| services::mock(ctx), |mock| Ok(Some(mock)))? {
            Some(mock) => Ok(mock),
            None => Err(type_error(
                ctx,
                "the model is 'mock', but the prompt file exports no mock array: export const mock = [{ type: 'text', text: '…' }]",
            )),
        };
    }
    let providers = services::providers(ctx)?;
    match services::exchanges(ctx)?.model(name, &providers) {
        Ok(model) => Ok(model),
        Err(error) => {
            let is_mock = closest(name, ["mock"]).is_some();
            let hint = if is_mock { Some("did you mean 'mock'?".to_owned()) } else { error.hint.clone() };
            Err(throw_no_model(ctx, ProviderError { hint, ..error }))
        }
    }
}

/// A list of models: the next one is used when one fails before its first visible output.
fn resolve_list<'js>(ctx: &Ctx<'js>, list: &Array<'js>) -> Result<Rc<dyn LanguageModel + 'js>> {
    let items = elements(list)?.into_iter().enumerate();
    let models = items.map(|(index, item)| resolve_item(ctx, index, &item)).collect::<Result<Vec<_>>>()?;
    match FallbackModel::of(models, &services::providers(ctx)?) {
        Ok(model) => Ok(model),
        Err(error) => Err(throw_no_model(ctx, error)),
    }
}

pub(crate) fn resolve_item<'js>(ctx: &Ctx<'js>, index: usize, item: &Value<'js>) -> Result<Rc<dyn LanguageModel>> {
    let exchanges = services::exchanges(ctx)?;
    match (item.as_string(), item.as_object().and_then(Class::<ModelObject>::from_object)) {
        (Some(name), _) => {
            let model = exchanges.model(&name.to_string()?, &services::providers(ctx)?);
            model.map_err(|error| throw_no_model(ctx, error))
        }
        (None, Some(model)) => Ok(model.borrow().with_exchanges(&exchanges)),
        // Models written in JavaScript are not supported in lists, as they are bound to an engine.
        (None, None) => {
            let message =
                format!("config.model[{index}] must be 'provider:model' or a model object, got {}", kind_of(item));
            Err(type_error(ctx, message))
        }
    }
}

/// The name of a provider function that was passed without being called.
pub(crate) fn provider_name(value: &Value<'_>) -> Result<Option<String>> {
    let Some(object) = value.as_function().and_then(|function| function.as_object()) else { return Ok(None) };
    if object.contains_key("languageModel")? { object.get("name") } else { Ok(None) }
}
