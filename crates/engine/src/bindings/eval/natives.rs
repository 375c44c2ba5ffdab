//! `lmthing:internal/native/eval`: the native half of `lmthing/eval`, which knows the verdicts of judges.

use std::rc::Rc;

use rquickjs::{Ctx, Function, IntoJs, Object, Result, Value, promise::Promised};
use sha2::{Digest, Sha256};

use super::{
    outcome::Verdict,
    scoring::{self, CellUse, current_cell},
};
use crate::bindings::{
    models::resolve::native_model,
    services,
    values::{elements, settle, to_json, type_error},
};
use lmthing_node::NativeModule;
use lmthing_providers::{model_name, resolve};

pub const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/eval", init };

/// The provider of mocks, and the name of the mock of a file.
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
    let Some(Key { key, is_kept }) = Key::of(&ctx, &identity, &model)? else {
        return ask_uncounted(&ctx, &cell, &ask);
    };
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
            host.iter().for_each(|host| host.judged(is_kept.then_some(key.as_str()), &verdict));
        }
        to_js(&inner, &verdict)
    };
    Promised(wait).into_js(&ctx)
}

/// Asks a mock, whose verdicts cost nothing and change with its script.
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

/// Identifies a verdict by its content and by where it is asked.
struct Key {
    key: String,
    /// Whether it identifies the verdict for later commands too.
    is_kept: bool,
}

impl Key {
    /// `None` for a mock.
    fn of<'js>(ctx: &Ctx<'js>, identity: &str, model: &Value<'js>) -> Result<Option<Key>> {
        let models = match model.as_array() {
            Some(list) => elements(list)?,
            None => vec![model.clone()],
        };
        let (mut hash, mut is_kept) = (Sha256::new(), true);
        hash.update(identity);
        for model in models {
            let setup = match setup_of(ctx, &model)? {
                Setup::Known(setup) => setup,
                Setup::Mock => return Ok(None),
                Setup::Unknown(number) => {
                    is_kept = false;
                    format!("object {number}")
                }
            };
            hash.update([0]);
            hash.update(setup);
        }
        let key = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Some(Key { key, is_kept }))
    }
}

/// Where and how a model is asked.
enum Setup {
    Mock,
    Known(String),
    /// A model in JavaScript, with its number among those of the process.
    Unknown(usize),
}

fn setup_of<'js>(ctx: &Ctx<'js>, model: &Value<'js>) -> Result<Setup> {
    if let Some(name) = model.as_string() {
        let (name, providers) = (name.to_string()?, services::providers(ctx)?);
        if name == MOCK {
            return Ok(Setup::Mock);
        }
        // A recording answers for models that cannot be set up.
        let setup = resolve(&name, &providers).ok().and_then(|model| model.setup());
        return Ok(Setup::Known(setup.unwrap_or_else(|| model_name(&name, &providers))));
    }
    let native = model.as_object().and_then(native_model);
    match native.as_ref().map(|native| (native.provider(), native.setup())) {
        Some((MOCK, _)) => Ok(Setup::Mock),
        Some((_, Some(setup))) => Ok(Setup::Known(setup)),
        _ => Ok(Setup::Unknown(scoring::with(ctx, |scoring| scoring.number_of(model)).unwrap_or_default())),
    }
}
