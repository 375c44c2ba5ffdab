//! What bindings need from the host, stored in the runtime's user data.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    path::Path,
    rc::Rc,
};

use futures_util::future::LocalBoxFuture;
use rquickjs::{Ctx, Error, JsLifetime, Result};

use super::{
    prompt::{core::Core, object::PromptObject},
    values::plain_error,
};
use crate::prompt::{Decisions, Jobs, RunError, RunLimits, RunOutcome, RunRecord, StepLoop, Turns};
use lmthing_base::{
    chat::Step,
    checkpoint::Checkpoints,
    event::{AgentIdentity, AgentScope, Events},
    permission::Approver,
};
use lmthing_node::{diagnose, environment};
use lmthing_providers::{
    Env, LanguageModel, MockModel, ProviderContext, ProviderError, Recording, Redactor, Replay, model_name, resolve,
};
use lmthing_typescript::sandbox::{Sandbox, SandboxConfig};

/// Tens of megabytes of recorded parts, which the collector does not count.
const MAX_PARTS_BEFORE_GC: usize = 50_000;

/// Where answers come from (`run --record`, `run --replay`, `test`). Does not apply to mocks and models in JavaScript.
#[derive(Clone, Default)]
pub enum Exchanges {
    #[default]
    Live,
    Record(Rc<Recording>),
    Replay(Rc<Replay>),
    Tested(Rc<dyn TestExchanges>),
}

/// Replaces models in a test, which must not call them, or not twice.
pub trait TestExchanges {
    fn model(
        &self,
        name: &str,
        providers: &ProviderContext,
    ) -> std::result::Result<Rc<dyn LanguageModel>, ProviderError>;

    /// Wraps a model that a script made. Never called with a mock.
    fn model_object(&self, model: Rc<dyn LanguageModel>) -> Rc<dyn LanguageModel>;
}

impl Exchanges {
    /// The model for a model string. A replay follows aliases and needs no key.
    pub fn model(
        &self,
        name: &str,
        providers: &ProviderContext,
    ) -> std::result::Result<Rc<dyn LanguageModel>, ProviderError> {
        match self {
            Exchanges::Live => resolve(name, providers),
            Exchanges::Record(recording) => Ok(recording.wrap(resolve(name, providers)?)),
            Exchanges::Replay(replay) => {
                // Only used for prices, so a model that cannot be set up is no error.
                let model_identities =
                    resolve(name, providers).map(|model| model.model_identities()).unwrap_or_default();
                Ok(replay.model_priced_as(&model_name(name, providers), model_identities))
            }
            Exchanges::Tested(tested) => tested.model(name, providers),
        }
    }

    pub fn model_object(&self, model: Rc<dyn LanguageModel>) -> Rc<dyn LanguageModel> {
        match self {
            Exchanges::Live => model,
            Exchanges::Record(recording) => recording.wrap(model),
            Exchanges::Replay(replay) => {
                replay.model_priced_as(&format!("{}:{}", model.provider(), model.model_id()), model.model_identities())
            }
            Exchanges::Tested(tested) => tested.model_object(model),
        }
    }
}

#[derive(Clone)]
pub struct HostServices {
    pub step_loop: Rc<dyn StepLoop>,
    pub providers: ProviderContext,
    pub exchanges: Exchanges,
    pub events: Rc<Events>,
    pub limits: Rc<dyn RunLimits>,
    pub approver: Rc<dyn Approver>,
    pub checkpoints: Rc<dyn Checkpoints>,
    pub jobs: Rc<Jobs>,
    pub decisions: Rc<Decisions>,
    pub mcp_config: Option<Rc<Path>>,
    /// The user, if the file is run as a conversation.
    pub turns: Option<Rc<dyn Turns>>,
}

/// Initially the host's environment, later what the script made of `process.env`.
struct ScriptEnv {
    initial: Rc<dyn Env>,
    /// `process.env` as last read; `None` if no script has used it.
    changed: RefCell<Option<BTreeMap<String, String>>>,
}

impl Env for ScriptEnv {
    fn get(&self, name: &str) -> Option<String> {
        match &*self.changed.borrow() {
            Some(variables) => variables.get(name).cloned(),
            None => self.initial.get(name),
        }
    }

    fn names(&self) -> Vec<String> {
        match &*self.changed.borrow() {
            Some(variables) => variables.keys().cloned().collect(),
            None => self.initial.names(),
        }
    }
}

pub(crate) struct ChildRun {
    pub text: String,
    pub steps: Vec<Rc<Step>>,
}

pub(crate) type RunChild = for<'js> fn(Ctx<'js>, PromptObject<'js>) -> LocalBoxFuture<'js, Result<ChildRun>>;

#[derive(JsLifetime)]
pub(crate) struct Services {
    host: HostServices,
    variables: Rc<ScriptEnv>,
    /// A function pointer, because `run` imports `agents` and must not be imported by it.
    run_child: RunChild,
    mock: RefCell<Option<Rc<MockModel>>>,
    /// Number of mocks made so far; `None` once prompts run.
    mock_count: Cell<Option<usize>>,
    /// Runs that have not succeeded, by number, to find failures that no code observed.
    runs: RefCell<BTreeMap<u64, Rc<RunRecord>>>,
    run_count: Cell<u64>,
    recorded: Cell<usize>,
    sandboxes: RefCell<Vec<Rc<Sandbox>>>,
}

pub(crate) fn install(ctx: &Ctx<'_>, mut host: HostServices, run_child: RunChild) -> Result<()> {
    let variables = Rc::new(ScriptEnv { initial: host.providers.env, changed: RefCell::default() });
    host.providers.env = variables.clone();
    let services = Services {
        host,
        variables,
        run_child,
        mock: RefCell::default(),
        mock_count: Cell::new(Some(0)),
        runs: RefCell::default(),
        run_count: Cell::new(0),
        recorded: Cell::new(0),
        sandboxes: RefCell::default(),
    };
    let stored = ctx.store_userdata(services);
    stored.map(drop).map_err(|_| plain_error(ctx, "user data is in use"))
}

fn with<R>(ctx: &Ctx<'_>, read: impl FnOnce(&Services) -> R) -> Result<R> {
    match ctx.userdata::<Services>() {
        Some(services) => Ok(read(&services)),
        None => Err(plain_error(ctx, "lmthing's bindings are not installed in this engine")),
    }
}

pub(crate) fn step_loop(ctx: &Ctx<'_>) -> Result<Rc<dyn StepLoop>> {
    with(ctx, |services| services.host.step_loop.clone())
}

pub(crate) fn events(ctx: &Ctx<'_>) -> Result<Rc<Events>> {
    with(ctx, |services| services.host.events.clone())
}

pub(crate) fn limits(ctx: &Ctx<'_>) -> Result<Rc<dyn RunLimits>> {
    with(ctx, |services| services.host.limits.clone())
}

pub(crate) fn approver(ctx: &Ctx<'_>) -> Result<Rc<dyn Approver>> {
    with(ctx, |services| services.host.approver.clone())
}

pub(crate) fn jobs(ctx: &Ctx<'_>) -> Result<Rc<Jobs>> {
    with(ctx, |services| services.host.jobs.clone())
}

pub(crate) fn decisions(ctx: &Ctx<'_>) -> Result<Rc<Decisions>> {
    with(ctx, |services| services.host.decisions.clone())
}

pub(crate) fn mcp_config(ctx: &Ctx<'_>) -> Result<Option<Rc<Path>>> {
    with(ctx, |services| services.host.mcp_config.clone())
}

pub(crate) fn turns(ctx: &Ctx<'_>) -> Result<Option<Rc<dyn Turns>>> {
    with(ctx, |services| services.host.turns.clone())
}

pub(crate) fn checkpoints(ctx: &Ctx<'_>) -> Result<Rc<dyn Checkpoints>> {
    with(ctx, |services| services.host.checkpoints.clone())
}

/// The event scope of a prompt. A prompt that has no agent yet is one that the file runs itself.
pub(crate) fn scope(ctx: &Ctx<'_>, core: &Core) -> Result<AgentScope> {
    let events = events(ctx)?;
    let mut agent = core.agent.borrow_mut();
    let agent = agent
        .get_or_insert_with(|| {
            events.agent(&events.root(), AgentIdentity { name: "prompt", tool_call_id: None, definition_hash: None })
        })
        .clone();
    Ok(AgentScope::new(events, agent))
}

/// Emits the end of an agent that failed before its run could do so. Returns the error.
pub(crate) fn end_failed(ctx: &Ctx<'_>, scope: &AgentScope, error: Error) -> Error {
    let Error::Exception = error else {
        scope.end(Some(&error.to_string()));
        return error;
    };
    let thrown = ctx.catch();
    scope.end(Some(&diagnose(ctx, thrown.clone()).diagnostic.message));
    ctx.throw(thrown)
}

pub(crate) fn exchanges(ctx: &Ctx<'_>) -> Result<Exchanges> {
    with(ctx, |services| services.host.exchanges.clone())
}

/// The provider context with the current `process.env` (docs/reference/prompt-files.md).
pub(crate) fn providers(ctx: &Ctx<'_>) -> Result<ProviderContext> {
    refresh_environment(ctx)?;
    with(ctx, |services| services.host.providers.clone())
}

pub(crate) fn redactor(ctx: &Ctx<'_>) -> Result<Redactor> {
    with(ctx, |services| services.host.providers.redactor.clone())
}

/// Applies the script's changes of `process.env` to models made earlier: proxies and certificates of their next
/// request.
pub(crate) fn refresh_environment(ctx: &Ctx<'_>) -> Result<()> {
    if let Some(variables) = environment(ctx)? {
        with(ctx, |services| services.variables.changed.replace(Some(variables)))?;
    }
    Ok(())
}

pub(crate) async fn run_child<'js>(ctx: &Ctx<'js>, child: &PromptObject<'js>) -> Result<ChildRun> {
    let run = with(ctx, |services| services.run_child)?;
    run(ctx.clone(), child.clone()).await
}

pub(crate) fn mock(ctx: &Ctx<'_>) -> Result<Option<Rc<MockModel>>> {
    with(ctx, |services| services.mock.borrow().clone())
}

pub(crate) fn set_mock(ctx: &Ctx<'_>, mock: MockModel) -> Result<()> {
    with(ctx, |services| {
        number_mock(services, &mock, 0);
        services.mock.replace(Some(Rc::new(mock)));
    })
}

/// Numbers a mock made while modules load, which happens in the same order in every process.
pub(crate) fn count_mock(ctx: &Ctx<'_>, mock: &MockModel) -> Result<()> {
    with(ctx, |services| {
        if let Some(before) = services.mock_count.get() {
            services.mock_count.set(Some(before + 1));
            number_mock(services, mock, before + 1);
        }
    })
}

pub(crate) fn stop_counting_mocks(ctx: &Ctx<'_>) -> Result<()> {
    with(ctx, |services| services.mock_count.set(None))
}

fn number_mock(services: &Services, mock: &MockModel, number: usize) {
    mock.set_number(number, services.host.checkpoints.played(number));
}

pub(crate) struct RunNumber(u64);

pub(crate) fn remember_run(ctx: &Ctx<'_>, record: Rc<RunRecord>) -> Result<RunNumber> {
    with(ctx, |services| {
        let number = services.run_count.get() + 1;
        services.run_count.set(number);
        services.runs.borrow_mut().insert(number, record);
        RunNumber(number)
    })
}

/// The error of a failed run whose result no code observed.
pub(crate) fn unobserved_failure(ctx: &Ctx<'_>) -> Result<Option<Rc<RunError>>> {
    with(ctx, |services| {
        services.runs.borrow().values().find_map(|record| match record.outcome() {
            Some(RunOutcome::Failed(error)) if !record.is_observed() => Some(error),
            _ => None,
        })
    })
}

pub(crate) fn sandbox(ctx: &Ctx<'_>, config: &SandboxConfig) -> Result<Rc<Sandbox>> {
    with(ctx, |services| {
        let mut sandboxes = services.sandboxes.borrow_mut();
        // Shared: it holds the limit of concurrent snippets and the warm worker.
        if let Some(sandbox) = sandboxes.iter().find(|sandbox| sandbox.config() == config) {
            return sandbox.clone();
        }
        let sandbox = Rc::new(Sandbox::new(config.clone()));
        sandboxes.push(sandbox.clone());
        sandbox
    })
}

/// Drops the record of a successful run. Collects garbage after many recorded parts: the engine does not see that
/// memory.
pub(crate) fn run_ended(ctx: &Ctx<'_>, RunNumber(number): RunNumber, record: &RunRecord) -> Result<()> {
    let should_collect = with(ctx, |services| {
        // Records are only kept to find failures, and hold everything the model produced.
        if matches!(record.outcome(), Some(RunOutcome::Done)) {
            services.runs.borrow_mut().remove(&number);
        }
        let recorded = services.recorded.get() + record.part_count();
        let should_collect = recorded >= MAX_PARTS_BEFORE_GC;
        services.recorded.set(if should_collect { 0 } else { recorded });
        should_collect
    })?;
    if should_collect {
        ctx.run_gc();
    }
    Ok(())
}
