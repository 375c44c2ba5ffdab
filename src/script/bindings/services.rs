//! What bindings need from the rest of the program, kept in the runtime's user data: it goes with the runtime, which no
//! global of Rust's would. Must not know what is behind the doors.

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
use crate::{
    chat::Step,
    checkpoint::Checkpoints,
    event::{AgentIdentity, AgentScope, Events},
    permission::Approver,
    prompt::{Decisions, Jobs, RunError, RunLimits, RunOutcome, RunRecord, StepLoop},
    provider::{
        Env, LanguageModel, MockModel, ProviderContext, ProviderError, Recording, Redactor, Replay, model_name, resolve,
    },
    sandbox::{Sandbox, SandboxConfig},
    script::{diagnose, environment},
};

/// Some tens of megabytes of recorded parts.
const MANY_PARTS: usize = 50_000;

/// What happens to exchanges with models (`run --record`, `run --replay`, `test`). Mock models and models written in JavaScript
/// answer for themselves.
#[derive(Clone, Default)]
pub(crate) enum Exchanges {
    /// Models answer, nothing is kept.
    #[default]
    Live,
    /// Models answer, and every exchange is written down.
    Record(Rc<Recording>),
    /// A recording answers.
    Replay(Rc<Replay>),
    /// A test says who answers (`lmthing test`).
    Tested(Rc<dyn TestExchanges>),
}

/// What stands between the models that a file names and a test that must not ask them, or not twice.
pub(crate) trait TestExchanges {
    /// The model that a string means, as it is to be used.
    fn model(
        &self,
        name: &str,
        providers: &ProviderContext,
    ) -> std::result::Result<Rc<dyn LanguageModel>, ProviderError>;

    /// A model that a script has made, as it is to be used; no mock.
    fn model_object(&self, model: Rc<dyn LanguageModel>) -> Rc<dyn LanguageModel>;
}

impl Exchanges {
    /// The model that a string means, as it is to be used. A replay follows aliases and needs no key.
    pub(crate) fn model(
        &self,
        name: &str,
        providers: &ProviderContext,
    ) -> std::result::Result<Rc<dyn LanguageModel>, ProviderError> {
        match self {
            Exchanges::Live => resolve(name, providers),
            Exchanges::Record(recording) => Ok(recording.wrap(resolve(name, providers)?)),
            Exchanges::Replay(replay) => {
                // Only for the price: whether it can be set up does not matter now.
                let model_identities =
                    resolve(name, providers).map(|model| model.model_identities()).unwrap_or_default();
                Ok(replay.model_priced_as(&model_name(name, providers), model_identities))
            }
            Exchanges::Tested(tested) => tested.model(name, providers),
        }
    }

    /// A model that a script has made, as it is to be used.
    pub(crate) fn model_object(&self, model: Rc<dyn LanguageModel>) -> Rc<dyn LanguageModel> {
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

/// The doors out of the bindings.
#[derive(Clone)]
pub(crate) struct Doors {
    /// Drives a prompt from its first step to its end.
    pub step_loop: Rc<dyn StepLoop>,
    /// Keys, aliases and base URLs of the providers, and who hears of their waits.
    pub providers: ProviderContext,
    /// Where answers come from: the models themselves, or a recording.
    pub exchanges: Exchanges,
    /// Where everything that happens is told.
    pub events: Rc<Events>,
    /// What the whole run may use.
    pub limits: Rc<dyn RunLimits>,
    /// Decides on calls that need approval.
    pub approver: Rc<dyn Approver>,
    /// Where what is done is kept, so that another process can go on.
    pub checkpoints: Rc<dyn Checkpoints>,
    /// What is at work, where the run may stop for an approval.
    pub jobs: Rc<Jobs>,
    /// What was decided on calls that need approval.
    pub decisions: Rc<Decisions>,
    /// The file that names servers (`--mcp-config`).
    pub mcp_config: Option<Rc<Path>>,
}

/// The variables of a run: as it began, then as the script has made them.
struct Variables {
    first: Rc<dyn Env>,
    /// What `process.env` held when it was looked at last; `None` while no script has touched it.
    changed: RefCell<Option<BTreeMap<String, String>>>,
}

impl Env for Variables {
    fn get(&self, name: &str) -> Option<String> {
        match &*self.changed.borrow() {
            Some(variables) => variables.get(name).cloned(),
            None => self.first.get(name),
        }
    }

    fn names(&self) -> Vec<String> {
        match &*self.changed.borrow() {
            Some(variables) => variables.keys().cloned().collect(),
            None => self.first.names(),
        }
    }
}

/// What the run of an agent's child gave.
pub(crate) struct ChildRun {
    /// The text of the last step.
    pub(crate) text: String,
    /// Everything the child did.
    pub(crate) steps: Vec<Rc<Step>>,
}

/// Runs a prompt that is set up to its end; throws when the run breaks off.
pub(crate) type RunChild = for<'js> fn(Ctx<'js>, PromptObject<'js>) -> LocalBoxFuture<'js, Result<ChildRun>>;

/// [`Doors`] and what bindings keep for the whole runtime.
#[derive(JsLifetime)]
pub(crate) struct Services {
    doors: Doors,
    /// The environment of `doors.providers`.
    variables: Rc<Variables>,
    /// Runs agents' children: a door, because running prompts knows agents, and agents must not know it in turn.
    run_child: RunChild,
    /// The model of the prompt file's `mock` array; what `model: 'mock'` means.
    mock: RefCell<Option<Rc<MockModel>>>,
    /// How many mocks were made; none is counted any more once prompts run.
    mocks: Cell<Option<usize>>,
    /// The runs that were started and have not gone well, by their numbers: to find failures nobody looked at.
    runs: RefCell<BTreeMap<u64, Rc<RunRecord>>>,
    /// How many runs were started.
    started: Cell<u64>,
    /// How many parts runs have recorded since unreachable ones were last looked for.
    recorded: Cell<usize>,
    /// Where model-written code runs, one for each configuration in use.
    sandboxes: RefCell<Vec<Rc<Sandbox>>>,
}

/// Stores the services; done once an engine.
pub(crate) fn install(ctx: &Ctx<'_>, mut doors: Doors, run_child: RunChild) -> Result<()> {
    let variables = Rc::new(Variables { first: doors.providers.env, changed: RefCell::default() });
    doors.providers.env = variables.clone();
    let services = Services {
        doors,
        variables,
        run_child,
        mock: RefCell::default(),
        mocks: Cell::new(Some(0)),
        runs: RefCell::default(),
        started: Cell::new(0),
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

/// What drives prompts.
pub(crate) fn step_loop(ctx: &Ctx<'_>) -> Result<Rc<dyn StepLoop>> {
    with(ctx, |services| services.doors.step_loop.clone())
}

/// Where everything that happens in the run is told.
pub(crate) fn events(ctx: &Ctx<'_>) -> Result<Rc<Events>> {
    with(ctx, |services| services.doors.events.clone())
}

/// What the whole run may use.
pub(crate) fn limits(ctx: &Ctx<'_>) -> Result<Rc<dyn RunLimits>> {
    with(ctx, |services| services.doors.limits.clone())
}

/// Who decides on calls that need approval.
pub(crate) fn approver(ctx: &Ctx<'_>) -> Result<Rc<dyn Approver>> {
    with(ctx, |services| services.doors.approver.clone())
}

/// What is at work.
pub(crate) fn jobs(ctx: &Ctx<'_>) -> Result<Rc<Jobs>> {
    with(ctx, |services| services.doors.jobs.clone())
}

/// What was decided on calls that need approval.
pub(crate) fn decisions(ctx: &Ctx<'_>) -> Result<Rc<Decisions>> {
    with(ctx, |services| services.doors.decisions.clone())
}

/// The file that names servers.
pub(crate) fn mcp_config(ctx: &Ctx<'_>) -> Result<Option<Rc<Path>>> {
    with(ctx, |services| services.doors.mcp_config.clone())
}

/// Where what is done is kept.
pub(crate) fn checkpoints(ctx: &Ctx<'_>) -> Result<Rc<dyn Checkpoints>> {
    with(ctx, |services| services.doors.checkpoints.clone())
}

/// Where a prompt tells what happens to it. One that nobody has named works for the file, by hand.
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

/// Tells that an agent's work ended with a failure before its run could tell so; hands the failure back.
pub(crate) fn end_failed(ctx: &Ctx<'_>, scope: &AgentScope, error: Error) -> Error {
    let Error::Exception = error else {
        scope.end(Some(&error.to_string()));
        return error;
    };
    let thrown = ctx.catch();
    scope.end(Some(&diagnose(ctx, thrown.clone()).diagnostic.message));
    ctx.throw(thrown)
}

/// Whether models answer or a recording does.
pub(crate) fn exchanges(ctx: &Ctx<'_>) -> Result<Exchanges> {
    with(ctx, |services| services.doors.exchanges.clone())
}

/// Keys, aliases and base URLs as they are now (docs/reference.md, "Prompt files"): what the script has written to
/// `process.env` counts.
pub(crate) fn providers(ctx: &Ctx<'_>) -> Result<ProviderContext> {
    read_environment(ctx)?;
    with(ctx, |services| services.doors.providers.clone())
}

/// What knows the secrets of the run.
pub(crate) fn redactor(ctx: &Ctx<'_>) -> Result<Redactor> {
    with(ctx, |services| services.doors.providers.redactor.clone())
}

/// Lets models that were made earlier see what the script has written to `process.env` since: proxies and certificates
/// count for the next request.
pub(crate) fn read_environment(ctx: &Ctx<'_>) -> Result<()> {
    if let Some(variables) = environment(ctx)? {
        with(ctx, |services| services.variables.changed.replace(Some(variables)))?;
    }
    Ok(())
}

/// Runs the child of an agent.
pub(crate) async fn run_child<'js>(ctx: &Ctx<'js>, child: &PromptObject<'js>) -> Result<ChildRun> {
    let run = with(ctx, |services| services.run_child)?;
    run(ctx.clone(), child.clone()).await
}

/// The model that `'mock'` stands for, when the prompt file has one.
pub(crate) fn mock(ctx: &Ctx<'_>) -> Result<Option<Rc<MockModel>>> {
    with(ctx, |services| services.mock.borrow().clone())
}

/// Sets the model that `'mock'` stands for.
pub(crate) fn set_mock(ctx: &Ctx<'_>, mock: MockModel) -> Result<()> {
    with(ctx, |services| {
        number_mock(services, &mock, 0);
        services.mock.replace(Some(Rc::new(mock)));
    })
}

/// Numbers a mock that a module makes while it is loaded, which it does in the same order in every process.
pub(crate) fn count_mock(ctx: &Ctx<'_>, mock: &MockModel) -> Result<()> {
    with(ctx, |services| {
        if let Some(before) = services.mocks.get() {
            services.mocks.set(Some(before + 1));
            number_mock(services, mock, before + 1);
        }
    })
}

/// Says that prompts run from now on.
pub(crate) fn stop_counting_mocks(ctx: &Ctx<'_>) -> Result<()> {
    with(ctx, |services| services.mocks.set(None))
}

fn number_mock(services: &Services, mock: &MockModel, number: usize) {
    mock.set_number(number, services.doors.checkpoints.played(number));
}

/// A run that was started, until it is told of its end.
pub(crate) struct RunNumber(u64);

/// Remembers a run that was started.
pub(crate) fn remember_run(ctx: &Ctx<'_>, record: Rc<RunRecord>) -> Result<RunNumber> {
    with(ctx, |services| {
        let number = services.started.get() + 1;
        services.started.set(number);
        services.runs.borrow_mut().insert(number, record);
        RunNumber(number)
    })
}

/// Why a run broke off whose result nobody looked at, if there is one.
pub(crate) fn unobserved_failure(ctx: &Ctx<'_>) -> Result<Option<Rc<RunError>>> {
    with(ctx, |services| {
        services.runs.borrow().values().find_map(|record| match record.outcome() {
            Some(RunOutcome::Failed(error)) if !record.is_observed() => Some(error),
            _ => None,
        })
    })
}

/// The sandbox with these settings; prompts with the same share one.
pub(crate) fn sandbox(ctx: &Ctx<'_>, config: &SandboxConfig) -> Result<Rc<Sandbox>> {
    with(ctx, |services| {
        let mut sandboxes = services.sandboxes.borrow_mut();
        // One holds the limit of pieces that run at a time, and the warm worker.
        if let Some(sandbox) = sandboxes.iter().find(|sandbox| sandbox.config() == config) {
            return sandbox.clone();
        }
        let sandbox = Rc::new(Sandbox::new(config.clone()));
        sandboxes.push(sandbox.clone());
        sandbox
    })
}

/// Forgets a run that went well. Notes what it has recorded, and looks for unreachable runs when much has come together: their
/// records are memory that the engine does not see, so that it would not look by itself.
pub(crate) fn run_ended(ctx: &Ctx<'_>, RunNumber(number): RunNumber, record: &RunRecord) -> Result<()> {
    let is_much = with(ctx, |services| {
        // Kept only to find failures, and a record holds everything the model said.
        if matches!(record.outcome(), Some(RunOutcome::Done)) {
            services.runs.borrow_mut().remove(&number);
        }
        let recorded = services.recorded.get() + record.part_count();
        let is_much = recorded >= MANY_PARTS;
        services.recorded.set(if is_much { 0 } else { recorded });
        is_much
    })?;
    if is_much {
        ctx.run_gc();
    }
    Ok(())
}
