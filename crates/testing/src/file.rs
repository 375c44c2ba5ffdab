//! Runs one file in its own engine on its own thread, so that scripts of different files cannot affect each other.

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, mpsc::Sender},
};

use super::{
    message::{Bail, FileReporter, Message},
    options::{Kind, Subject, TestOptions},
    outcome::Failure,
    prompt_runner::{APPROVAL_HINT, PromptRunner, argv},
    smoke,
};
use lmthing_base::{
    checkpoint::NoCheckpoints,
    diagnostic::Diagnostic,
    event::Events,
    permission::{ApprovalRules, DenyingApprover, Permissions},
};
use lmthing_engine::{
    bindings::testing::{TestHost, TestSettings, install, install_runner, run_test_file},
    session::{HostServiceOptions, LoadError, Meter, Program, ProgramOptions, host_services},
};
use lmthing_node::ScriptHost;
use lmthing_providers::Redactor;
use lmthing_system::threads::EventLoop;

/// What the thread of a file needs.
pub(super) struct FileJob {
    pub(super) index: usize,
    pub(super) subject: Subject,
    pub(super) options: TestOptions,
    pub(super) bail: Arc<Bail>,
    pub(super) sender: Sender<(usize, Message)>,
}

/// Runs the file on this thread and sends messages about it. `Message::End` is the last one even after a panic.
pub(super) fn run(job: FileJob) {
    let (sender, index) = (job.sender.clone(), job.index);
    if catch_unwind(AssertUnwindSafe(|| run_to_end(job))).is_err() {
        let diagnostic = Diagnostic::new("lmthing failed while it ran this file");
        let failure = Failure { diagnostic, diff: None, context: None };
        let _ = sender.send((index, Message::Error(Box::new(failure))));
    }
    let _ = sender.send((index, Message::End));
}

fn run_to_end(job: FileJob) {
    let FileJob { index, subject, options, bail, sender } = job;
    let redactor = Redactor::of_variables(options.variables.iter().map(|(name, value)| (name, value)));
    let path = std::path::absolute(&subject.file).unwrap_or_else(|_| subject.file.clone());
    let recordings = options.recordings.for_file(&path, &subject.file);
    let reporter = FileReporter {
        index,
        sender,
        bail,
        redactor,
        recordings,
        started_tests: 0.into(),
        is_test_running: false.into(),
        all_passed: true.into(),
        watcher: options.watcher.clone(),
        snapshot_file: snapshot_file(&path),
        lines: RefCell::default(),
    };
    let reporter = Rc::new(reporter);
    let event_loop = match EventLoop::new() {
        Ok(event_loop) => event_loop,
        Err(error) => return fail(&reporter, format!("cannot start the event loop: {error}")),
    };
    event_loop.run(async {
        match subject.kind {
            Kind::Tests => {
                run_tests(&path, &options, &reporter).await.unwrap_or_else(|error| fail(&reporter, error.to_string()))
            }
            Kind::Smoke(answers) => smoke::run(&path, answers, &options, &reporter).await,
        }
    });
    reporter.end_printing();
    reporter.recordings.end(reporter.all_passed.get());
    reporter.send(Message::Recorded(reporter.recordings.answers().sum()));
    options.watch_recordings();
}

fn fail(reporter: &FileReporter, message: String) {
    reporter.error(Failure { diagnostic: Diagnostic::new(message), diff: None, context: None });
}

async fn run_tests(path: &Path, options: &TestOptions, reporter: &Rc<FileReporter>) -> Result<(), LoadError> {
    let host: Rc<dyn ScriptHost> = reporter.clone();
    let meter = Rc::new(Meter::new(lmthing_base::cost::Limits::default(), options.own_prices.clone()));
    let exchanges = reporter.recordings.own(&reporter.redactor);
    let service_options = HostServiceOptions {
        meter,
        events: Events::new(vec![reporter.recordings.answers().reader()]),
        exchanges,
        checkpoints: Rc::new(NoCheckpoints),
        approver: DenyingApprover::new(ApprovalRules::default(), APPROVAL_HINT),
        servers: None,
        batches: None,
        keeps_tool_schemas: false,
    };
    let services = host_services(&host, &options.variables, &reporter.redactor, service_options);
    let program = ProgramOptions {
        argv: argv(path),
        env: options.variables.clone(),
        permissions: Permissions::of_tests(options.is_live),
        ..ProgramOptions::new(host, services)
    };
    let program = Program::load(path, program).await?;
    let runs = Rc::new(PromptRunner::of_file(options, reporter, reporter.clone()));
    let settings = TestSettings {
        file: path.display().to_string(),
        snapshots: reporter.snapshot_file.clone(),
        is_ci: options.is_ci,
        update: options.update,
        filter: options.filter.clone(),
        timeout: options.timeout,
    };
    let installed = program.engine().context().with(|ctx| {
        install(&ctx, settings, reporter.clone())?;
        install_runner(&ctx, runs)
    });
    installed.await?;
    let limit = Some(options.timeout).filter(|limit| !limit.is_zero());
    reporter.begin("", limit);
    run_test_file(program.engine(), path, limit).await;
    Ok(())
}

fn snapshot_file(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name("__snapshots__").join(format!("{name}.snap"))
}
