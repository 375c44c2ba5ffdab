//! Runs prompt files for one file of tests, as `lmthing run` does (docs/testing.md). Must not know what is tested.

use std::{cell::Cell, collections::BTreeMap, future::Future, path::Path, pin::pin, rc::Rc, sync::Arc};

use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::sync::Notify;

use super::{collector::Collector, host};
use crate::{
    cost::{Limits, OwnPrices, PRICES_VARIABLE},
    diagnostic::{Diagnostic, did_you_mean},
    event::{Events, Failure},
    input::{CommandLine, Sources},
    permission::Permissions,
    provider::Redactor,
    script::{
        ScriptHost,
        bindings::{
            Exchanges, FileRun, ModelChoice,
            testing::run::door::{PromptRuns, RunEnd, RunRequest},
        },
    },
    session::{AskedModel, FileRunOptions, Meter, RunFailure, Surroundings, run_file},
    testing::recordings::FileRecordings,
};

/// What all runs of a file of tests have in common.
pub(crate) struct PromptRunnerOptions {
    /// Where output and warnings of prompt files go.
    pub host: Rc<dyn ScriptHost>,
    /// The environment, where a request brings none.
    pub variables: Vec<(String, String)>,
    /// What prompt files may reach.
    pub permissions: Permissions,
    /// Bytes that one run may use; `None` leaves it to the system.
    pub max_memory: Option<usize>,
    /// Bytes of stack for scripts.
    pub max_stack_size: usize,
    /// Who answers in place of real models; the current test's are asked when a run begins.
    pub recordings: Rc<FileRecordings>,
}

/// Runs prompt files. Clones are the same.
#[derive(Clone)]
pub(crate) struct PromptRunner(Rc<Inner>);

struct Inner {
    options: PromptRunnerOptions,
    /// Of the environment in the options.
    redactor: Redactor,
    under_way: Cell<usize>,
    /// How often runs were given up.
    ends: Cell<u64>,
    /// Tells runs of that.
    ended: Notify,
}

impl PromptRunner {
    /// One for each file of tests, on the thread of its engine.
    pub(crate) fn new(options: PromptRunnerOptions) -> Self {
        let redactor = Redactor::of_variables(options.variables.iter().map(|(name, value)| (name, value)));
        let (under_way, ends, ended) = (Cell::default(), Cell::default(), Notify::default());
        PromptRunner(Rc::new(Inner { options, redactor, under_way, ends, ended }))
    }

    /// Ends all runs under way, and everything in them, once what awaits them is polled: their test is over. Gives their number.
    pub(crate) fn give_up(&self) -> usize {
        let inner = &self.0;
        inner.ends.set(inner.ends.get() + 1);
        inner.ended.notify_waiters();
        inner.under_way.get()
    }
}

impl PromptRuns for PromptRunner {
    fn run(&self, request: RunRequest) -> LocalBoxFuture<'static, RunEnd> {
        let inner = self.0.clone();
        // Counted from the call on: nothing of a run may begin when its test is over.
        let (began, under_way) = (inner.ends.get(), UnderWay::new(&inner));
        async move {
            let end = inner.clone().unless_given_up(began, inner.perform(request)).await;
            drop(under_way);
            end.unwrap_or(RunEnd::GivenUp)
        }
        .boxed_local()
    }
}

/// Counts a run that is under way, until dropped.
struct UnderWay(Rc<Inner>);

impl UnderWay {
    fn new(inner: &Rc<Inner>) -> Self {
        inner.under_way.set(inner.under_way.get() + 1);
        UnderWay(inner.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.set(self.0.under_way.get() - 1);
    }
}

impl Inner {
    /// Drops `run` when it is given up.
    async fn unless_given_up<T>(&self, began: u64, run: impl Future<Output = T>) -> Option<T> {
        let mut run = pin!(run);
        loop {
            // Made before looking, so that nothing in between is missed.
            let ended = self.ended.notified();
            if self.ends.get() != began {
                return None;
            }
            tokio::select! {
                biased;
                () = ended => {}
                end = &mut run => return Some(end),
            }
        }
    }

    async fn perform(&self, request: RunRequest) -> RunEnd {
        let recordings = self.options.recordings.current();
        let asked = request.model.clone();
        let path = request.path.clone();
        let (redactor, collector) = (self.redactor_of(&request), Collector::new());
        let exchanges = match &request.recording {
            Some(recording) => recordings.exchanges(recording, &redactor),
            None => Ok(recordings.unrecorded()),
        };
        let prepared = check_file(&path)
            .and(exchanges)
            .and_then(|exchanges| self.prepare(request, exchanges, redactor.clone(), &collector));
        let options = match prepared {
            Ok(options) => options,
            Err(refusal) => return RunEnd::Refused(refusal),
        };
        let meter = options.meter.clone();
        let end = run_file(&path, options).await;
        meter.close();
        if let Some(fault) = recordings.take_fault() {
            return RunEnd::Refused(Box::new(fault));
        }
        let error = failure(&end, asked.as_ref(), &collector, &redactor);
        RunEnd::Report(Box::new(collector.report(error)))
    }

    /// Knows the secrets of a run.
    fn redactor_of(&self, request: &RunRequest) -> Redactor {
        if request.environment.is_none() && request.variables.is_empty() {
            return self.redactor.clone();
        }
        let variables = self.variables(request);
        Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)))
    }

    /// The environment of a run.
    fn variables(&self, request: &RunRequest) -> Vec<(String, String)> {
        let own = || self.options.variables.iter().cloned().collect();
        let mut variables: BTreeMap<String, String> = request.environment.clone().unwrap_or_else(own);
        for (name, value) in &request.variables {
            match value {
                Some(value) => drop(variables.insert(name.clone(), value.clone())),
                None => drop(variables.remove(name)),
            }
        }
        variables.into_iter().collect()
    }

    /// Everything that a run needs.
    fn prepare(
        &self,
        request: RunRequest,
        exchanges: Exchanges,
        redactor: Redactor,
        collector: &Collector,
    ) -> Result<FileRunOptions, Box<Diagnostic>> {
        let common = &self.options;
        let host: Rc<dyn ScriptHost> = Rc::new(host::RunHost { test: common.host.clone(), redactor: redactor.clone() });
        let variables = self.variables(&request);
        let limits = Limits { time: request.timeout, ..Limits::default() };
        let program = std::env::current_exe().map_or_else(|_| "lmthing".into(), |path| path.display().to_string());
        Ok(FileRunOptions {
            events: Events::new(vec![collector.reader(), host::warnings(host.clone())]),
            host,
            line: command_line(&request.path, request.input),
            argv: vec![program, request.path.display().to_string()],
            exchanges,
            meter: Rc::new(Meter::new(limits, own_prices(&variables)?)),
            variables,
            redactor,
            model: request.model,
            max_stack_size: common.max_stack_size,
            surroundings: Surroundings {
                permissions: common.permissions.clone(),
                max_memory: common.max_memory,
                latest: request.latest,
                goes_on: true,
                keeps_pieces: request.keeps_pieces,
            },
        })
    }
}

/// What went wrong, for programs.
fn failure(end: &FileRun, asked: Option<&ModelChoice>, collector: &Collector, redactor: &Redactor) -> Option<Failure> {
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
        Some((_, value)) => OwnPrices::from_variable(value, |path| std::fs::read_to_string(path))
            .map_err(|error| Box::new(Diagnostic::new(error.to_string()))),
    }
}

/// What would be typed for such a run.
fn command_line(path: &Path, input: Option<String>) -> CommandLine {
    CommandLine {
        command: format!("lmthing run {}", path.display()),
        words: Vec::new(),
        // Not itself: words beginning with `@` would be names of files.
        whole: input.as_ref().map(|_| INPUT.to_owned()),
        own_options: Vec::new,
        sources: Arc::new(Given(input)),
    }
}

/// The word for the input that was given.
const INPUT: &str = "@input";

/// The input of a call, as a text that the command line would name. There is no standard input.
struct Given(Option<String>);

impl Sources for Given {
    fn file(&self, _path: &str) -> Result<String, String> {
        self.0.clone().ok_or_else(|| "there is no such file or folder".to_owned())
    }

    fn standard_input(&self) -> Result<String, String> {
        Ok(String::new())
    }

    fn is_terminal(&self) -> bool {
        true
    }
}
