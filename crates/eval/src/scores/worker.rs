//! What the thread of an eval file does: it loads the file, then scores answers until its handle is dropped.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{PoisonError, mpsc::Sender},
    time::Instant,
};

use serde_json::json;

use super::{
    ScoreMessage, ScoreOptions, StartError,
    host::EvalHost,
    inbox::{Inbox, Started, failed},
    text,
};
use crate::eval_file::EvalFile;
use lmthing_base::{
    checkpoint::NoCheckpoints,
    diagnostic::Diagnostic,
    event::Events,
    permission::{ApprovalRules, DenyingApprover},
};
use lmthing_check::diagnostic_of;
use lmthing_engine::{
    bindings::{
        Exchanges,
        eval::{EvalExports, EvalFault, install, load_eval_file, score_cells},
    },
    prompt::RunLimits,
    session::{
        HostServiceOptions, LoadError, Meter, Program, ProgramOptions, host_services, warnings, without_secrets,
    },
};
use lmthing_node::{Engine, ScriptHost};
use lmthing_providers::Redactor;
use lmthing_system::threads::EventLoop;

pub(super) fn run(options: ScoreOptions, send: Rc<dyn Fn(ScoreMessage)>, inbox: Inbox, started: Sender<Started>) {
    let event_loop = match EventLoop::new() {
        Ok(event_loop) => event_loop,
        Err(error) => {
            let _ = started.send(Err(failed(format!("cannot start the event loop: {error}"))));
            return;
        }
    };
    event_loop.run(score_until_end(options, send, inbox, started));
}

async fn score_until_end(
    mut options: ScoreOptions,
    send: Rc<dyn Fn(ScoreMessage)>,
    mut inbox: Inbox,
    started: Sender<Started>,
) {
    let redactor = Redactor::of_variables(options.variables.iter().map(|(name, value)| (name, value)));
    let host = Rc::new(EvalHost { send: send.clone(), redactor: redactor.clone(), lines: RefCell::default() });
    let meter = Meter::within(&options.overall, Default::default(), options.own_prices.clone());
    let meter = meter.with_separate_requests();
    let meter = Rc::new(meter);
    let program = match load(&mut options, &host, &meter).await {
        Ok(program) => program,
        Err(error) => return drop(started.send(Err(failed(error.to_string())))),
    };
    let engine = program.engine();
    let file = tokio::select! {
        file = load_file(engine, &options, &redactor) => file,
        _ = &mut inbox.ended => return program.abandon(),
    };
    host.end_line();
    let is_loaded = file.is_ok();
    let _ = started.send(file);
    if is_loaded {
        tokio::select! {
            () = score(engine, &options, inbox, &host) => {}
            () = meter.watch_clock() => {}
        }
    }
    meter.close();
    program.abandon();
}

async fn load(options: &mut ScoreOptions, host: &Rc<EvalHost>, meter: &Rc<Meter>) -> Result<Program, LoadError> {
    let script_host: Rc<dyn ScriptHost> = host.clone();
    // Fails only for a value that is no count.
    let _ = meter.configure(&json!({ "parallel": options.jobs.get() }), &serde_json::Value::Null);
    let exchanges = options.judge_exchanges.take().map_or_else(Exchanges::default, |make| make(&host.redactor));
    let service_options = HostServiceOptions {
        meter: meter.clone(),
        events: Events::new(vec![warnings(script_host.clone())]),
        exchanges,
        checkpoints: Rc::new(NoCheckpoints),
        approver: DenyingApprover::new(ApprovalRules::default(), "an eval file approves nothing"),
        servers: Some(options.servers.clone()),
        batches: None,
        keeps_tool_schemas: false,
    };
    let services = host_services(&script_host, &options.variables, &host.redactor, service_options);
    let program = ProgramOptions {
        argv: argv(&options.file),
        env: options.variables.clone(),
        permissions: options.permissions.clone().sharing_process("the cells of an eval run"),
        ..ProgramOptions::new(script_host, services)
    };
    let program = Program::load(&options.file, program).await?;
    program.engine().context().with(|ctx| install(&ctx, host.clone())).await?;
    Ok(program)
}

/// `process.argv` of the script.
fn argv(file: &Path) -> Vec<String> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("lmthing"));
    [program.display().to_string(), file.display().to_string()].to_vec()
}

async fn load_file(engine: &Engine, options: &ScoreOptions, redactor: &Redactor) -> Started {
    let to_diagnostic = |fault| without_secrets(diagnostic_of(fault, &options.file), redactor);
    match load_eval_file(engine, &options.file).await {
        Ok(EvalExports { rows, variants, scores, unusable_judge }) => {
            let (path, shown_path) = (options.file.clone(), options.shown_file.clone());
            let file = EvalFile { path, shown_path, rows, variants, scores };
            Ok((file, unusable_judge.map(|fault| Box::new(to_diagnostic(*fault)))))
        }
        Err(EvalFault::File(fault)) => Err(StartError::File(Box::new(to_diagnostic(*fault)))),
        Err(EvalFault::Usage(problem)) => Err(StartError::Usage(problem)),
    }
}

async fn score(engine: &Engine, options: &ScoreOptions, inbox: Inbox, host: &Rc<EvalHost>) {
    let Inbox { inputs, turn, ended } = inbox;
    let scored = |scores| (host.send)(text::message(scores, &host.redactor));
    let note_turn = |begins: bool| {
        *turn.lock().unwrap_or_else(PoisonError::into_inner) = begins.then(Instant::now);
    };
    tokio::select! {
        _ = ended => {}
        result = score_cells(engine, inputs, options.jobs.get(), &scored, &note_turn) => {
            if let Err(error) = result {
                (host.send)(ScoreMessage::Failed(Box::new(Diagnostic::new(error.to_string()))));
            }
        }
    }
    host.end_line();
}
