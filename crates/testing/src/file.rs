//! Running one file: an engine of its own, on a thread of its own, so that nothing a script does reaches another file. Must not
//! know which files there are, nor who waits.

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, mpsc::Sender},
};

use super::{
    message::{Bail, Message, Teller},
    options::{Kind, Subject, TestOptions},
    outcome::Failure,
    running_prompts::runner,
    smoke,
    start::{IN_TEST, MAX_MEMORY, argv},
};
use lmthing_base::{
    checkpoint::NoCheckpoints,
    diagnostic::Diagnostic,
    event::Events,
    permission::{ApprovalRules, DenyingApprover, Permissions},
};
use lmthing_engine::{
    bindings::testing::{TestHost, TestSettings, install, install_runner, run_test_file},
    session::{Meter, Outside, Program, ProgramOptions, doors},
};
use lmthing_node::ScriptHost;
use lmthing_providers::Redactor;

/// What a thread is given to run a file.
pub(super) struct Work {
    pub(super) index: usize,
    pub(super) subject: Subject,
    pub(super) options: TestOptions,
    pub(super) bail: Arc<Bail>,
    pub(super) sender: Sender<(usize, Message)>,
}

/// Runs the file, on this thread; everything that comes of it is sent, the end in any case.
pub(super) fn run(work: Work) {
    let (sender, index) = (work.sender.clone(), work.index);
    if catch_unwind(AssertUnwindSafe(|| run_to_end(work))).is_err() {
        let diagnostic = Diagnostic::new("lmthing failed while it ran this file");
        let failure = Failure { diagnostic, diff: None, context: None };
        let _ = sender.send((index, Message::Error(Box::new(failure))));
    }
    let _ = sender.send((index, Message::End));
}

fn run_to_end(work: Work) {
    let Work { index, subject, options, bail, sender } = work;
    let redactor = Redactor::of_variables(options.variables.iter().map(|(name, value)| (name, value)));
    let path = std::path::absolute(&subject.file).unwrap_or_else(|_| subject.file.clone());
    let recordings = options.shelf.for_file(&path, &subject.file);
    let teller = Teller {
        index,
        sender,
        bail,
        redactor,
        recordings,
        begun: 0.into(),
        is_running: false.into(),
        is_whole: true.into(),
        watcher: options.watcher.clone(),
        snapshots: snapshot_file(&path),
        lines: RefCell::default(),
    };
    let teller = Rc::new(teller);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&teller, format!("cannot start the event loop: {error}")),
    };
    let run = async {
        match subject.kind {
            Kind::Tests => run_tests(&path, &options, &teller).await.unwrap_or_else(|error| fail(&teller, error)),
            Kind::Smoke(answers) => smoke::run(&path, answers, &options, &teller).await,
        }
    };
    runtime.block_on(run);
    teller.end_printing();
    teller.recordings.end(teller.is_whole.get());
    options.watch_recordings();
    // Not to wait for a blocking call that nobody needs any more.
    runtime.shutdown_background();
}

fn fail(teller: &Teller, message: String) {
    teller.error(Failure { diagnostic: Diagnostic::new(message), diff: None, context: None });
}

async fn run_tests(path: &Path, options: &TestOptions, teller: &Rc<Teller>) -> Result<(), String> {
    let host: Rc<dyn ScriptHost> = teller.clone();
    let meter = Rc::new(Meter::new(lmthing_base::cost::Limits::default(), options.own_prices.clone()));
    let exchanges = teller.recordings.own(&teller.redactor);
    let rest = Outside {
        meter,
        events: Events::new(Vec::new()),
        exchanges,
        checkpoints: Rc::new(NoCheckpoints),
        approver: DenyingApprover::new(ApprovalRules::default(), IN_TEST),
        servers: None,
    };
    let doors = doors(&host, &options.variables, &teller.redactor, rest, false);
    let program = ProgramOptions {
        argv: argv(path),
        env: options.variables.clone(),
        permissions: Permissions::of_tests(options.is_live),
        max_memory: Some(MAX_MEMORY),
        ..ProgramOptions::new(host, doors)
    };
    let program = Program::load(path, program).await?;
    let runs = Rc::new(runner(options, teller, teller.clone()));
    let settings = TestSettings {
        file: path.display().to_string(),
        snapshots: teller.snapshots.clone(),
        is_ci: options.is_ci,
        update: options.update,
        filter: options.filter.clone(),
        timeout: options.timeout,
    };
    let installed = program.engine().context().with(|ctx| {
        install(&ctx, settings, teller.clone())?;
        install_runner(&ctx, runs)
    });
    installed.await.map_err(|error| format!("cannot install lmthing's bindings: {error}"))?;
    let limit = Some(options.timeout).filter(|limit| !limit.is_zero());
    teller.begin("", limit);
    run_test_file(program.engine(), path, limit).await;
    Ok(())
}

/// Where the snapshots of a test file are.
fn snapshot_file(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name("__snapshots__").join(format!("{name}.snap"))
}
