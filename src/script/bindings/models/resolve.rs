//! What `model` may be: a model string, a model object of ours, any object with `doStream`, or a list
//! (docs/reference.md, "Models"). Must not know how strings are looked up, nor who is asked.

use std::rc::Rc;

use rquickjs::{Array, Class, Ctx, JsLifetime, Object, Result, Value, class::Trace};

use super::js_model::JsModel;
use crate::{
    diagnostic::closest,
    provider::{FallbackModel, LanguageModel, MockModel, ProviderError},
    script::bindings::{
        results::throw::throw_no_model,
        services::{self, Exchanges},
        values::{elements, kind_of, type_error},
    },
};

/// A model made in Rust, as scripts hold it.
#[derive(Trace, JsLifetime)]
#[rquickjs::class(rename = "LanguageModel")]
pub(crate) struct ModelObject {
    #[qjs(skip_trace)]
    model: Rc<dyn LanguageModel>,
    /// Whether it is neither recorded nor replayed.
    answers_itself: bool,
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
        // A mock answers from a list of its own as it is; a recording would only say the same again.
        if self.answers_itself || model.provider() == "mock" {
            return model;
        }
        exchanges.model_object(model)
    }
}

/// A model as a JavaScript object.
pub(crate) fn model_object<'js>(ctx: &Ctx<'js>, model: Rc<dyn LanguageModel>) -> Result<Value<'js>> {
    Ok(Class::instance(ctx.clone(), ModelObject { model, answers_itself: false })?.into_value())
}

/// A model that is written in the JavaScript of another engine, as a JavaScript object.
pub(crate) fn model_of_its_own<'js>(ctx: &Ctx<'js>, model: Rc<dyn LanguageModel>) -> Result<Value<'js>> {
    Ok(Class::instance(ctx.clone(), ModelObject { model, answers_itself: true })?.into_value())
}

/// The model behind a JavaScript object, as it is.
pub(crate) fn made_in_rust(object: &Object<'_>) -> Option<Rc<dyn LanguageModel>> {
    Class::<ModelObject>::from_object(object).map(|object| object.borrow().model.clone())
}

/// Finds the model a `model` value means. Throws an error that says what to do when there is none. `mock` is what `'mock'`
/// means, where that is not what it means to the file that the program was started with.
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
        return Ok(model.borrow().used(&services::exchanges(ctx)?));
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

/// A list of models: the next one is asked when one fails before its first visible byte.
fn resolve_list<'js>(ctx: &Ctx<'js>, list: &Array<'js>) -> Result<Rc<dyn LanguageModel + 'js>> {
    let items = elements(list)?.into_iter().enumerate();
    let models = items.map(|(index, item)| listed(ctx, index, &item)).collect::<Result<Vec<_>>>()?;
    match FallbackModel::of(models, &services::providers(ctx)?) {
        Ok(model) => Ok(model),
        Err(error) => Err(throw_no_model(ctx, error)),
    }
}

/// One model of a list.
pub(crate) fn listed<'js>(ctx: &Ctx<'js>, index: usize, item: &Value<'js>) -> Result<Rc<dyn LanguageModel>> {
    let exchanges = services::exchanges(ctx)?;
    match (item.as_string(), item.as_object().and_then(Class::<ModelObject>::from_object)) {
        (Some(name), _) => {
            let model = exchanges.model(&name.to_string()?, &services::providers(ctx)?);
            model.map_err(|error| throw_no_model(ctx, error))
        }
        (None, Some(model)) => Ok(model.borrow().used(&exchanges)),
        // No model written in JavaScript: a list of models holds nothing that is bound to an engine.
        (None, None) => {
            let message =
                format!("config.model[{index}] must be 'provider:model' or a model object, got {}", kind_of(item));
            Err(type_error(ctx, message))
        }
    }
}

/// The name of a function that makes models, which was most likely to be called.
pub(crate) fn provider_name(value: &Value<'_>) -> Result<Option<String>> {
    let Some(object) = value.as_function().and_then(|function| function.as_object()) else { return Ok(None) };
    if object.contains_key("languageModel")? { object.get("name") } else { Ok(None) }
}
