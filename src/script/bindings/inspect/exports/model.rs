//! What is wrong with `config.model`, and whether its key is there. Must not know who would be asked.

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    super::fault::{Fault, Key, Weight},
    faults::{Faults, at, path},
};
use crate::{
    provider::{MissingSetUp, ProviderContext, missing_set_up, model_name},
    script::bindings::{
        models::resolve::{listed, resolve},
        run::file,
        services,
        values::elements,
    },
};

/// Looks at the model of a config whose model is not the export `mock`.
pub(super) fn look<'js>(
    ctx: &Ctx<'js>,
    faults: &mut Faults<'_, 'js>,
    namespace: &Object<'js>,
    name: &str,
    config: &Object<'js>,
) {
    let place = path(&["config", "model"]);
    let Some(model) = faults.read("model", &place, config.get::<_, Value>("model")) else { return };
    if model.is_undefined() || model.is_null() {
        // `modle` has been told of.
        let is_misspelt = faults.found.iter().any(|fault| fault.hint.as_deref() == Some("did you mean 'model'?"));
        if !is_misspelt {
            faults.read("model", &path(&["config"]), file::config(ctx, namespace, name, None));
        }
        return;
    }
    let Some(list) = model.as_array() else {
        return look_at_one(ctx, faults, &place, &model, resolve(ctx, &model, None).map(drop));
    };
    let known = faults.found.len();
    for (index, model) in faults.read("model", &place, elements(list)).into_iter().flatten().enumerate() {
        look_at_one(ctx, faults, &at(&place, index), &model, listed(ctx, index, &model).map(drop));
    }
    if faults.found.len() == known {
        faults.read("model", &place, resolve(ctx, &model, None).map(drop));
    }
}

fn look_at_one<'js>(
    ctx: &Ctx<'js>,
    faults: &mut Faults<'_, 'js>,
    place: &[Key],
    model: &Value<'js>,
    found: Result<()>,
) {
    let is_found = faults.read("model", place, found).is_some();
    let name = model.as_string().and_then(|name| name.to_string().ok());
    let (Some(name), Ok(providers)) = (name, services::providers(ctx)) else { return };
    match missing_set_up(&name, &providers) {
        Some(missing) if is_found => {
            let Fault { message, hint, .. } = not_set_up(&missing);
            faults.add(("model", Weight::Warning), place.to_vec(), message, hint);
        }
        // Without its settings a provider cannot be set up, as little as without its key.
        Some(_) if !is_missing_id(&name, &providers) => {
            if let Some(fault) = faults.found.last_mut() {
                fault.weight = Weight::Warning;
            }
        }
        _ => {}
    }
    if let Some(fault) = faults.found.last_mut().filter(|_| !is_found && name.trim().is_empty()) {
        fault.message = "config.model is empty".to_owned();
        fault.hint = Some("name a model: model: 'openai:gpt-4o'".to_owned());
    }
}

/// Whether nothing stands behind the colon, which no key would mend.
fn is_missing_id(name: &str, context: &ProviderContext) -> bool {
    model_name(name, context).split_once(':').is_none_or(|(_, id)| id.is_empty())
}

fn not_set_up(missing: &MissingSetUp) -> Fault {
    let MissingSetUp { provider, variables, get_key_at } = missing;
    let message = match variables.as_slice() {
        [] => format!("{provider} is not set up"),
        [variable] => format!("{variable} is not set; {provider} needs it when the file runs"),
        variables => format!("{provider} needs one of {} when the file runs; none is set", variables.join(", ")),
    };
    let hint = get_key_at.map(|place| format!("get a key at {place} and write it into .env"));
    Fault::error("model", &[], message).with_hint(hint)
}
