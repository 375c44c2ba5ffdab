//! Runs one row in an engine of its own.

use std::{
    panic::AssertUnwindSafe,
    rc::Rc,
    sync::{Arc, mpsc::Sender},
    time::{Duration, Instant},
};

use futures_util::FutureExt;
use serde_json::{Map, Value};

use super::{
    host::RowHost,
    message::{Job, Message},
    remote_rows::RemoteRows,
    target::{Target, Targets},
};
use crate::{
    batches::{BatchJob, LostState, Moved, RowAnswers, RowLog, Suspension},
    options::{AnswerSource, PoolOptions, Unit, UnitAnswers, mcp_config},
    results::{RowError, RowOutcome},
};
use lmthing_base::{
    checkpoint::{Checkpoints, NoCheckpoints},
    cost::RunUsage,
    diagnostic::Diagnostic,
    event::{Event, EventReader, Events, RunSummary, SharedSummary},
    input::CommandLine,
    permission::DenyingApprover,
};
use lmthing_engine::{
    bindings::{Exchanges, FileRun},
    prompt::RunError,
    session::{
        BatchAnswers, FileRunOptions, LateRun, Meter, ModelOption, RunContext, RunFailure, SharedModel, StepCollector,
        run_file, warnings,
    },
};
use lmthing_node::{SCRIPT_STACK_SIZE, ScriptHost};
use lmthing_providers::{MAX_WAIT, ProviderError, ProviderErrorKind, Redactor, Servers};

/// How long a script may compute without yielding to the other rows of its thread.
const LONGEST_TURN: Duration = Duration::from_secs(5);

pub(super) struct RowContext {
    pub(super) options: Arc<PoolOptions>,
    pub(super) targets: Targets,
    /// Rate limits of providers that rows have found out.
    pub(super) servers: Arc<Servers>,
    /// Rows share a key for caches of prompts, as their requests begin alike.
    pub(super) cache_scope: String,
    pub(super) remote_rows: Option<RemoteRows>,
    /// What answers requests in place of models.
    pub(super) answers: Option<Arc<dyn AnswerSource>>,
}

/// How a run of a row has ended.
pub(super) enum RowRun {
    Ended(Box<RowOutcome>),
    /// All that is left of it waits for batches.
    Suspended(Suspension),
}

/// What a run of a row has to do with batches.
struct RowBatch {
    answers: Rc<RowAnswers>,
    log: Rc<RowLog>,
}

impl RowBatch {
    fn of(job: &Job, sender: &Sender<Message>) -> Option<Self> {
        let BatchJob { record, asks_next_at_once, has_failed, .. } = job.batch.clone()?;
        let (sender, row, attempt) = (sender.clone(), job.row, job.attempt);
        let send = move |entry| drop(sender.send(Message::Entry { row, attempt, entry }));
        let shared = (LostState::default(), Moved::default());
        let log = RowLog::new(&record, shared.clone(), send);
        let answers = RowAnswers::new(record.requests, &log.answered(), (asks_next_at_once, has_failed), shared);
        Some(RowBatch { answers: Rc::new(answers), log: Rc::new(log) })
    }
}

/// What a run of a row writes to and is answered by.
struct RowServices {
    host: RowHost,
    summary: SharedSummary,
    meter: Rc<Meter>,
    collector: Option<StepCollector>,
    batch: Option<RowBatch>,
    /// What answers in place of models.
    answers: Option<Box<dyn UnitAnswers>>,
}

impl RowServices {
    fn new(
        context: &RowContext,
        redactor: &Redactor,
        job: &Job,
        sender: &Sender<Message>,
    ) -> Result<Self, Box<Diagnostic>> {
        let options = &context.options;
        let own = redactor.clone();
        let host = RowHost::of_row(job.row, sender.clone(), Box::new(move |text| own.apply(text)));
        let batch = RowBatch::of(job, sender);
        let (summary, used) = match (&batch, &job.batch) {
            (Some(batch), Some(of)) => batch.log.summary(of.worked),
            _ => (RunSummary::with_text(), RunUsage::default()),
        };
        let reserved = job.batch.as_ref().map_or_else(Vec::new, |batch| batch.reserved.clone());
        let batched = batch.as_ref().map(|batch| batch.answers.clone() as Rc<dyn BatchAnswers>);
        let meter = Meter::within(&options.limits, (used, reserved), options.own_prices.clone()).with_batches(batched);
        Ok(RowServices {
            host,
            summary: SharedSummary::new(summary),
            meter: Rc::new(meter),
            collector: options.keeps_records.then(StepCollector::default),
            batch,
            answers: context.answers.as_ref().map(|answers| answers.begin(job.row, redactor)).transpose()?,
        })
    }

    async fn run(&self, context: &RowContext, redactor: &Redactor, job: &Job) -> FileRun {
        let unit = context.options.unit.name();
        job.watched.begin(self.meter.clock(), &self.summary);
        let target = context.targets.of(job.row);
        let run = run_file(&target.file, run_options((context, target), redactor, self, &job.input));
        let end = AssertUnwindSafe(run).catch_unwind().await;
        self.meter.close();
        self.host.end();
        if let Some(lost) = self.batch.as_ref().and_then(|batch| batch.answers.lost_state()) {
            let lost = format!("{lost}; so the next steps of the {unit} were asked at once, at full price");
            self.host.warn(&lost);
        }
        end.unwrap_or_else(|_| {
            let problem = Diagnostic::new(format!("lmthing failed while it ran this {unit}"));
            FileRun::Failed(Rc::new(RunError::from(problem)))
        })
    }
}

pub(super) async fn run(context: &RowContext, redactor: &Redactor, job: &Job, sender: &Sender<Message>) -> RowRun {
    let began = Instant::now();
    let services = match RowServices::new(context, redactor, job, sender) {
        Ok(services) => services,
        Err(problem) => {
            let failure = RowError::new(RunError::SCRIPT_EXIT_CODE, "configuration", problem.message);
            let failure = problem.hint.iter().fold(failure, |failure, hint| failure.with_hint(hint));
            return RowRun::Ended(Box::new(RowOutcome { failure: Some(failure), ..RowOutcome::default() }));
        }
    };
    let end = services.run(context, redactor, job).await;
    let RowServices { summary, collector, batch, answers, .. } = &services;
    if let (FileRun::Suspended { reserved }, Some(batch)) = (&end, batch) {
        let (asks, reserved) = (batch.answers.take_asked(), reserved.clone());
        return RowRun::Suspended(Suspension { asks, reserved, took: began.elapsed() });
    }
    // A refusal within a batch has waited for its time already.
    let may_wait = batch.as_ref().is_none_or(|batch| batch.answers.has_sent());
    let mut summary = summary.lock();
    let asked = match &context.targets.of(job.row).model {
        Some(SharedModel::Named(name)) => Some(ModelOption { name, option: "-m, --model" }),
        _ => None,
    };
    let failure = RunFailure::of(&end, summary.finish_reason, asked, redactor)
        .map(|failure| RowError::from(failure.to_failure()));
    let mut output = summary.output.take();
    output.iter_mut().for_each(|output| redactor.apply_texts(output));
    answers.iter().for_each(|answers| answers.ended(failure.is_none()));
    RowRun::Ended(Box::new(RowOutcome {
        text: std::mem::take(&mut summary.text),
        output: output.filter(|_| failure.is_none()),
        finish_reason: summary.finish_reason,
        usage: summary.usage,
        cost: summary.total_cost(),
        took: began.elapsed(),
        failure,
        is_refused: may_wait && is_refused(&end),
        is_hopeless: is_hopeless(&end),
        long_wait: long_wait(&end).filter(|_| may_wait).map(|message| redactor.apply(&message)),
        record: collector.as_ref().map(|collector| record(collector, redactor)),
        ..RowOutcome::default()
    }))
}

fn record(collector: &StepCollector, redactor: &Redactor) -> Map<String, Value> {
    let mut record = collector.take().to_json();
    record.values_mut().for_each(|value| redactor.apply_texts(value));
    record
}

/// Outcome of a row whose thread is blocked for ever.
pub(super) fn stuck_outcome(unit: Unit, used: Option<(RunSummary, Duration)>) -> RowOutcome {
    let unit = unit.name();
    let message =
        format!("a script on the thread of this {unit} computed without a pause and could not be interrupted");
    let failure = RowError::new(RunError::SCRIPT_EXIT_CODE, "script", message);
    let (summary, took) = used.unwrap_or_default();
    cut_off_outcome(summary, took, failure)
}

/// Outcome of a row that passed a limit and did not end by itself.
pub(super) fn late_outcome(LateRun { message, summary, took }: LateRun) -> RowOutcome {
    cut_off_outcome(summary, took, RowError::new(RunError::LIMIT_EXIT_CODE, "limit", message))
}

fn cut_off_outcome(summary: RunSummary, took: Duration, failure: RowError) -> RowOutcome {
    RowOutcome {
        cost: summary.total_cost(),
        text: summary.text,
        finish_reason: summary.finish_reason,
        usage: summary.usage,
        took,
        failure: Some(failure),
        ..RowOutcome::default()
    }
}

fn run_options(
    (context, target): (&RowContext, &Target),
    redactor: &Redactor,
    services: &RowServices,
    input: &Map<String, Value>,
) -> FileRunOptions {
    let (options, batch) = (&context.options, services.batch.as_ref());
    let sums = services.summary.clone();
    let reader: EventReader = Rc::new(move |event: &Event<'_>| sums.lock().add(event));
    let host: Rc<dyn ScriptHost> = Rc::new(services.host.clone());
    let collector = services.collector.as_ref().map(StepCollector::reader);
    let readers = [reader, warnings(host.clone())].into_iter().chain(collector).collect();
    let checkpoints: Rc<dyn Checkpoints> = match batch {
        Some(batch) => batch.log.clone(),
        None => Rc::new(NoCheckpoints),
    };
    let command = format!("lmthing run {}", target.shown_file);
    let line = match target.takes_input() {
        true => {
            let (files, taken, row) = (target.files.clone(), target.taken.clone(), input.clone());
            // Read when it is asked for, so that the contents of its files are not kept.
            let give = move || files.load(&taken.declaration, &row).map(Value::Object);
            let taken = Some(target.taken.clone());
            CommandLine { is_call: true, taken, ..CommandLine::given(command, give) }
        }
        false => CommandLine::without_words(command),
    };
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_else(|_| "lmthing".into());
    FileRunOptions {
        events: Events::new(readers),
        host,
        line,
        argv: vec![program, target.file.display().to_string()],
        variables: options.variables.clone(),
        exchanges: services.answers.as_ref().map_or_else(Exchanges::default, |answers| answers.exchanges()),
        meter: services.meter.clone(),
        checkpoints,
        approver: DenyingApprover::new(options.approve.clone(), options.unit.approval_advice()),
        redactor: redactor.clone(),
        model: target.model.as_ref().map(SharedModel::choice),
        max_stack_size: SCRIPT_STACK_SIZE,
        context: RunContext {
            permissions: options.permissions.clone().sharing_process(options.unit.sharers()),
            mcp_config: mcp_config(options),
            process_continues: true,
            servers: Some(context.servers.clone()),
            cache_scope: Some(context.cache_scope.clone()),
            max_turn: Some(LONGEST_TURN),
            batches: batch.map(|batch| batch.answers.clone() as Rc<dyn BatchAnswers>),
            overrides: target.overrides.clone(),
            ..RunContext::default()
        },
    }
}

fn is_refused(end: &FileRun) -> bool {
    provider_error(end)
        .is_some_and(|error| matches!(error.kind, ProviderErrorKind::RateLimit { .. }) && error.status == Some(429))
}

fn long_wait(end: &FileRun) -> Option<String> {
    let error = provider_error(end)?;
    let ProviderErrorKind::RateLimit { retry_after } = error.kind else { return None };
    retry_after.is_some_and(|wait| wait > MAX_WAIT).then(|| error.message.clone())
}

fn is_hopeless(end: &FileRun) -> bool {
    provider_error(end).is_some_and(|error| {
        use ProviderErrorKind::{Authentication, Billing, Configuration};
        matches!(error.kind, Authentication | Billing | Configuration) || error.status == Some(404)
    })
}

fn provider_error(end: &FileRun) -> Option<&ProviderError> {
    let (FileRun::Failed(error) | FileRun::FailedAs(error, _)) = end else { return None };
    match error.origin() {
        RunError::Provider(error) | RunError::NoModel(error) => Some(error),
        _ => None,
    }
}
