//! Model functions of scripts, such as `openai('gpt-4o')` and `createOpenAI({…})('gpt-4o')`
//! (docs/reference/models.md).

use std::collections::BTreeMap;

use rquickjs::{
    Ctx, Function, Object, Result, Value,
    function::{Opt, Rest},
};

use super::resolve::model_object;
use crate::bindings::{
    results::throw::throw_no_model,
    services,
    values::{kind_of, property, to_json, type_error},
};
use lmthing_base::permission::{Access, AccessDenied};
use lmthing_node::gate;
use lmthing_providers::{BUILT_IN, COMPATIBLE, Provider, ProviderSettings, create, create_with_own_key};

pub(crate) fn export<'js>(ctx: &Ctx<'js>, exports: &Object<'js>) -> Result<()> {
    for provider in &BUILT_IN {
        exports.set(provider.name, model_function(ctx, provider, ProviderSettings::default())?)?;
        export_factories(ctx, exports, provider)?;
    }
    export_factories(ctx, exports, &COMPATIBLE)
}

/// `createOpenAI(settings?)` and similar: create a model function with its own settings.
fn export_factories<'js>(ctx: &Ctx<'js>, exports: &Object<'js>, provider: &'static Provider) -> Result<()> {
    for &name in provider.factories {
        let make = move |ctx: Ctx<'js>, given: Opt<Value<'js>>| {
            let settings = settings(&ctx, given.0, name)?;
            // A compatible server can be any, so there are no defaults.
            let anonymous = settings.base_url.is_none() || settings.name.is_none();
            if provider.name == COMPATIBLE.name && anonymous {
                return Err(type_error(&ctx, format!("{name}: the settings need a 'name' and a 'baseURL'")));
            }
            check_servers(&ctx, &settings)?;
            model_function(&ctx, provider, settings)
        };
        exports.set(name, Function::new(ctx.clone(), make)?.with_name(name)?)?;
    }
    Ok(())
}

/// Rejects, for a restricted file, servers that it may not reach, and credentials whose secret lmthing would have to
/// fetch.
fn check_servers(ctx: &Ctx<'_>, settings: &ProviderSettings) -> Result<()> {
    if gate::restricted(ctx).is_none() {
        return Ok(());
    }
    let Some(token_servers) = settings.token_servers() else {
        let message = "credentials with a credential_source are not allowed: those that a restricted prompt file brings hold \
                       their secret themselves";
        return Err(gate::throw_denied(ctx, AccessDenied { message: message.to_owned() }));
    };
    let mut servers = settings.server().into_iter().chain(token_servers);
    servers.try_for_each(|server| gate::check(ctx, Access::Network(&origin(&server))))
}

/// Creates a model. The user's keys are not sent to a server that a restricted file names.
fn create_model<'js>(ctx: &Ctx<'js>, name: &str, settings: &ProviderSettings, id: &str) -> Result<Value<'js>> {
    // Read at each call, since scripts may change `process.env`.
    let context = services::providers(ctx)?;
    let server = settings.server().filter(|_| gate::restricted(ctx).is_some());
    let model = match &server {
        None => create(name, settings, id, &context).map(Some),
        Some(_) => create_with_own_key(name, settings, id, &context),
    };
    match model {
        Ok(Some(model)) => model_object(ctx, model),
        Ok(None) => {
            let message = format!(
                "sending a key to {} is not allowed: a restricted prompt file that names the server brings its own apiKey",
                origin(&server.unwrap_or_default())
            );
            Err(gate::throw_denied(ctx, AccessDenied { message }))
        }
        Err(error) => Err(throw_no_model(ctx, error)),
    }
}

fn origin(server: &str) -> String {
    let origin = url::Url::parse(server).map(|url| url.origin().ascii_serialization());
    origin.unwrap_or_else(|_| "a server".to_owned())
}

/// `openai(modelId)`, with `openai.languageModel(modelId)` and one function for each API.
fn model_function<'js>(ctx: &Ctx<'js>, provider: &Provider, settings: ProviderSettings) -> Result<Function<'js>> {
    let make = |api: &str| {
        let (settings, name) = (settings.clone(), provider.name);
        let full_name = if api.is_empty() { name.to_owned() } else { format!("{name}.{api}") };
        let model = move |ctx: Ctx<'js>, args: Rest<Value<'js>>| {
            let id = args.0.first().and_then(Value::as_string).map(rquickjs::String::to_string).transpose()?;
            let Some(id) = id.filter(|id| !id.is_empty()) else {
                let got = args.0.first().map_or("nothing", kind_of);
                return Err(type_error(&ctx, format!("{full_name}: the model id must be a string, got {got}")));
            };
            create_model(&ctx, &full_name, &settings, &id)
        };
        Function::new(ctx.clone(), model)
    };
    let function = make("")?.with_name(provider.name)?;
    if let Some(object) = function.as_object() {
        object.set("languageModel", make("")?.with_name("languageModel")?)?;
        // An API without a name is the only one, and the function itself uses it.
        for api in provider.apis.iter().filter(|api| !api.name.is_empty()) {
            object.set(api.name, make(api.name)?.with_name(api.name)?)?;
        }
    }
    Ok(function)
}

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
            // The value may be a secret, so it is not shown.
            None => Err(type_error(ctx, format!("{factory}: {key} must be a string, got {}", kind_of(&value)))),
        },
    };
    // The AI SDK has them under `googleAuthOptions`.
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
        azure_ad_token: text("azureADToken")?,
        location: text("location")?,
        credentials,
        region: text("region")?,
        access_key_id: text("accessKeyId")?,
        secret_access_key: text("secretAccessKey")?,
        session_token: text("sessionToken")?,
        query: query(ctx, object, factory)?,
        include_usage: flag(ctx, object, "includeUsage", factory)?,
        ..ProviderSettings::default()
    })
}

fn flag<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str, factory: &str) -> Result<Option<bool>> {
    let Some(value) = property(object, key)? else { return Ok(None) };
    let wrong = || type_error(ctx, format!("{factory}: {key} must be true or false, got {}", kind_of(&value)));
    value.as_bool().map(Some).ok_or_else(wrong)
}

fn string_map<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str, factory: &str) -> Result<BTreeMap<String, String>> {
    let Some(value) = property(object, key)? else { return Ok(BTreeMap::new()) };
    serde_json::from_value(to_json(ctx, &value)?)
        .map_err(|_| type_error(ctx, format!("{factory}: {key} must be an object of strings")))
}

fn query<'js>(ctx: &Ctx<'js>, object: &Object<'js>, factory: &str) -> Result<Option<String>> {
    let pairs = string_map(ctx, object, "queryParams", factory)?;
    if pairs.is_empty() {
        return Ok(None);
    }
    let mut url = url::form_urlencoded::Serializer::new(String::new());
    url.extend_pairs(pairs);
    Ok(Some(url.finish()))
}
