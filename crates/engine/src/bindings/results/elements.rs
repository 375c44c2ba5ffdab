//! The elements of an answer that is a list: each is validated once, for `result.elementStream` and `result.output`.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use rquickjs::{Array, Class, Ctx, Result, Value};
use serde_json::Value as Json;

use crate::bindings::{
    prompt::run::{ElementKey, PromptRun},
    values::schema::Schema,
};
use lmthing_base::answer::FoundJson;

/// Distinguishes equal elements of a list.
#[derive(Default)]
pub(super) struct ElementCount(HashMap<u64, usize>);

impl ElementCount {
    pub(super) fn add(&mut self, element: &Json) -> ElementKey {
        let hash = hash_of(element);
        let times = self.0.entry(hash).or_default();
        *times += 1;
        (hash, *times)
    }
}

/// The element as the schema makes it; `None` if it does not match.
pub(super) async fn validated<'js>(
    ctx: &Ctx<'js>,
    run: &Class<'js, PromptRun<'js>>,
    schema: &Schema<'js>,
    (key, index, element): (ElementKey, usize, Value<'js>),
) -> Result<Option<Value<'js>>> {
    let turn = run.borrow().element_turn.clone();
    // Another reader may be at the same element.
    let _turn = turn.lock().await;
    if let Some(known) = run.borrow().valid_element(key) {
        return Ok(Some(known));
    }
    let accepted = schema.element(ctx, index, element).await?;
    if let Some(value) = &accepted {
        run.borrow().keep_element(key, value.clone());
    }
    Ok(accepted)
}

/// A whole answer, which matches JSON Schema, from its elements. `None` if the schema says more of the list, if an element
/// does not match, or if nothing reads elements.
pub(crate) async fn list_of_elements<'js>(
    ctx: &Ctx<'js>,
    run: &Class<'js, PromptRun<'js>>,
    schema: &Schema<'js>,
    answer: &FoundJson,
) -> Result<Option<Value<'js>>> {
    let Some(elements) = answer.value.as_array().filter(|_| answer.problem.is_none()) else { return Ok(None) };
    if !run.borrow().shares_elements() || !schema.is_plain_list()? {
        return Ok(None);
    }
    let (written, list) = (ctx.json_parse(answer.text.as_str())?.get::<Array>()?, Array::new(ctx.clone())?);
    let mut count = ElementCount::default();
    for (index, json) in elements.iter().enumerate() {
        match validated(ctx, run, schema, (count.add(json), index, written.get(index)?)).await? {
            Some(value) => list.set(index, value)?,
            None => return Ok(None),
        }
    }
    Ok(Some(list.into_value()))
}

/// The same for equal values, whatever the order of their keys.
fn hash_of(value: &Json) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_into(value, &mut hasher);
    hasher.finish()
}

fn hash_into(value: &Json, hasher: &mut DefaultHasher) {
    match value {
        Json::Array(values) => {
            (1, values.len()).hash(hasher);
            values.iter().for_each(|value| hash_into(value, hasher));
        }
        Json::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            (2, members.len()).hash(hasher);
            for (name, value) in members {
                name.hash(hasher);
                hash_into(value, hasher);
            }
        }
        scalar => (3, scalar.to_string()).hash(hasher),
    }
}
