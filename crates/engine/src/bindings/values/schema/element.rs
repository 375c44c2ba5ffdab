//! Validates an element of a list by the schema of the list.

use rquickjs::{Array, Ctx, Function, Object, Result, Value};

use super::Schema;
use crate::bindings::values::property;

/// The checks of `min()`, `max()` and `length()`.
const OF_LENGTH: [&str; 3] = ["min_length", "max_length", "length_equals"];

/// How many wrappers of a zod schema are looked into.
const MOST_WRAPPERS: usize = 50;

impl<'js> Schema<'js> {
    /// The element as the schema of a list makes it, with defaults and transforms; `None` if it does not match. Plain
    /// JSON Schema is not validated here, as it changes nothing.
    pub async fn element(&self, ctx: &Ctx<'js>, index: usize, element: Value<'js>) -> Result<Option<Value<'js>>> {
        match self {
            Schema::Json(_) | Schema::Plain(_) => Ok(Some(element)),
            Schema::Zod(list) => match zod_element(list, index)? {
                Some(schema) => Ok(Schema::Zod(schema).validate(ctx, element).await?.ok()),
                None => self.element_of_list(ctx, element).await,
            },
            Schema::Standard(_) => self.element_of_list(ctx, element).await,
        }
    }

    /// Whether it says no more of a list than what its elements are and how many, as JSON Schema can.
    pub fn is_plain_list(&self) -> Result<bool> {
        let definition = |object: &Object<'js>| object.get::<_, Object>("_zod")?.get::<_, Object>("def");
        let Schema::Zod(list) = self else { return Ok(false) };
        let list = definition(list)?;
        let checks = property(&list, "checks")?.and_then(Value::into_array);
        for check in checks.iter().flat_map(|checks| checks.iter::<Object>()) {
            if !OF_LENGTH.contains(&definition(&check?)?.get::<_, String>("check")?.as_str()) {
                return Ok(false);
            }
        }
        Ok(list.get::<_, String>("type")? == "array")
    }

    /// Validates a list of this element alone. Problems of the list itself, such as its length, are none of the element.
    async fn element_of_list(&self, ctx: &Ctx<'js>, element: Value<'js>) -> Result<Option<Value<'js>>> {
        let list = Array::new(ctx.clone())?;
        list.set(0, element.clone())?;
        match self.check(ctx, list.into_value()).await? {
            Ok(checked) => match checked.as_array().filter(|list| list.len() == 1) {
                Some(list) => list.get(0).map(Some),
                // A transform has made something else of the list.
                None => Ok(Some(element)),
            },
            Err(problems) => Ok(problems.iter().all(|problem| problem.keys.is_empty()).then_some(element)),
        }
    }
}

/// The schema of an element of a zod array or tuple, within wrappers such as `readonly()` and `transform()`.
fn zod_element<'js>(list: &Object<'js>, index: usize) -> Result<Option<Object<'js>>> {
    let mut schema = list.clone();
    for _ in 0..MOST_WRAPPERS {
        let definition: Object = schema.get::<_, Object>("_zod")?.get("def")?;
        let inner = match definition.get::<_, String>("type")?.as_str() {
            "array" => return definition.get("element").map(Some),
            "tuple" => {
                let items: Array = definition.get("items")?;
                if index < items.len() {
                    return items.get(index).map(Some);
                }
                return Ok(property(&definition, "rest")?.and_then(Value::into_object));
            }
            "lazy" => definition.get::<_, Function>("getter")?.call(())?,
            "pipe" if !is_transform(&definition.get("in")?)? => definition.get("in")?,
            "pipe" => definition.get("out")?,
            _ => property(&definition, "innerType")?,
        };
        let Some(inner) = inner.and_then(Value::into_object) else { return Ok(None) };
        schema = inner;
    }
    Ok(None)
}

fn is_transform(schema: &Object<'_>) -> Result<bool> {
    let definition: Object = schema.get::<_, Object>("_zod")?.get("def")?;
    Ok(definition.get::<_, String>("type")? == "transform")
}
