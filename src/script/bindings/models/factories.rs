//! Model objects in scripts: `openai('gpt-4o')`, `createOpenAI({…})('gpt-4o')` and their relatives.

use std::collections::BTreeMap;

use rquickjs::{
    Ctx, Function, Object, Result, Value,
    function::{Opt, Rest},
};

use super::resolve::model_object;
use crate::{
    provider::{ProviderSettings, create},
    script::bindings::{
        results::throw::throw_provider_error,
        services,
        values::{kind_of, property, to_json, type_error},
    },
};

/// What `lmthing` exports for one provider.
struct Exports {
    /// The provider's name in model strings, and of the function that makes models with the environment's settings.
    name: &'static str,
    /// Functions that make such a function from settings of their own; the later ones are other names of the first.
    factories: &'static [&'static str],
    /// APIs a model can be asked for by name, as in `openai.chat('gpt-4o')`.
    apis: &'static [&'static str],
}

const PROVIDERS: &[Exports] = &[
    Exports { name: "openai", factories: &["createOpenAI", "createOpenAIProvider"], apis: &["chat", "responses"] },
    Exports { name: "anthropic", factories: &["createAnthropic", "createAnthropicProvider"], apis: &["messages"] },
    Exports {
        name: "google",
        factories: &["createGoogleGenerativeAI", "createGoogle", "createGoogleProvider"],
        apis: &[],
    },
    Exports { name: "mistral", factories: &["createMistral", "createMistralProvider"], apis: &["chat"] },
    Exports { name: "azure", factories: &["createAzure", "createAzureProvider"], apis: &["chat", "responses"] },
    Exports { name: "groq", factories: &["createGroq", "createGroqProvider"], apis: &["chat"] },
    Exports { name: "cohere", factories: &["createCohere", "createCohereProvider"], apis: &["chat"] },
    Exports {
        name: "bedrock",
        factories: &["createAmazonBedrock", "createBedrock", "createBedrockProvider"],
        apis: &[],
    },
    Exports { name: "vertex", factories: &["createVertex", "createVertexProvider"], apis: &[] },
];

/// Adds the model functions and their factories to the exports of `lmthing`.
pub(crate) fn export<'js>(ctx: &Ctx<'js>, exports: &Object<'js>) -> Result<()> {
    for provider in PROVIDERS {
        exports.set(provider.name, models_of(ctx, provider, ProviderSettings::default())?)?;
        for &factory in provider.factories {
            let make = move |ctx: Ctx<'js>, given: Opt<Value<'js>>| {
                let settings = settings(&ctx, given.0, factory)?;
                models_of(&ctx, provider, settings)
            };
            exports.set(factory, Function::new(ctx.clone(), make)?.with_name(factory)?)?;
        }
    }
    let compatible = Exports { name: "openai-compatible", factories: &[], apis: &["chat"] };
    let make = move |ctx: Ctx<'js>, given: Opt<Value<'js>>| {
        let settings = settings(&ctx, given.0, "createOpenAICompatible")?;
        if settings.base_url.is_none() || settings.name.is_none() {
            return Err(type_error(&ctx, "createOpenAICompatible: the settings need a 'name' and a 'baseURL'"));
        }
        models_of(&ctx, &compatible, settings)
    };
    let name = "createOpenAICompatible";
    exports.set(name, Function::new(ctx.clone(), make)?.with_name(name)?)
}

/// `openai(modelId)` with `openai.languageModel(modelId)` and one function for each API.
fn models_of<'js>(ctx: &Ctx<'js>, provider: &Exports, settings: ProviderSettings) -> Result<Function<'js>> {
    let make = |api: &str| {
        let (settings, name) = (settings.clone(), provider.name);
        let full_name = if api.is_empty() { name.to_owned() } else { format!("{name}.{api}") };
        let model = move |ctx: Ctx<'js>, args: Rest<Value<'js>>| {
            let id = args.0.first().and_then(Value::as_string).map(rquickjs::String::to_string).transpose()?;
            let Some(id) = id.filter(|id| !id.is_empty()) else {
                let got = args.0.first().map_or("nothing", kind_of);
                return Err(type_error(&ctx, format!("{full_name}: the model id must be a string, got {got}")));
            };
            let context = services::providers(&ctx)?;
            match create(&full_name, &settings, &id, &context) {
                Ok(model) => model_object(&ctx, model),
                Err(error) => Err(throw_provider_error(&ctx, error)),
            }
        };
        Function::new(ctx.clone(), model)
    };
    let function = make("")?.with_name(provider.name)?;
    if let Some(object) = function.as_object() {
        object.set("languageModel", make("")?.with_name("languageModel")?)?;
        for api in provider.apis {
            object.set(*api, make(api)?.with_name(api)?)?;
        }
    }
    Ok(function)
}

/// The settings of a factory call, with the names of the AI SDK.
fn settings<'js>(ctx: &Ctx<'js>, given: Option<Value<'js>>, factory: &str) -> Result<ProviderSettings> {
    let Some(given) = given.filter(|given| !given.is_undefined() && !given.is_null()) else {
        return Ok(ProviderSettings::default());
    };
    let Some(object) = given.as_object().filter(|_| !given.is_array() && !given.is_function()) else {
        return Err(type_error(ctx, format!("{factory}: the settings must be an object, got {}", kind_of(&given))));
    };
    let text = |key: &str| match property(object, key)? {
        None => Ok(None),
        Some(value) => match value.as_string() {
            Some(text) => text.to_string().map(Some),
            // The value itself may be a secret and is not shown.
            None => Err(type_error(ctx, format!("{factory}: {key} must be a string, got {}", kind_of(&value)))),
        },
    };
    let credentials = match property(object, "googleAuthOptions")?.and_then(Value::into_object) {
        Some(options) => property(&options, "credentials")?.map(|value| to_json(ctx, &value)).transpose()?,
        None => property(object, "credentials")?.map(|value| to_json(ctx, &value)).transpose()?,
    };
    Ok(ProviderSettings {
        api_key: text("apiKey")?,
        base_url: text("baseURL")?,
        headers: string_map(ctx, object, "headers", factory)?,
        name: text("name")?,
        organization: text("organization")?,
        project: text("project")?,
        resource_name: text("resourceName")?,
        api_version: text("apiVersion")?,
        location: text("location")?,
        credentials,
        region: text("region")?,
        access_key_id: text("accessKeyId")?,
        secret_access_key: text("secretAccessKey")?,
        session_token: text("sessionToken")?,
        query: query(ctx, object, factory)?,
    })
}

fn string_map<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str, factory: &str) -> Result<BTreeMap<String, String>> {
    let Some(value) = property(object, key)? else { return Ok(BTreeMap::new()) };
    serde_json::from_value(to_json(ctx, &value)?)
        .map_err(|_| type_error(ctx, format!("{factory}: {key} must be an object of strings")))
}

/// `queryParams` as a query string.
fn query<'js>(ctx: &Ctx<'js>, object: &Object<'js>, factory: &str) -> Result<Option<String>> {
    let pairs = string_map(ctx, object, "queryParams", factory)?;
    if pairs.is_empty() {
        return Ok(None);
    }
    let mut url = url::form_urlencoded::Serializer::new(String::new());
    url.extend_pairs(pairs);
    Ok(Some(url.finish()))
}
