//! Runs prompt files for a test file as `lmthing run` does (docs/reference/test.md), for `run(file, options)` and smoke
//! tests.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::Future,
    path::{Path, PathBuf},
    pin::pin,
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::sync::Notify;

use super::{message::FileReporter, options::TestOptions, recordings::FileRecordings, run_collector::Collector};
use lmthing_base::{
    chat::{FinishReason, read_json},
    checkpoint::NoCheckpoints,
    cost::{Limits, OwnPrices, PRICES_VARIABLE},
    diagnostic::{Diagnostic, did_you_mean},
    event::{Events, FailureReport},
    input::{CommandLine, UnreadableText},
    permission::{DenyingApprover, Permissions},
};
use lmthing_engine::{
    bindings::{
        Exchanges, FileRun, ModelChoice,
        testing::run::runner::{PromptFileRunner, RunEnd, RunRequest},
    },
    prompt::RunError,
    session::{self, FileRunOptions, Meter, ModelOption, RunContext, RunFailure, run_file, warnings},
};
use lmthing_node::{SCRIPT_STACK_SIZE, ScriptHost};
use lmthing_providers::Redactor;
use lmthing_system::user_file::{self, MAX_SETTINGS};

/// The hint for a tool call that needs approval.
pub(super) const APPROVAL_HINT: &str = "run(file, { approve: ['{name}'] }) of lmthing/test approves it";

/// `process.argv` of a script.
pub(super) fn argv(file: &Path) -> Vec<String> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("lmthing"));
    [program.display().to_string(), file.display().to_string()].to_vec()
}

/// Runs prompt files. Clones share their state.
#[derive(Clone)]
pub(crate) struct PromptRunner(Rc<Inner>);

struct Inner {
    /// Receives the output and warnings of prompt files.
    host: Rc<dyn ScriptHost>,
    /// The environment if a request has none.
    variables: Vec<(String, String)>,
    /// The configuration of MCP servers.
    mcp_config: Option<Rc<Path>>,
    permissions: Permissions,
    /// Knows the secrets of the tests; those of the runs are added.
    redactor: Redactor,
    /// Answers in place of real models; those of the current test are used when a run begins.
    recordings: Rc<FileRecordings>,
    /// The number of runs that were started.
    count: Cell<u64>,
    /// The active runs by number, and whether each is cancelled.
    active: RefCell<BTreeMap<u64, bool>>,
    /// Notified when runs are cancelled.
    cancelled: Notify,
}

impl PromptRunner {
    /// The runner of one test file, which stays on the thread of its engine.
    pub(crate) fn of_file(options: &TestOptions, reporter: &FileReporter, host: Rc<dyn ScriptHost>) -> Self {
        PromptRunner(Rc::new(Inner {
            host,
            variables: options.variables.clone(),
            mcp_config: options.mcp_config.as_deref().map(Rc::from),
            permissions: Permissions::of_tests(options.is_live),
            redactor: reporter.redactor.clone(),
            recordings: reporter.recordings.clone(),
            count: Cell::default(),
            active: RefCell::default(),
            cancelled: Notify::default(),
        }))
    }
}

pub(crate) struct PromptRun {
    /// `None` if it timed out.
    pub end: Option<FileRun>,
    timeout: Duration,
    collector: Collector,
}

impl PromptRunner {
    /// Runs a file for the current test; it cannot be cancelled.
    ///
    /// # Errors
    /// If the file or a recording is missing, or a request of the run was refused.
    pub(crate) async fn run_prompt(&self, request: RunRequest) -> Result<PromptRun, Box<Diagnostic>> {
        self.0.run_prompt(request).await
    }
}

impl PromptRun {
    /// The finish reason of the last answer, if there was one.
    pub(crate) fn finish_reason(&self) -> Option<FinishReason> {
        self.collector.summary(|summary| summary.finish_reason)
    }
}

impl PromptFileRunner for PromptRunner {
    fn run(&self, request: RunRequest) -> LocalBoxFuture<'static, RunEnd> {
        // Registered at the call, so that a run cannot begin after its test has ended.
        let active = ActiveRun::new(&self.0);
        async move { active.unless_cancelled(active.inner.perform(request)).await.unwrap_or(RunEnd::GivenUp) }
            .boxed_local()
    }

    fn count(&self) -> u64 {
        self.0.count.get()
    }

    fn give_up_after(&self, count: u64) -> usize {
        let mut runs = self.0.active.borrow_mut();
        // A run cancelled before may not have ended yet.
        let late = runs.range_mut(count + 1..).filter(|(_, is_cancelled)| !**is_cancelled);
        let late = late.map(|(_, is_cancelled)| *is_cancelled = true).count();
        self.0.cancelled.notify_waiters();
        late
    }
}

/// A run that is active until dropped.
struct ActiveRun {
    inner: Rc<Inner>,
    number: u64,
}

impl ActiveRun {
    fn new(inner: &Rc<Inner>) -> Self {
        let number = inner.count.get() + 1;
        inner.count.set(number);
        inner.active.borrow_mut().insert(number, false);
        ActiveRun { inner: inner.clone(), number }
    }

    fn is_cancelled(&self) -> bool {
        self.inner.active.borrow().get(&self.number).copied().unwrap_or(true)
    }

    /// Drops `run` when it is cancelled.
    async fn unless_cancelled<T>(&self, run: impl Future<Output = T>) -> Option<T> {
        let mut run = pin!(run);
        loop {
            // Created before the check, so that no notification is missed.
            let cancelled = self.inner.cancelled.notified();
            if self.is_cancelled() {
                return None;
            }
            tokio::select! {
                biased;
                () = cancelled => {}
                end = &mut run => return Some(end),
            }
        }
    }
}

impl Drop for ActiveRun {
    fn drop(&mut self) {
        self.inner.active.borrow_mut().remove(&self.number);
    }
}

impl Inner {
    async fn perform(&self, request: RunRequest) -> RunEnd {
        let model_option = request.model.clone();
        match self.run_prompt(request).await {
            Ok(ended) => {
                let error = match &ended.end {
                    Some(end) => failure(end, model_option.as_ref(), &ended.collector, &self.redactor),
                    None => Some(timed_out(ended.timeout)),
                };
                RunEnd::Report(Box::new(ended.collector.report(error)))
            }
            Err(refusal) => RunEnd::Refused(refusal),
        }
    }

    async fn run_prompt(&self, request: RunRequest) -> Result<PromptRun, Box<Diagnostic>> {
        let recordings = self.recordings.current();
        let path = request.path.clone();
        let (timeout, latest, collector) = (request.timeout, request.latest, Collector::new());
        check_file(&path)?;
        let answerer = match &request.recording {
            Some(recording) => recordings.recorded(recording, &self.redactor)?.called_at(request.location.clone()),
            None => recordings.unrecorded(),
        };
        let options = self.prepare(request, answerer.exchanges.clone(), &collector)?;
        let meter = options.meter.clone();
        let end = within(timeout, run_file(&path, options)).await;
        meter.close();
        if is_over(latest) {
            // It was interrupted together with its test, which does not wait for it.
            return std::future::pending().await;
        }
        if end.is_some() {
            answerer.run_ended();
        }
        // The fault also stays with the test, which fails even if it ignores this error.
        match recordings.fault() {
            Some(fault) => Err(Box::new(fault)),
            None => Ok(PromptRun { end, timeout: timeout.unwrap_or_default(), collector }),
        }
    }

    /// The environment of a run. Its secrets are added to the redactor.
    fn variables(&self, request: &RunRequest) -> Vec<(String, String)> {
        let own = || self.variables.iter().cloned().collect();
        let mut variables: BTreeMap<String, String> = request.environment.clone().unwrap_or_else(own);
        for (name, value) in &request.variables {
            match value {
                Some(value) => drop(variables.insert(name.clone(), value.clone())),
                None => drop(variables.remove(name)),
            }
        }
        variables.iter().for_each(|(name, value)| self.redactor.learn_named(name, value));
        variables.into_iter().collect()
    }

    fn prepare(
        &self,
        request: RunRequest,
        exchanges: Exchanges,
        collector: &Collector,
    ) -> Result<FileRunOptions, Box<Diagnostic>> {
        let variables = self.variables(&request);
        let timeout = request.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        Ok(FileRunOptions {
            events: Events::new(
                collector
                    .readers()
                    .into_iter()
                    .chain([self.recordings.answers().reader(), warnings(self.host.clone())])
                    .collect(),
            ),
            host: self.host.clone(),
            line: command_line(&request.path, request.input),
            argv: argv(&request.path),
            exchanges,
            checkpoints: Rc::new(NoCheckpoints),
            approver: DenyingApprover::new(request.approve, APPROVAL_HINT),
            meter: Rc::new(Meter::new(Limits::default(), own_prices(&variables)?)),
            variables,
            redactor: self.redactor.clone(),
            model: request.model,
            max_stack_size: SCRIPT_STACK_SIZE,
            context: RunContext {
                permissions: self.permissions.clone(),
                mcp_config: self.mcp_config.clone(),
                deadline: request.latest.into_iter().chain(timeout).min(),
                process_continues: true,
                keeps_pieces: request.keeps_pieces,
                ..RunContext::default()
            },
        })
    }
}

/// Awaits a run until its timeout; `None` if that has passed.
async fn within(timeout: Option<Duration>, run: impl Future<Output = FileRun>) -> Option<FileRun> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let Some(deadline) = deadline else { return Some(run.await) };
    tokio::select! {
        biased;
        // Scripts interrupted at the deadline do not count as ended in time.
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

fn failure(
    end: &FileRun,
    model_option: Option<&ModelChoice>,
    collector: &Collector,
    redactor: &Redactor,
) -> Option<FailureReport> {
    let model_option = match model_option {
        Some(ModelChoice::Named(name)) => Some(ModelOption { name, option: "model" }),
        _ => None,
    };
    let last = collector.summary(|summary| summary.finish_reason);
    RunFailure::of(end, last, model_option, redactor).map(|failure| failure.to_failure())
}

fn check_file(path: &Path) -> Result<(), Box<Diagnostic>> {
    let shown = path.display();
    if path.is_dir() {
        return Err(Box::new(Diagnostic::new(format!("run: {shown} is a directory, not a prompt file"))));
    }
    if !lmthing_system::files::is_source_file(path) {
        let mut problem = Diagnostic::new(format!("run: cannot find the file {shown}"));
        problem.hint = did_you_mean(path, |path| path.to_string_lossy().contains(".lmt."));
        return Err(Box::new(problem));
    }
    Ok(())
}

/// The prices in the environment variable, which may name a file.
fn own_prices(variables: &[(String, String)]) -> Result<OwnPrices, Box<Diagnostic>> {
    match variables.iter().find(|(name, _)| name == PRICES_VARIABLE) {
        None => Ok(OwnPrices::default()),
        Some((_, value)) => OwnPrices::from_variable(value, |path| user_file::read_text(path.as_ref(), MAX_SETTINGS))
            .map_err(|error| Box::new(Diagnostic::new(error.to_string()))),
    }
}

/// The command line that such a run corresponds to.
fn command_line(path: &Path, input: Option<String>) -> CommandLine {
    let command = format!("lmthing run {}", path.display());
    match input {
        Some(input) => {
            CommandLine::given(command, move || read_json(&input).map_err(|error| UnreadableText(error.to_string())))
        }
        None => CommandLine::without_words(command),
    }
}
