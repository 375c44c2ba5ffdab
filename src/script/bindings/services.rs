//! What bindings need from the rest of the program, kept in the runtime's user data.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use rquickjs::{Ctx, Function, JsLifetime, Object, Result};

use super::values::{plain_error, property, to_json, type_error};
use crate::{
    prompt::{RunRecord, StepLoop},
    provider::{LanguageModel, MockModel, ProviderContext, ProviderError, Recording, Replay},
    sandbox::{Sandbox, SandboxConfig},
    script::import_builtin,
};

/// Some tens of megabytes of recorded parts.
const MANY_PARTS: usize = 50_000;

/// What happens to exchanges with models (`run --record`, `run --replay`). Mock models and models written in JavaScript
/// answer for themselves.
#[derive(Clone, Default)]
pub enum Exchanges {
    /// Models answer, nothing is kept.
    #[default]
    Live,
    /// Models answer, and every exchange is written down.
    Record(Rc<Recording>),
    /// A recording answers.
    Replay(Rc<Replay>),
}

impl Exchanges {
    /// The model as it is to be used; `find` looks it up, which a replay never does.
    pub(crate) fn model(
        &self,
        name: &str,
        find: impl FnOnce() -> std::result::Result<Rc<dyn LanguageModel>, ProviderError>,
    ) -> std::result::Result<Rc<dyn LanguageModel>, ProviderError> {
        match self {
            Exchanges::Live => find(),
            Exchanges::Record(recording) => find().map(|model| recording.wrap(model)),
            Exchanges::Replay(replay) => Ok(replay.model(name)),
        }
    }
}

/// The doors out of the bindings.
#[derive(Clone)]
pub struct Doors {
    /// Drives a prompt from its first step to its end.
    pub step_loop: Rc<dyn StepLoop>,
    /// Keys, aliases and base URLs of the providers, and who hears of their waits.
    pub providers: ProviderContext,
    /// Where answers come from: the models themselves, or a recording.
    pub exchanges: Exchanges,
}

/// [`Doors`] and what bindings keep for the whole runtime.
#[derive(JsLifetime)]
pub(crate) struct Services<'js> {
    pub(crate) doors: Doors,
    /// The model of the prompt file's `mock` array; what `model: 'mock'` means.
    pub(crate) mock: RefCell<Option<Rc<MockModel>>>,
    /// Every run that was started, to find failures nobody looked at.
    pub(crate) runs: RefCell<Vec<Rc<RunRecord>>>,
    /// How many parts runs have recorded since unreachable ones were last looked for.
    recorded: Cell<usize>,
    /// Where model-written code runs, one for each configuration in use.
    sandboxes: RefCell<Vec<Rc<Sandbox>>>,
    /// zod's `toJSONSchema`, once it was needed.
    to_json_schema: RefCell<Option<Function<'js>>>,
}

impl<'js> Services<'js> {
    pub(crate) fn new(doors: Doors) -> Self {
        Services {
            doors,
            mock: RefCell::default(),
            runs: RefCell::default(),
            recorded: Cell::new(0),
            sandboxes: RefCell::default(),
            to_json_schema: RefCell::default(),
        }
    }
}

/// The doors of a runtime that has bindings.
pub(crate) fn doors(ctx: &Ctx<'_>) -> Result<Doors> {
    with(ctx, |services| services.doors.clone())
}

/// Reads the services.
pub(crate) fn with<'js, R>(ctx: &Ctx<'js>, read: impl FnOnce(&Services<'js>) -> R) -> Result<R> {
    match ctx.userdata::<Services<'js>>() {
        Some(services) => Ok(read(&services)),
        None => Err(plain_error(ctx, "lmthing's bindings are not installed in this engine")),
    }
}

/// zod's `toJSONSchema`, from the built-in zod.
pub(crate) fn zod_to_json_schema<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    if let Some(convert) = with(ctx, |services| services.to_json_schema.borrow().clone())? {
        return Ok(convert);
    }
    let convert: Function = import_builtin(ctx, "zod")?.get("toJSONSchema")?;
    with(ctx, |services| *services.to_json_schema.borrow_mut() = Some(convert.clone()))?;
    Ok(convert)
}

/// The settings of `config.sandbox`. Throws a `TypeError` that names the field.
pub(crate) fn sandbox_config<'js>(ctx: &Ctx<'js>, bag: &Object<'js>) -> Result<SandboxConfig> {
    let Some(given) = property(bag, "sandbox")? else { return Ok(SandboxConfig::default()) };
    let wrong = |error: serde_json::Error| type_error(ctx, format!("config.sandbox: {error}"));
    let config: SandboxConfig = serde_json::from_value(to_json(ctx, &given)?).map_err(wrong)?;
    config.validate().map_err(|problem| type_error(ctx, problem))?;
    Ok(config)
}

/// The sandbox of a prompt; prompts with the same settings share one.
pub(crate) fn sandbox<'js>(ctx: &Ctx<'js>, bag: &Object<'js>) -> Result<Rc<Sandbox>> {
    let config = sandbox_config(ctx, bag)?;
    with(ctx, |services| {
        let mut sandboxes = services.sandboxes.borrow_mut();
        if let Some(sandbox) = sandboxes.iter().find(|sandbox| *sandbox.config() == config) {
            return sandbox.clone();
        }
        let sandbox = Rc::new(Sandbox::new(config));
        sandboxes.push(sandbox.clone());
        sandbox
    })
}

/// Notes what a finished run has recorded, and looks for unreachable runs when much has come together: their records are
/// memory that the engine does not see, so that it would not look by itself.
pub(crate) fn run_recorded(ctx: &Ctx<'_>, parts: usize) -> Result<()> {
    let is_much = with(ctx, |services| {
        let recorded = services.recorded.get() + parts;
        let is_much = recorded >= MANY_PARTS;
        services.recorded.set(if is_much { 0 } else { recorded });
        is_much
    })?;
    if is_much {
        ctx.run_gc();
    }
    Ok(())
}
