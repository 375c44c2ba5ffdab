//! `lmthing:internal/native/eval`: the native half of `lmthing/eval`, which knows the verdicts of judges.

use std::rc::Rc;

use rquickjs::{Ctx, Function, IntoJs, Object, Result, Value, promise::Promised};
use sha2::{Digest, Sha256};

use super::{
    outcome::Verdict,
    scoring::{self, CellUse, current_cell},
};
use crate::bindings::{
    services,
    values::{elements, property, settle, to_json, type_error},
};
use lmthing_node::NativeModule;
use lmthing_providers::model_name;

pub const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/eval", init };

/// The provider of mocks, whose verdicts cost nothing and change with their scripts.
const MOCK: &str = "mock";

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    // verdict(identity, model, ask): the verdict {pass, reason, …} about what `identity` stands for: a known one, or what
    // `ask()` resolves to.
    exports.set("verdict", Function::new(ctx.clone(), verdict)?.with_name("verdict")?)?;
    Ok(exports)
}

fn verdict<'js>(ctx: Ctx<'js>, identity: String, model: Value<'js>, ask: Function<'js>) -> Result<Value<'js>> {
    // Outside of a cell, such as in `rows`, nothing counts verdicts.
    let Some(cell) = current_cell(&ctx)? else { return ask.call(()) };
    let Some(key) = verdict_key(&ctx, &identity, &model)? else { return ask_uncounted(&ctx, &cell, &ask) };
    if let Some(known) = scoring::with(&ctx, |scoring| scoring.known.borrow().get(&key).cloned()).flatten() {
        cell.add(&key, known.cost);
        return to_js(&ctx, &known);
    }
    let under_way = scoring::with(&ctx, |scoring| scoring.under_way.borrow().get(&key).cloned()).flatten();
    let is_first = under_way.is_none();
    let answer = match under_way {
        Some(answer) => answer,
        None => {
            let answer: Value = ask.call(())?;
            scoring::with(&ctx, |scoring| scoring.under_way.borrow_mut().insert(key.clone(), answer.clone()));
            answer
        }
    };
    let asked = cell.ask();
    let inner = ctx.clone();
    let wait = async move {
        let settled = settle(answer).await;
        drop(asked);
        if is_first {
            scoring::with(&inner, |scoring| scoring.under_way.borrow_mut().remove(&key));
        }
        let verdict = read(&inner, &settled?)?;
        cell.add(&key, verdict.cost);
        if is_first {
            let host = scoring::with(&inner, |scoring| {
                scoring.known.borrow_mut().insert(key.clone(), verdict.clone());
                scoring.host.clone()
            });
            host.iter().for_each(|host| host.judged(&key, &verdict));
        }
        to_js(&inner, &verdict)
    };
    Promised(wait).into_js(&ctx)
}

/// Asks a judge whose verdicts are not kept.
fn ask_uncounted<'js>(ctx: &Ctx<'js>, cell: &Rc<CellUse>, ask: &Function<'js>) -> Result<Value<'js>> {
    let answer: Value = ask.call(())?;
    let asked = cell.ask();
    let wait = async move {
        let settled = settle(answer).await;
        drop(asked);
        settled
    };
    Promised(wait).into_js(ctx)
}

fn to_js<'js>(ctx: &Ctx<'js>, verdict: &Verdict) -> Result<Value<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("pass", verdict.pass)?;
    object.set("reason", verdict.reason.as_str())?;
    Ok(object.into_value())
}

fn read<'js>(ctx: &Ctx<'js>, answer: &Value<'js>) -> Result<Verdict> {
    let verdict = serde_json::from_value(to_json(ctx, answer)?);
    verdict.map_err(|error| type_error(ctx, format!("the verdict cannot be read: {error}")))
}

/// Identifies a verdict by its content; `None` for a mock.
fn verdict_key<'js>(ctx: &Ctx<'js>, identity: &str, model: &Value<'js>) -> Result<Option<String>> {
    let models = match model.as_array() {
        Some(list) => elements(list)?,
        None => vec![model.clone()],
    };
    let mut hash = Sha256::new();
    hash.update(identity);
    for model in models {
        let Some(name) = name_of(ctx, &model)? else { return Ok(None) };
        hash.update([0]);
        hash.update(name);
    }
    Ok(Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// `provider:model`, with aliases resolved.
fn name_of<'js>(ctx: &Ctx<'js>, model: &Value<'js>) -> Result<Option<String>> {
    if let Some(name) = model.as_string() {
        let name = name.to_string()?;
        return Ok((name != MOCK).then_some(model_name(&name, &services::providers(ctx)?)));
    }
    let Some(object) = model.as_object() else { return Ok(None) };
    let text =
        |key: &str| Ok::<_, rquickjs::Error>(property(object, key)?.and_then(|value| value.get::<String>().ok()));
    let (provider, model_id) = (text("provider")?, text("modelId")?);
    Ok(provider.zip(model_id).filter(|(provider, _)| provider != MOCK).map(|(provider, id)| format!("{provider}:{id}")))
}
