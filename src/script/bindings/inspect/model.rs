//! The model of a file: whether there is such a one, and whether it could be asked. Nobody asks it. Must not know what else is
//! wrong with `config`.

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result, Value};

use super::{
    fault::{Fault, Key, Weight},
    verdict::thrown,
};
use crate::{
    provider::{MissingSetUp, MockModel, MockOptions, missing_set_up},
    script::bindings::{
        models::resolve::{model_object, resolve},
        run::file::set_mock,
        services,
        values::elements,
    },
};

/// Looks at `config.model` and the export `mock`. Gives the model to render with: the file's own, or one that stands in for it.
pub(super) fn model<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    config: &Object<'js>,
    name: &str,
    faults: &mut Vec<Fault>,
) -> Result<Value<'js>> {
    let own: Value = config.get("model")?;
    if own.is_undefined() || own.is_null() {
        let fault = Fault::error("model", &["config"], format!("the export config of {name} has no model"));
        faults.push(fault.with_hint(Some("export const config = { model: 'openai:gpt-4o' };".to_owned())));
        return stand_in(ctx);
    }
    if let Err(error) = set_mock(ctx, namespace, config, name, None) {
        let place = if namespace.contains_key("mock")? { vec!["mock"] } else { vec!["config", "model"] };
        faults.push(in_place(thrown(ctx, error, "mock"), &place));
        return stand_in(ctx);
    }
    match resolve(ctx, &own, None) {
        Ok(_) => {
            faults.extend(missing(ctx, &own)?);
            Ok(own)
        }
        Err(error) => {
            faults.push(in_place(thrown(ctx, error, "model"), &["config", "model"]));
            stand_in(ctx)
        }
    }
}

/// A fault about an export, wherever it was thrown.
pub(super) fn in_place(fault: Fault, place: &[&str]) -> Fault {
    Fault { location: None, place: Fault::error("", place, "").place, ..fault }
}

fn stand_in<'js>(ctx: &Ctx<'js>) -> Result<Value<'js>> {
    model_object(ctx, Rc::new(MockModel::new(Vec::new(), MockOptions::default())))
}

/// Keys that are missing. Of models that are no strings nothing is known.
fn missing(ctx: &Ctx<'_>, model: &Value<'_>) -> Result<Vec<Fault>> {
    let providers = services::providers(ctx)?;
    let models = match model.as_array() {
        Some(list) => elements(list)?.into_iter().enumerate().map(|(index, model)| (Some(index), model)).collect(),
        None => vec![(None, model.clone())],
    };
    let fault = |(index, model): (Option<usize>, Value<'_>)| {
        let missing = missing_set_up(&model.as_string()?.to_string().ok()?, &providers)?;
        let mut fault = not_set_up(&missing);
        fault.place.extend(index.map(Key::Index));
        Some(fault)
    };
    Ok(models.into_iter().filter_map(fault).collect())
}

fn not_set_up(missing: &MissingSetUp) -> Fault {
    let MissingSetUp { provider, variables, get_key_at } = missing;
    let message = match variables.as_slice() {
        [] => format!("{provider} is not set up"),
        [variable] => format!("{variable} is not set; {provider} needs it when the file runs"),
        variables => format!("{provider} needs one of {} when the file runs; none is set", variables.join(", ")),
    };
    let hint = get_key_at.map(|place| format!("get a key at {place} and write it into .env"));
    Fault::error("model", &["config", "model"], message).weighing(Weight::Warning).with_hint(hint)
}
