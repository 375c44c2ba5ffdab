//! What replaces entries of the file's `config` for one run, as for a variant of an eval (docs/reference/eval.md).

use rquickjs::{Ctx, Object, Result, Value, object::Filter};
use serde_json::{Map, Value as Json};

use super::model_choice::copy_config;
use crate::bindings::{prompt::known_options, values::from_json};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfigOverrides {
    /// Replaces entries of `config.options`.
    pub options: Map<String, Json>,
    /// Replaces entries of `config.limits`.
    pub limits: Map<String, Json>,
}

impl ConfigOverrides {
    /// The `config` with these entries. A copy, as other files may have imported the original.
    pub(super) fn apply<'js>(&self, ctx: &Ctx<'js>, config: Object<'js>) -> Result<Object<'js>> {
        if *self == ConfigOverrides::default() {
            return Ok(config);
        }
        let changed = copy_config(ctx, Some(&config))?;
        for (key, entries) in [("options", &self.options), ("limits", &self.limits)] {
            if entries.is_empty() {
                continue;
            }
            let merged = Object::new(ctx.clone())?;
            let own: Value = config.get(key)?;
            // A value that is no object is reported when it is read.
            if !(own.is_undefined() || own.is_null() || put_entries(&own, &merged)?) {
                continue;
            }
            for (name, value) in entries {
                merged.set(known_options::usual_name(name), from_json(ctx, value)?)?;
            }
            changed.set(key, merged)?;
        }
        Ok(changed)
    }
}

/// Copies the entries of a layer of options into those below it. Returns whether the layer is an object.
pub(super) fn put_entries<'js>(layer: &Value<'js>, to: &Object<'js>) -> Result<bool> {
    let Some(layer) = layer.as_object().filter(|_| !layer.is_array() && !layer.is_function()) else {
        return Ok(false);
    };
    for entry in layer.own_props::<String, Value>(Filter::new().string().enum_only()) {
        let (key, value) = entry?;
        if !value.is_undefined() {
            to.set(known_options::usual_name(&key), value)?;
        }
    }
    Ok(true)
}
