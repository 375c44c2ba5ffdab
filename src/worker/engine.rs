//! One attempt of a run, in an engine of its own on one of a few threads. Must not know Restate: entries go to the outbox, and the
//! run stops when nobody is at the other end of it.

use std::{
    panic::AssertUnwindSafe,
    path::Path,
    pin::pin,
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use serde_json::{Map, Value};
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::timeout,
};

use super::{
    batch::{End, Entry, Waiting},
    beneath::{self, Beneath, Decision},
    host::RunHost,
    log::Log,
    options::RunOptions,
    outbox::{Ended, Outbox},
    telling,
};
use crate::{
    checkpoint::{StoreError, StoredFuture},
    cost::RunUsage,
    event::{Agent, Event, EventKind, EventReader, Events, RunFinish, RunSummary, SharedSummary},
    input::CommandLine,
    journal::{EntryMirror, INVOCATION, RunStart, SecretFilter},
    permission::StoppingApprover,
    prompt::{RunError, RunLimits},
    provider::{ProviderErrorKind, Redactor, Servers},
    script::{
        SCRIPT_STACK_SIZE, ScriptHost,
        bindings::{Exchanges, FileRun},
    },
    session::{
        AskedModel, FileRunOptions, Meter, RunFailure, SharedModel, Surroundings, WatchedRun, run_file, used_before,
    },
    trace::otel::SharedExport,
};

/// Bytes that the scripts of a run may use: many run at once.
const MAX_MEMORY: usize = 512 << 20;

/// How long a script may compute without giving the other runs of its thread a turn.
const LONGEST_TURN: Duration = Duration::from_secs(5);

/// How long a run has to come to its end when it is not wanted any more.
const FAREWELL: Duration = Duration::from_secs(5);

/// What attempts share, on whatever threads they are.
pub(super) struct Shared {
    pub(super) options: RunOptions,
    /// What they know of servers.
    pub(super) servers: Arc<Servers>,
}

/// An attempt.
pub(super) struct Job {
    /// The prompt file, absolute.
    pub(super) file: std::path::PathBuf,
    /// What the run is called in the journal.
    pub(super) run: String,
    /// The same at Restate.
    pub(super) invocation: String,
    /// `None` when the file takes none, and none was sent.
    pub(super) input: Option<Map<String, Value>>,
    /// What is stored of it.
    pub(super) stored: Vec<Entry>,
    pub(super) decisions: Vec<Decision>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) log: Log,
    pub(super) trace_parent: Option<String>,
    /// It is over when this is dropped.
    pub(super) over: Option<watch::Sender<()>>,
    /// Its place among those that run, unless it has lost that.
    pub(super) place: Place,
    /// What the crew watches of it.
    pub(super) watched: WatchedRun,
}

/// A place among those that run, which is given back once.
#[derive(Clone)]
pub(super) struct Place(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl Place {
    pub(super) fn new(permit: OwnedSemaphorePermit) -> Self {
        Place(Arc::new(Mutex::new(Some(permit))))
    }

    /// Lets somebody else have it.
    pub(super) fn give_back(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Runs it.
pub(super) async fn run(shared: &Shared, job: Job) {
    // Its own: it learns what this run finds to be secret.
    let variables = &shared.options.variables;
    let redactor = &Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
    shared.options.export.iter().flat_map(SharedExport::secrets).for_each(|secret| redactor.learn(secret));
    let attempt = AssertUnwindSafe(attempt(shared, redactor, &job)).catch_unwind().await;
    // A panic is a fault of ours, and no reason for other runs to fail.
    let ended = attempt.unwrap_or_else(|_| Ended::ForGood("script", "lmthing failed while it ran this run".to_owned()));
    job.outbox.end(ended);
    job.place.give_back();
    drop(job.over);
}

async fn attempt(shared: &Shared, redactor: &Redactor, job: &Job) -> Ended {
    let host = Rc::new(RunHost::new(job.log.clone(), redactor.clone()));
    let start = start(shared, job);
    let secrets: Rc<dyn SecretFilter> = Rc::new(RunSecrets(redactor.clone()));
    let mirror: Rc<dyn EntryMirror> = Rc::new(Outwards(job.outbox.clone()));
    let path = &shared.options.journal;
    let opened = beneath::open(path, (&job.run, &start), &job.stored, &job.decisions, secrets, mirror);
    let Beneath { recorder, earlier } = match opened {
        Ok(opened) => opened,
        Err(error) => return Ended::TryAgain(error.to_string()),
    };
    let recorder = Rc::new(recorder);
    let (agents, summary, resumed, used) = match earlier {
        Some(before) => {
            let used = used_before(&before.summary, before.requests);
            (before.agents, before.summary, Some(before.step), used)
        }
        None => (Default::default(), RunSummary::with_text(), None, RunUsage::default()),
    };
    let summary = SharedSummary::new(summary);
    let sums = summary.clone();
    let mut readers: Vec<EventReader> = vec![Rc::new(move |event: &Event<'_>| sums.lock().add(event))];
    readers.push(telling::reader(job.log.clone(), redactor.clone()));
    if let Some(export) = &shared.options.export {
        let redactor = redactor.clone();
        readers.extend(export.reader(job.trace_parent.as_deref(), Rc::new(move |value| redactor.apply_texts(value))));
    }
    let events = Events::resumed(job.run.clone(), agents, readers);
    recorder.read(&events);
    telling::begins(&job.log, resumed);
    events.emit(&Agent::root(), &EventKind::RunStart { file: job.file.display().to_string(), resumed });
    let meter = Meter::after(used, shared.options.limits, shared.options.own_prices.clone());
    let meter = Rc::new(meter.cancellable());
    job.watched.begin(meter.clock(), &summary);
    let options = options_of(shared, redactor, job, &host, (&events, &meter, recorder.clone()));
    let end = drive(run_file(&job.file, options), &meter, &job.outbox, &recorder).await;
    meter.close();
    host.end();
    let Some(end) = end else {
        return Ended::TryAgain("the run did not end when it was not wanted any more".to_owned());
    };
    finish(shared, redactor, &end, &events, &summary)
}

/// Drives a run to its end, or to the end of those who want it; `None` when it does not end then.
async fn drive(
    run: impl Future<Output = FileRun>,
    meter: &Meter,
    outbox: &Outbox,
    recorder: &crate::journal::Recorder,
) -> Option<FileRun> {
    let mut run = pin!(run);
    tokio::select! {
        biased;
        end = &mut run => return Some(end),
        () = outbox.forsaken() => {}
        () = recorder.keep_writing() => unreachable!("writing down never ends by itself"),
    }
    // Tools hear of it by their signals.
    meter.fail(RunError::Aborted);
    timeout(FAREWELL, run).await.ok()
}

/// What came of an attempt.
fn finish(shared: &Shared, redactor: &Redactor, end: &FileRun, events: &Rc<Events>, summary: &SharedSummary) -> Ended {
    let asked = match &shared.options.model {
        Some(SharedModel::Named(name)) => Some(AskedModel { name, option: "-m, --model" }),
        _ => None,
    };
    let last = summary.lock().finish_reason;
    let failure = RunFailure::of(end, last, asked, redactor);
    let finish = RunFinish {
        exit_code: failure.as_ref().map_or(0, |failure| failure.to_failure().code),
        error: failure.as_ref().map(RunFailure::to_failure),
    };
    events.emit(&Agent::root(), &EventKind::RunFinish(Rc::new(finish.clone())));
    let waiting: Vec<_> = failure.iter().flat_map(|failure| &failure.waiting).map(Waiting::of).collect();
    if !waiting.is_empty() {
        return Ended::Well(End::Waits(waiting));
    }
    if let Some(failure) = failure.filter(|_| may_pass(end)) {
        return Ended::TryAgain(failure.diagnostic.message);
    }
    let mut report = summary.lock().to_json(&finish);
    // Not the text: what the model says is left as it is. What the script makes of it may be anything.
    if let Some(output) = report.get_mut("output") {
        redactor.apply_texts(output);
    }
    Ended::Well(End::Report(report))
}

/// Whether the run failed for a reason that passes: of a provider, or of the journal.
fn may_pass(end: &FileRun) -> bool {
    let (FileRun::Failed(error) | FileRun::FailedAs(error, _)) = end else { return false };
    match error.origin() {
        RunError::Journal { .. } => true,
        RunError::Provider(error) if error.provider != "mock" => matches!(
            error.kind,
            ProviderErrorKind::RateLimit { .. }
                | ProviderErrorKind::Server
                | ProviderErrorKind::Connection
                | ProviderErrorKind::Timeout
                | ProviderErrorKind::Stream
        ),
        _ => false,
    }
}

fn options_of(
    shared: &Shared,
    redactor: &Redactor,
    job: &Job,
    host: &Rc<RunHost>,
    (events, meter, recorder): (&Rc<Events>, &Rc<Meter>, Rc<crate::journal::Recorder>),
) -> FileRunOptions {
    let options = &shared.options;
    let host: Rc<dyn ScriptHost> = host.clone();
    let command = format!("lmthing run {}", shown(&job.file));
    let line = match &job.input {
        Some(input) => CommandLine::known(command, Value::Object(input.clone()).to_string(), Vec::new),
        None => CommandLine::without_words(command),
    };
    FileRunOptions {
        host,
        events: events.clone(),
        line: CommandLine { is_call: true, ..line },
        argv: argv(&job.file),
        variables: options.variables.clone(),
        exchanges: Exchanges::default(),
        meter: meter.clone(),
        checkpoints: recorder,
        approver: StoppingApprover::new(options.approve.clone()),
        redactor: redactor.clone(),
        model: options.model.as_ref().map(SharedModel::choice),
        max_stack_size: SCRIPT_STACK_SIZE,
        surroundings: Surroundings {
            permissions: (options.permissions)(&job.file).sharing_process("files of a worker run"),
            mcp_config: options.mcp_config.as_deref().map(Into::into),
            max_memory: Some(MAX_MEMORY),
            goes_on: true,
            servers: Some(shared.servers.clone()),
            turn: Some(LONGEST_TURN),
            ..Surroundings::default()
        },
    }
}

fn shown(file: &Path) -> std::borrow::Cow<'_, str> {
    file.file_name().unwrap_or_default().to_string_lossy()
}

fn argv(file: &Path) -> Vec<String> {
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_else(|_| "lmthing".into());
    vec![program, file.display().to_string()]
}

fn start(shared: &Shared, job: &Job) -> RunStart {
    let named = match &shared.options.model {
        Some(SharedModel::Named(name)) => Some(name.clone()),
        _ => None,
    };
    RunStart {
        file: job.file.clone(),
        shown: job.file.display().to_string(),
        directory: std::env::current_dir().unwrap_or_default(),
        argv: argv(&job.file),
        input: job.input.clone(),
        model: named,
        options: [(INVOCATION.to_owned(), job.invocation.clone().into())].into(),
        ..RunStart::default()
    }
}

/// Hands entries on to whoever stores them.
struct Outwards(Arc<Outbox>);

impl EntryMirror for Outwards {
    fn copy_entry(&self, key: &str, text: String, is_over: bool) {
        self.0.kept((key.to_owned(), text), is_over);
    }

    fn stored(&self) -> Option<StoredFuture> {
        let stored = self.0.stored()?;
        let gone = || StoreError { message: "Restate has given this attempt of the run up".to_owned(), hint: None };
        Some(async move { if stored.await { Ok(()) } else { Err(gone()) } }.boxed_local())
    }
}

/// The secrets of a run, as the journal asks for them.
struct RunSecrets(Redactor);

impl SecretFilter for RunSecrets {
    fn replace(&self, value: &mut Value) {
        self.0.apply_json(value);
    }

    fn contain_secret(&self, text: &str) -> bool {
        self.0.finds(text)
    }
}
