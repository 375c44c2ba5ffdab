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
use lmthing_base::diagnostic::Diagnostic;
use lmthing_providers::{EXAMPLE_MODEL, model_name, provider_of};

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
        if let Some(Diagnostic { message, hint, .. }) = provider.missing_key(&name) {
            faults.add(("model", FaultSeverity::Environment), place.to_vec(), message, hint);
        }
        let target = model_name(&name, &providers);
        let model_id = target.split_once(':').map_or("", |(_, id)| id).to_owned();
        faults.models.push(NamedModel { place: place.to_vec(), provider: provider.name, model_id });
    } else if let Some(fault) = faults.list.last_mut() {
        // A provider without its settings is like one without a key.
        fault.severity = FaultSeverity::Environment;
    }
}
