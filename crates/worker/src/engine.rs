//! Runs one attempt of a run in an engine of its own. Entries go to the outbox, and the run stops when its other end is
//! dropped.

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
    batch::{End, Entry, PendingApproval},
    host::RunHost,
    local_journal::{self, Decision, LocalJournal},
    log::Log,
    logging,
    options::RunOptions,
    outbox::{AttemptEnd, Outbox},
};
use lmthing_base::{
    checkpoint::{StoreError, StoredFuture},
    cost::RunUsage,
    event::{Agent, Event, EventKind, EventReader, Events, RunFinish, RunSummary, SharedSummary},
    input::CommandLine,
    permission::StoppingApprover,
};
use lmthing_engine::{
    bindings::{Exchanges, FileRun},
    prompt::{RunError, RunLimits},
    session::{
        FileRunOptions, Meter, ModelOption, RunContext, RunFailure, SharedModel, WatchedRun, run_file, used_before,
    },
};
use lmthing_node::{SCRIPT_STACK_SIZE, ScriptHost};
use lmthing_providers::{ProviderErrorKind, Redactor, Servers};
use lmthing_store::{
    journal::{EntryMirror, INVOCATION, RunStart, SecretFilter},
    trace::otel::SharedExport,
};

/// How long a script may compute without yielding to the other runs of its thread.
const LONGEST_TURN: Duration = Duration::from_secs(5);

const END_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) struct EngineContext {
    pub(super) options: RunOptions,
    /// Rate limits of providers that runs have found out.
    pub(super) servers: Arc<Servers>,
}

pub(super) struct Job {
    pub(super) file: std::path::PathBuf,
    pub(super) run: String,
    pub(super) invocation: String,
    /// `None` if the file takes no input and none was sent.
    pub(super) input: Option<Map<String, Value>>,
    pub(super) stored: Vec<Entry>,
    pub(super) decisions: Vec<Decision>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) log: Log,
    pub(super) trace_parent: Option<String>,
    /// Dropped when the run is over.
    pub(super) over: Option<watch::Sender<()>>,
    pub(super) slot: RunSlot,
    pub(super) watched: WatchedRun,
}

/// Slot of a run; it can be released before the run ends.
#[derive(Clone)]
pub(super) struct RunSlot(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl RunSlot {
    pub(super) fn new(permit: OwnedSemaphorePermit) -> Self {
        RunSlot(Arc::new(Mutex::new(Some(permit))))
    }

    pub(super) fn release(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

pub(super) async fn run(context: &EngineContext, job: Job) {
    // Not shared: every run adds secrets of its own.
    let variables = &context.options.variables;
    let redactor = &Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
    context.options.export.iter().flat_map(SharedExport::secrets).for_each(|secret| redactor.learn(secret));
    let attempt = AssertUnwindSafe(attempt(context, redactor, &job)).catch_unwind().await;
    let ended =
        attempt.unwrap_or_else(|_| AttemptEnd::Fatal("script", "lmthing failed while it ran this run".to_owned()));
    job.outbox.end(ended);
    job.slot.release();
    drop(job.over);
}

async fn attempt(context: &EngineContext, redactor: &Redactor, job: &Job) -> AttemptEnd {
    let host = Rc::new(RunHost::new(job.log.clone(), redactor.clone()));
    let start = start(context, job);
    let secrets: Rc<dyn SecretFilter> = Rc::new(RunSecrets(redactor.clone()));
    let mirror: Rc<dyn EntryMirror> = Rc::new(OutboxMirror(job.outbox.clone()));
    let path = &context.options.journal;
    let opened = local_journal::open(path, (&job.run, &start), &job.stored, &job.decisions, secrets, mirror).await;
    let LocalJournal { recorder, earlier } = match opened {
        Ok(opened) => opened,
        Err(error) => return AttemptEnd::Retry(error.to_string()),
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
    readers.push(logging::reader(job.log.clone(), redactor.clone()));
    if let Some(export) = &context.options.export {
        let redactor = redactor.clone();
        readers.extend(export.reader(job.trace_parent.as_deref(), Rc::new(move |value| redactor.apply_texts(value))));
    }
    let events = Events::resumed(job.run.clone(), agents, readers);
    recorder.read(&events);
    logging::log_start(&job.log, resumed);
    events.emit(&Agent::root(), &EventKind::RunStart { file: job.file.display().to_string(), resumed });
    let meter = Meter::after(used, context.options.limits, context.options.own_prices.clone());
    let meter = Rc::new(meter.cancellable());
    job.watched.begin(meter.clock(), &summary);
    let options = run_options(context, redactor, job, &host, (&events, &meter, recorder.clone()));
    let end = drive(run_file(&job.file, options), &meter, &job.outbox, &recorder).await;
    meter.close();
    host.end();
    let Some(end) = end else {
        return AttemptEnd::Retry("the run did not end when it was not wanted any more".to_owned());
    };
    let ended = finish(context, redactor, &end, &events, &summary);
    // What the next attempt or another command reads. Failures are ignored: Restate has all entries.
    let _ = timeout(END_TIMEOUT, recorder.flush(|_| ())).await;
    ended
}

/// Drives a run to its end. If nothing stores its entries any more, cancels it; returns `None` if it does not end then.
async fn drive(
    run: impl Future<Output = FileRun>,
    meter: &Meter,
    outbox: &Outbox,
    recorder: &lmthing_store::journal::Recorder,
) -> Option<FileRun> {
    let mut run = pin!(run);
    tokio::select! {
        biased;
        end = &mut run => return Some(end),
        () = outbox.abandoned() => {}
        () = recorder.keep_writing() => unreachable!("writing down never ends by itself"),
    }
    // Tools see the cancellation in their abort signals.
    meter.fail(RunError::Aborted);
    timeout(END_TIMEOUT, run).await.ok()
}

fn finish(
    context: &EngineContext,
    redactor: &Redactor,
    end: &FileRun,
    events: &Rc<Events>,
    summary: &SharedSummary,
) -> AttemptEnd {
    let asked = match &context.options.model {
        Some(SharedModel::Named(name)) => Some(ModelOption { name, option: "-m, --model" }),
        _ => None,
    };
    let last = summary.lock().finish_reason;
    let failure = RunFailure::of(end, last, asked, redactor);
    let finish = RunFinish {
        exit_code: failure.as_ref().map_or(0, |failure| failure.to_failure().code),
        error: failure.as_ref().map(RunFailure::to_failure),
    };
    events.emit(&Agent::root(), &EventKind::RunFinish(Rc::new(finish.clone())));
    let waiting: Vec<_> = failure.iter().flat_map(|failure| &failure.waiting).map(PendingApproval::of).collect();
    if !waiting.is_empty() {
        return AttemptEnd::Finished(End::Waits(waiting));
    }
    if let Some(failure) = failure.filter(|_| is_transient(end)) {
        return AttemptEnd::Retry(failure.diagnostic.message);
    }
    let mut report = summary.lock().to_json(&finish);
    // Only the output is redacted: it may contain what scripts read. The model's text is left unchanged.
    if let Some(output) = report.get_mut("output") {
        redactor.apply_texts(output);
    }
    AttemptEnd::Finished(End::Report(report))
}

/// Whether another attempt may succeed: failures of the provider or the journal.
fn is_transient(end: &FileRun) -> bool {
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

fn run_options(
    context: &EngineContext,
    redactor: &Redactor,
    job: &Job,
    host: &Rc<RunHost>,
    (events, meter, recorder): (&Rc<Events>, &Rc<Meter>, Rc<lmthing_store::journal::Recorder>),
) -> FileRunOptions {
    let options = &context.options;
    let host: Rc<dyn ScriptHost> = host.clone();
    let command = format!("lmthing run {}", shown(&job.file));
    let line = match &job.input {
        Some(input) => {
            let input = Value::Object(input.clone());
            CommandLine::given(command, move || Ok(input.clone()))
        }
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
        context: RunContext {
            permissions: (options.permissions)(&job.file).sharing_process("files of a worker run"),
            mcp_config: options.mcp_config.as_deref().map(Into::into),
            process_continues: true,
            servers: Some(context.servers.clone()),
            max_turn: Some(LONGEST_TURN),
            ..RunContext::default()
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

fn start(context: &EngineContext, job: &Job) -> RunStart {
    let named = match &context.options.model {
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

struct OutboxMirror(Arc<Outbox>);

impl EntryMirror for OutboxMirror {
    fn copy_entry(&self, key: &str, text: String, is_over: bool) {
        self.0.push((key.to_owned(), text), is_over);
    }

    fn stored(&self) -> Option<StoredFuture<'static>> {
        let stored = self.0.stored()?;
        let gone = || StoreError { message: "Restate has given this attempt of the run up".to_owned(), hint: None };
        Some(async move { if stored.await { Ok(()) } else { Err(gone()) } }.boxed_local())
    }
}

struct RunSecrets(Redactor);

impl SecretFilter for RunSecrets {
    fn replace(&self, value: &mut Value) {
        self.0.apply_json(value);
    }

    fn contain_secret(&self, text: &str) -> bool {
        self.0.finds(text)
    }
}
