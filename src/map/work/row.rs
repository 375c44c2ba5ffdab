//! One row: a run of the file in an engine of its own. Must not know other rows.

use std::{
    panic::AssertUnwindSafe,
    rc::Rc,
    sync::{Arc, mpsc::Sender},
    time::{Duration, Instant},
};

use futures_util::FutureExt;

use super::{
    elsewhere::There,
    host::RowHost,
    message::{Job, Message},
};
use crate::{
    checkpoint::NoCheckpoints,
    diagnostic::Diagnostic,
    event::{Event, Events, RunSummary, SharedSummary},
    input::{CommandLine, InputShape},
    map::{
        options::{MapOptions, approval_advice, mcp_config},
        results::{Outcome, RowError},
    },
    permission::DenyingApprover,
    prompt::RunError,
    provider::{ProviderErrorKind, Redactor, Servers},
    script::{
        SCRIPT_STACK_SIZE,
        bindings::{Exchanges, FileRun},
    },
    session::{
        AskedModel, FileRunOptions, LateRun, Meter, Overall, RunFailure, SharedModel, Surroundings, run_file, warnings,
    },
};

/// Bytes that the scripts of a row may use: many run at once.
pub(super) const MAX_MEMORY: usize = 512 << 20;

/// How long a script may compute without giving the other rows of its thread a turn.
const LONGEST_TURN: Duration = Duration::from_secs(5);

/// What all rows share.
pub(super) struct Shared {
    pub(super) options: Arc<MapOptions>,
    /// What they may use together.
    pub(super) overall: Arc<Overall>,
    /// What they know of servers.
    pub(super) servers: Arc<Servers>,
    /// Where they are run, if not here.
    pub(super) there: Option<There>,
    /// What the file takes, as it was when the rows were checked.
    pub(super) taken: Arc<InputShape>,
}

/// Runs a row to its end.
pub(super) async fn run(shared: &Shared, redactor: &Redactor, job: &Job, sender: &Sender<Message>) -> Outcome {
    let began = Instant::now();
    let options = &shared.options;
    let own = redactor.clone();
    let host = RowHost::of_row(job.row, sender.clone(), Box::new(move |text| own.apply(text)));
    let summary = SharedSummary::new(RunSummary::with_text());
    let meter = Rc::new(Meter::within(&shared.overall, options.own_prices.clone()));
    job.watched.begin(meter.clock(), &summary);
    let run = run_file(&options.file, options_of(shared, redactor, job, (&host, &summary, &meter)));
    let end = AssertUnwindSafe(run).catch_unwind().await;
    meter.close();
    host.end();
    // A panic is a fault of ours, and no reason for other rows to fail.
    let end = end.unwrap_or_else(|_| {
        FileRun::Failed(Rc::new(RunError::from(Diagnostic::new("lmthing failed while it ran this row"))))
    });
    let mut summary = summary.lock();
    let asked = match &options.model {
        Some(SharedModel::Named(name)) => Some(AskedModel { name, option: "-m, --model" }),
        _ => None,
    };
    let failure = RunFailure::of(&end, summary.finish_reason, asked, redactor)
        .map(|failure| RowError::from(failure.to_failure()));
    let mut output = summary.output.take();
    output.iter_mut().for_each(|output| redactor.apply_texts(output));
    Outcome {
        text: std::mem::take(&mut summary.text),
        output: output.filter(|_| failure.is_none()),
        finish_reason: summary.finish_reason,
        usage: summary.usage,
        cost: summary.total_cost(),
        took: began.elapsed(),
        failure,
        is_refused: is_refused(&end),
        ..Outcome::default()
    }
}

/// A row that could not be run to its end.
pub(super) fn broken(message: &str) -> Outcome {
    let failure = RowError::new(RunError::SCRIPT_EXIT_CODE, "script", message.to_owned());
    Outcome { failure: Some(failure), cost: Some(0.0), ..Outcome::default() }
}

/// A row that has passed a limit and did not end by itself.
pub(super) fn cut_off(LateRun { message, summary, took }: LateRun) -> Outcome {
    Outcome {
        cost: summary.total_cost(),
        text: summary.text,
        finish_reason: summary.finish_reason,
        usage: summary.usage,
        took,
        failure: Some(RowError::new(RunError::LIMIT_EXIT_CODE, "limit", message)),
        ..Outcome::default()
    }
}

fn options_of(
    shared: &Shared,
    redactor: &Redactor,
    job: &Job,
    (host, summary, meter): (&RowHost, &SharedSummary, &Rc<Meter>),
) -> FileRunOptions {
    let options = &shared.options;
    let sums = summary.clone();
    let reader = Rc::new(move |event: &Event<'_>| sums.lock().add(event));
    let host: Rc<dyn crate::script::ScriptHost> = Rc::new(host.clone());
    let input = serde_json::Value::Object(job.input.clone()).to_string();
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_else(|_| "lmthing".into());
    FileRunOptions {
        events: Events::new(vec![reader, warnings(host.clone())]),
        host,
        line: CommandLine {
            is_call: true,
            taken: Some(shared.taken.clone()),
            ..CommandLine::known(format!("lmthing run {}", options.shown_file), input, Vec::new)
        },
        argv: vec![program, options.file.display().to_string()],
        variables: options.variables.clone(),
        exchanges: Exchanges::default(),
        meter: meter.clone(),
        checkpoints: Rc::new(NoCheckpoints),
        approver: DenyingApprover::new(options.approve.clone(), approval_advice()),
        redactor: redactor.clone(),
        model: options.model.as_ref().map(SharedModel::choice),
        max_stack_size: SCRIPT_STACK_SIZE,
        surroundings: Surroundings {
            permissions: options.permissions.clone().sharing_process("rows of a map run"),
            mcp_config: mcp_config(options),
            max_memory: Some(MAX_MEMORY),
            goes_on: true,
            servers: Some(shared.servers.clone()),
            turn: Some(LONGEST_TURN),
            ..Surroundings::default()
        },
    }
}

/// Whether the run failed because a server took no more requests.
fn is_refused(end: &FileRun) -> bool {
    let (FileRun::Failed(error) | FileRun::FailedAs(error, _)) = end else { return false };
    matches!(error.origin(), RunError::Provider(error)
        if matches!(error.kind, ProviderErrorKind::RateLimit { .. }) && error.status == Some(429))
}
