//! Runs prompt files for one file of tests, as `lmthing run` does (docs/testing.md). Must not know what is tested.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::Future,
    path::Path,
    pin::pin,
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::sync::Notify;

use super::collector::Collector;
use crate::{
    chat::FinishReason,
    checkpoint::NoCheckpoints,
    cost::{Limits, OwnPrices, PRICES_VARIABLE},
    diagnostic::{Diagnostic, did_you_mean},
    event::{Events, FailureReport},
    input::CommandLine,
    permission::{DenyingApprover, Permissions},
    prompt::RunError,
    provider::Redactor,
    script::{
        SCRIPT_STACK_SIZE, ScriptHost,
        bindings::{
            Exchanges, FileRun, ModelChoice,
            testing::run::runner::{PromptFileRunner, RunEnd, RunRequest},
        },
    },
    session::{self, AskedModel, FileRunOptions, Meter, RunFailure, Surroundings, run_file, warnings},
    testing::{
        recordings::FileRecordings,
        start::{IN_TEST, MAX_MEMORY, argv},
    },
    user_file::{self, MAX_SETTINGS},
};

/// What all runs of a file of tests have in common.
pub(crate) struct PromptRunnerOptions {
    /// Where output and warnings of prompt files go.
    pub host: Rc<dyn ScriptHost>,
    /// The environment, where a request brings none.
    pub variables: Vec<(String, String)>,
    /// The file that names servers of the Model Context Protocol.
    pub mcp_config: Option<Rc<Path>>,
    /// What prompt files may reach.
    pub permissions: Permissions,
    /// Knows the secrets of the tests, and learns those of their runs.
    pub redactor: Redactor,
    /// Who answers in place of real models; the current test's are asked when a run begins.
    pub recordings: Rc<FileRecordings>,
}

/// Runs prompt files. Clones are the same.
#[derive(Clone)]
pub(crate) struct PromptRunner(Rc<Inner>);

struct Inner {
    options: PromptRunnerOptions,
    /// How many runs were asked for.
    count: Cell<u64>,
    /// Those under way, by their numbers, and whether each is given up.
    under_way: RefCell<BTreeMap<u64, bool>>,
    /// Runs were given up.
    given_up: Notify,
}

impl PromptRunner {
    /// One for each file of tests, on the thread of its engine.
    pub(crate) fn new(options: PromptRunnerOptions) -> Self {
        PromptRunner(Rc::new(Inner {
            options,
            count: Cell::default(),
            under_way: RefCell::default(),
            given_up: Notify::default(),
        }))
    }
}

/// A run that is over.
pub(crate) struct Played {
    /// How it ended; nothing when its time was over before.
    pub end: Option<FileRun>,
    /// How long it might take.
    timeout: Duration,
    collector: Collector,
}

impl PromptRunner {
    /// Runs a file for the test that is current; nobody gives it up.
    ///
    /// # Errors
    /// What is asked for is not there, or a request of the run was refused.
    pub(crate) async fn play(&self, request: RunRequest) -> Result<Played, Box<Diagnostic>> {
        self.0.play(request).await
    }
}

impl Played {
    /// Why the last answer ended, if one has.
    pub(crate) fn finish_reason(&self) -> Option<FinishReason> {
        self.collector.summary(|summary| summary.finish_reason)
    }
}

impl PromptFileRunner for PromptRunner {
    fn run(&self, request: RunRequest) -> LocalBoxFuture<'static, RunEnd> {
        // From the call on: nothing of a run may begin when whoever asked for it is over.
        let under_way = UnderWay::new(&self.0);
        async move { under_way.unless_given_up(under_way.inner.perform(request)).await.unwrap_or(RunEnd::GivenUp) }
            .boxed_local()
    }

    fn count(&self) -> u64 {
        self.0.count.get()
    }

    fn give_up_after(&self, count: u64) -> usize {
        let mut runs = self.0.under_way.borrow_mut();
        // One that was given up before may not have heard of it yet.
        let late = runs.range_mut(count + 1..).filter(|(_, is_given_up)| !**is_given_up);
        let late = late.map(|(_, is_given_up)| *is_given_up = true).count();
        self.0.given_up.notify_waiters();
        late
    }
}

/// A run that is under way, until dropped.
struct UnderWay {
    inner: Rc<Inner>,
    number: u64,
}

impl UnderWay {
    fn new(inner: &Rc<Inner>) -> Self {
        let number = inner.count.get() + 1;
        inner.count.set(number);
        inner.under_way.borrow_mut().insert(number, false);
        UnderWay { inner: inner.clone(), number }
    }

    fn is_given_up(&self) -> bool {
        self.inner.under_way.borrow().get(&self.number).copied().unwrap_or(true)
    }

    /// Drops `run` when it is given up.
    async fn unless_given_up<T>(&self, run: impl Future<Output = T>) -> Option<T> {
        let mut run = pin!(run);
        loop {
            // Made before looking, so that nothing in between is missed.
            let given_up = self.inner.given_up.notified();
            if self.is_given_up() {
                return None;
            }
            tokio::select! {
                biased;
                () = given_up => {}
                end = &mut run => return Some(end),
            }
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.inner.under_way.borrow_mut().remove(&self.number);
    }
}

impl Inner {
    async fn perform(&self, request: RunRequest) -> RunEnd {
        let asked = request.model.clone();
        match self.play(request).await {
            Ok(played) => {
                let error = match &played.end {
                    Some(end) => failure(end, asked.as_ref(), &played.collector, &self.options.redactor),
                    None => Some(timed_out(played.timeout)),
                };
                RunEnd::Report(Box::new(played.collector.report(error)))
            }
            Err(refusal) => RunEnd::Refused(refusal),
        }
    }

    /// Runs a file for the test that is current.
    ///
    /// # Errors
    /// What is asked for is not there, or a request of the run was refused.
    async fn play(&self, request: RunRequest) -> Result<Played, Box<Diagnostic>> {
        let recordings = self.options.recordings.current();
        let path = request.path.clone();
        let (timeout, latest, collector) = (request.timeout, request.latest, Collector::new());
        check_file(&path)?;
        let answerer = match &request.recording {
            Some(recording) => recordings.recorded(recording, &self.options.redactor)?,
            None => recordings.unrecorded(),
        };
        let options = self.prepare(request, answerer.exchanges.clone(), &collector)?;
        let meter = options.meter.clone();
        let end = within(timeout, run_file(&path, options)).await;
        meter.close();
        if is_over(latest) {
            // It was interrupted with its test, which will not wait any longer.
            return std::future::pending().await;
        }
        if end.is_some() {
            answerer.run_ended();
        }
        // It stays with the test: one that makes nothing of it fails all the same.
        match recordings.fault() {
            Some(fault) => Err(Box::new(fault)),
            None => Ok(Played { end, timeout: timeout.unwrap_or_default(), collector }),
        }
    }

    /// The environment of a run. What is secret in it, the test may show.
    fn variables(&self, request: &RunRequest) -> Vec<(String, String)> {
        let own = || self.options.variables.iter().cloned().collect();
        let mut variables: BTreeMap<String, String> = request.environment.clone().unwrap_or_else(own);
        for (name, value) in &request.variables {
            match value {
                Some(value) => drop(variables.insert(name.clone(), value.clone())),
                None => drop(variables.remove(name)),
            }
        }
        variables.iter().for_each(|(name, value)| self.options.redactor.learn_named(name, value));
        variables.into_iter().collect()
    }

    /// Everything that a run needs.
    fn prepare(
        &self,
        request: RunRequest,
        exchanges: Exchanges,
        collector: &Collector,
    ) -> Result<FileRunOptions, Box<Diagnostic>> {
        let common = &self.options;
        let variables = self.variables(&request);
        let timeout = request.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        Ok(FileRunOptions {
            events: Events::new(vec![collector.reader(), warnings(common.host.clone())]),
            host: common.host.clone(),
            line: command_line(&request.path, request.input),
            argv: argv(&request.path),
            exchanges,
            checkpoints: Rc::new(NoCheckpoints),
            approver: DenyingApprover::new(request.approve, IN_TEST),
            meter: Rc::new(Meter::new(Limits::default(), own_prices(&variables)?)),
            variables,
            redactor: common.redactor.clone(),
            model: request.model,
            max_stack_size: SCRIPT_STACK_SIZE,
            surroundings: Surroundings {
                permissions: common.permissions.clone(),
                mcp_config: common.mcp_config.clone(),
                max_memory: Some(MAX_MEMORY),
                latest: request.latest.into_iter().chain(timeout).min(),
                goes_on: true,
                keeps_pieces: request.keeps_pieces,
                servers: None,
                turn: None,
            },
        })
    }
}

/// Awaits a run as long as it may take; `None` when its time is over.
async fn within(timeout: Option<Duration>, run: impl Future<Output = FileRun>) -> Option<FileRun> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let Some(deadline) = deadline else { return Some(run.await) };
    tokio::select! {
        biased;
        // One whose scripts were interrupted for it has not ended in time.
        end = run => Some(end).filter(|_| !is_over(Some(deadline))),
        () = tokio::time::sleep_until(deadline.into()) => None,
    }
}

fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

fn timed_out(timeout: Duration) -> FailureReport {
    let message = format!("the run was ended by its timeout of {} ms", timeout.as_millis());
    let hint = "give it more time with timeout: MILLISECONDS in the options of run";
    session::failure(RunError::LIMIT_EXIT_CODE, "limit", &Diagnostic::new(message).with_hint(hint))
}

/// What went wrong, for programs.
fn failure(
    end: &FileRun,
    asked: Option<&ModelChoice>,
    collector: &Collector,
    redactor: &Redactor,
) -> Option<FailureReport> {
    let asked = match asked {
        Some(ModelChoice::Named(name)) => Some(AskedModel { name, option: "model" }),
        _ => None,
    };
    let last = collector.summary(|summary| summary.finish_reason);
    RunFailure::of(end, last, asked, redactor).map(|failure| failure.to_failure())
}

/// Whether there is a file to run.
fn check_file(path: &Path) -> Result<(), Box<Diagnostic>> {
    let shown = path.display();
    if path.is_dir() {
        return Err(Box::new(Diagnostic::new(format!("run: {shown} is a directory, not a prompt file"))));
    }
    if !path.exists() {
        let mut problem = Diagnostic::new(format!("run: cannot find the file {shown}"));
        problem.hint = did_you_mean(path, |path| path.to_string_lossy().contains(".lmt."));
        return Err(Box::new(problem));
    }
    Ok(())
}

/// The prices in the environment, which may name a file.
fn own_prices(variables: &[(String, String)]) -> Result<OwnPrices, Box<Diagnostic>> {
    match variables.iter().find(|(name, _)| name == PRICES_VARIABLE) {
        None => Ok(OwnPrices::default()),
        Some((_, value)) => OwnPrices::from_variable(value, |path| user_file::read_text(path.as_ref(), MAX_SETTINGS))
            .map_err(|error| Box::new(Diagnostic::new(error.to_string()))),
    }
}

/// What would be typed for such a run.
fn command_line(path: &Path, input: Option<String>) -> CommandLine {
    let command = format!("lmthing run {}", path.display());
    match input {
        Some(input) => CommandLine::known(command, input, Vec::new),
        None => CommandLine::without_words(command),
    }
}
