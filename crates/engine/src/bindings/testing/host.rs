//! The host of a test file: its settings, and the receiver of its results.

use std::{
    cell::Cell,
    path::PathBuf,
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, JsLifetime, Result};

use super::outcome::{Failure, Snapshots, TestOutcome};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::{
    ExitCalled, Halt, HaltHandler, ScriptError, Thrown, set_deadline, set_halt_handler, set_longest_turn,
    take_interrupted,
};

/// How long a script that no test awaits may run without yielding.
const LONGEST_TURN: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub struct TestSettings {
    pub file: String,
    pub snapshots: PathBuf,
    /// No snapshots are written, and `test.only` is an error.
    pub is_ci: bool,
    pub update: bool,
    /// Only tests whose full name contains this run.
    pub filter: Option<String>,
    pub timeout: Duration,
}

pub trait TestHost {
    /// Called when a test or hook begins, with its time limit. `test` is the name of the test or suite.
    fn begin(&self, test: &str, limit: Option<Duration>);

    /// Called before a failure is described, with the time that this may take at most.
    fn describe(&self, limit: Duration);

    fn plan(&self, tests: Vec<TestOutcome>);

    /// Called when a test begins, before its repetitions. Its recording is read from the start.
    fn start(&self, test: &str);

    fn attempt(&self);

    /// Why a model did not answer: it may not be called, or the recording does not match. Each reason is returned once.
    fn fault(&self) -> Option<Diagnostic>;

    fn test(&self, outcome: TestOutcome);

    fn error(&self, failure: Failure);

    fn file(&self, notes: Vec<String>, snapshots: Snapshots);

    fn is_stopped(&self) -> bool;
}

#[derive(JsLifetime)]
pub(super) struct Testing {
    pub(super) settings: TestSettings,
    pub(super) host: Rc<dyn TestHost>,
    /// The code of `process.exit`, until it is read.
    pub(super) exit: Rc<Cell<Option<i32>>>,
    pub(super) deadline: Rc<Cell<Option<Instant>>>,
}

/// Prepares an engine for a test file. Must be called once, before loading the file.
pub fn install(ctx: &Ctx<'_>, settings: TestSettings, host: Rc<dyn TestHost>) -> Result<()> {
    let exit = Rc::new(Cell::new(None));
    set_halt_handler(ctx, catcher(host.clone(), exit.clone()))?;
    let testing = Testing { settings, host, exit, deadline: Rc::default() };
    let stored = ctx.store_userdata(testing);
    stored.map(drop).map_err(|_| ScriptError::error("user data is in use").throw(ctx))
}

/// Turns an event that would end a run into a failure of the file.
fn catcher(host: Rc<dyn TestHost>, exit: Rc<Cell<Option<i32>>>) -> HaltHandler {
    Rc::new(move |halt| {
        let is_exit = |thrown: &Thrown| exit.get().is_some() && thrown.payload_as::<ExitCalled>().is_some();
        let (diagnostic, context) = match halt {
            Halt::Uncaught(thrown) | Halt::UnhandledRejection(thrown) if is_exit(&thrown) => return,
            // Reported with the test that was running.
            Halt::Exit(code) => return exit.set(Some(code)),
            Halt::Uncaught(thrown) => (thrown.diagnostic, "uncaught exception"),
            Halt::UnhandledRejection(thrown) => (thrown.diagnostic, "unhandled rejection"),
        };
        host.error(Failure { diagnostic, diff: None, context: Some(context.to_owned()) });
    })
}

/// Interrupts scripts of this engine, and of engines it runs files in, after the deadline.
pub(super) fn set_limit(ctx: &Ctx<'_>, deadline: Option<Instant>) -> Result<()> {
    clear_exception(ctx);
    if let Some(testing) = ctx.userdata::<Testing>() {
        testing.deadline.set(deadline);
    }
    set_deadline(ctx, deadline)
}

/// Ends the limit. Remaining scripts may continue, but not run forever.
pub(super) fn clear_limit(ctx: &Ctx<'_>) {
    clear_exception(ctx);
    // Fails only without an event loop, and a script was running.
    let _ = set_longest_turn(ctx, LONGEST_TURN);
    take_interrupted(ctx);
}

pub(super) fn report_interruption(ctx: &Ctx<'_>) {
    let Some(host) = with(ctx, |testing| testing.host.clone()).filter(|_| take_interrupted(ctx)) else { return };
    clear_exception(ctx);
    let message = "something that a test left behind was interrupted: it let nothing else run any more";
    let hint = "look for a loop without an end in what is not awaited";
    host.error(Failure { diagnostic: Diagnostic::new(message).with_hint(hint), diff: None, context: None });
}

/// An interrupted job leaves its exception pending, and the next import would fail with it.
fn clear_exception(ctx: &Ctx<'_>) {
    if ctx.has_exception() {
        ctx.catch();
    }
}

pub(super) fn with<T>(ctx: &Ctx<'_>, read: impl FnOnce(&Testing) -> T) -> Option<T> {
    ctx.userdata::<Testing>().map(|testing| read(&testing))
}
