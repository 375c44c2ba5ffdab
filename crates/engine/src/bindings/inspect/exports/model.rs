//! Faults in `config.model`, and missing keys.

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    super::fault::{FaultSeverity, NamedModel, PathKey},
    faults::{Faults, at_index, path},
};
use crate::bindings::{
    models::resolve::{resolve, resolve_item},
    run::file,
    services,
    values::elements,
};
use lmthing_providers::{EXAMPLE_MODEL, ProviderContext, ProviderInfo, list_models, model_name};

/// Checks a model that is not the export `mock`.
pub(super) fn check<'js>(
    ctx: &Ctx<'js>,
    faults: &mut Faults<'_, 'js>,
    namespace: &Object<'js>,
    name: &str,
    config: &Object<'js>,
) {
    let place = path(&["config", "model"]);
    let Some(model) = faults.read("model", &place, config.get::<_, Value>("model")) else { return };
    if model.is_undefined() || model.is_null() {
        // A misspelt key was reported already.
        let is_misspelt = faults.list.iter().any(|fault| fault.hint.as_deref() == Some("did you mean 'model'?"));
        if !is_misspelt {
            faults.read("model", &path(&["config"]), file::config(ctx, namespace, name, None));
        }
        return;
    }
    let Some(list) = model.as_array() else {
        return check_one(ctx, faults, &place, &model, resolve(ctx, &model, None).map(drop));
    };
    let known = faults.list.len();
    for (index, model) in faults.read("model", &place, elements(list)).into_iter().flatten().enumerate() {
        check_one(ctx, faults, &at_index(&place, index), &model, resolve_item(ctx, index, &model).map(drop));
    }
    if faults.list.len() == known {
        faults.read("model", &place, resolve(ctx, &model, None).map(drop));
    }
}

/// Adds a fault if a model is not `resolved`, or if its key is missing.
pub(crate) fn check_one<'js>(
    ctx: &Ctx<'js>,
    faults: &mut Faults<'_, 'js>,
    place: &[PathKey],
    model: &Value<'js>,
    resolved: Result<()>,
) {
    let is_resolved = faults.read("model", place, resolved).is_some();
    let name = model.as_string().and_then(|name| name.to_string().ok());
    let (Some(name), Ok(providers)) = (name, services::providers(ctx)) else { return };
    let Some(provider) = provider_of(&name, &providers) else {
        if let Some(fault) = faults.list.last_mut().filter(|_| name.trim().is_empty()) {
            fault.message = "config.model is empty".to_owned();
            fault.hint = Some(format!("name a model: model: '{EXAMPLE_MODEL}'"));
        }
        return;
    };
    if is_resolved {
        check_key(faults, place, &name, &provider);
        let target = model_name(&name, &providers);
        let model_id = target.split_once(':').map_or("", |(_, id)| id).to_owned();
        faults.models.push(NamedModel { place: place.to_vec(), provider: provider.name, model_id });
    } else if let Some(fault) = faults.list.last_mut() {
        // A provider without its settings is like one without a key.
        fault.severity = FaultSeverity::Environment;
    }
}

fn check_key(faults: &mut Faults<'_, '_>, place: &[PathKey], model: &str, provider: &ProviderInfo) {
    if provider.configured {
        return;
    }
    let missing = provider.variables.iter().filter(|variable| !variable.optional && !variable.set);
    let missing: Vec<&str> = missing.map(|variable| variable.name.as_str()).collect();
    let what = if missing.is_empty() { String::new() } else { format!(": {} is not set", missing.join(", ")) };
    let keys = provider.get_key_at.map_or_else(String::new, |place| format!("; keys are at {place}"));
    let hint = format!("set it in the environment or in .env{keys}");
    let message = format!("there is no key for {model}{what}");
    faults.add(("model", FaultSeverity::Environment), place.to_vec(), message, Some(hint));
}

/// The provider of a model string with an id, if it exists and only lacks its key or settings.
fn provider_of(name: &str, context: &ProviderContext) -> Option<ProviderInfo> {
    let target = model_name(name, context);
    let (provider, id) = target.split_once(':')?;
    let known = list_models(context).providers.into_iter().find(|known| known.name == provider)?;
    (!id.is_empty() && known.wrong.is_none()).then_some(known)
}
