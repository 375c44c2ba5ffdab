//! Who has a test file run: what it is to run, and who hears what comes of it. Must not know threads or reports.

use std::{
    cell::Cell,
    path::PathBuf,
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, JsLifetime, Result};

use super::outcome::{Failure, Snapshots, TestOutcome};
use crate::diagnostic::Diagnostic;
use crate::script::{
    Catcher, ExitCalled, Halt, ScriptError, Thrown, catch_ends, set_deadline, set_leash, take_interrupted,
};

/// How long a script may run that no test waits for, without giving others a turn.
const LEASH: Duration = Duration::from_secs(2);

/// How a test file is to be run.
#[derive(Clone, Debug)]
pub(crate) struct TestSettings {
    /// Its absolute path.
    pub(crate) file: String,
    /// Where its snapshots are.
    pub(crate) snapshots: PathBuf,
    /// Nobody is there: no snapshot is written, and `test.only` is a mistake.
    pub(crate) is_ci: bool,
    /// Snapshots become what the tests say.
    pub(crate) update: bool,
    /// Only tests with this in their full name are run.
    pub(crate) filter: Option<String>,
    /// How long a test or a hook may take that says nothing else.
    pub(crate) timeout: Duration,
}

/// Hears what comes of a test file, as it comes.
pub(crate) trait TestHost {
    /// Something begins that will be told of within this time; a test has the name `test`, hooks of whole suites that of the suite.
    fn begin(&self, test: &str, limit: Option<Duration>);

    /// The tests of the file, none of which has run.
    fn plan(&self, tests: Vec<TestOutcome>);

    /// A test begins, with all its repetitions: what it replays begins anew.
    fn start(&self, test: &str);

    /// A repetition of it begins.
    fn attempt(&self);

    /// Why a model that the test asked has not answered: none is to be asked, or a recording does not fit. Told once.
    fn fault(&self) -> Option<Diagnostic>;

    /// A test is over, or was left out.
    fn test(&self, outcome: TestOutcome);

    /// Something failed outside of any test.
    fn error(&self, failure: Failure);

    /// What a person should know of the file, and what happened to its snapshots.
    fn file(&self, notes: Vec<String>, snapshots: Snapshots);

    /// Whether no more tests are to begin.
    fn is_stopped(&self) -> bool;
}

/// What natives know of the test file that runs in their engine.
#[derive(JsLifetime)]
pub(super) struct Testing {
    pub(super) settings: TestSettings,
    pub(super) host: Rc<dyn TestHost>,
    /// What `process.exit` was called with, until somebody asks.
    pub(super) exit: Rc<Cell<Option<i32>>>,
    /// Until when what is running may run.
    pub(super) deadline: Rc<Cell<Option<Instant>>>,
}

/// Makes an engine one for a test file; done once, before the file is loaded.
pub(crate) fn install(ctx: &Ctx<'_>, settings: TestSettings, host: Rc<dyn TestHost>) -> Result<()> {
    let exit = Rc::new(Cell::new(None));
    catch_ends(ctx, catcher(host.clone(), exit.clone()))?;
    let testing = Testing { settings, host, exit, deadline: Rc::default() };
    let stored = ctx.store_userdata(testing);
    stored.map(drop).map_err(|_| ScriptError::error("user data is in use").throw(ctx))
}

/// What would have ended a run is a failure of the file.
fn catcher(host: Rc<dyn TestHost>, exit: Rc<Cell<Option<i32>>>) -> Catcher {
    Rc::new(move |halt| {
        let is_exit = |thrown: &Thrown| exit.get().is_some() && thrown.payload_as::<ExitCalled>().is_some();
        let (diagnostic, context) = match halt {
            Halt::Uncaught(thrown) | Halt::UnhandledRejection(thrown) if is_exit(&thrown) => return,
            // Told with what was running then.
            Halt::Exit(code) => return exit.set(Some(code)),
            Halt::Uncaught(thrown) => (thrown.diagnostic, "uncaught exception"),
            Halt::UnhandledRejection(thrown) => (thrown.diagnostic, "unhandled rejection"),
        };
        host.error(Failure { diagnostic, diff: None, context: Some(context.to_owned()) });
    })
}

/// Has scripts of this engine, and of those it runs files in, interrupted that run much longer.
pub(super) fn limit(ctx: &Ctx<'_>, deadline: Option<Instant>) -> Result<()> {
    forget_interruption(ctx);
    if let Some(testing) = ctx.userdata::<Testing>() {
        testing.deadline.set(deadline);
    }
    set_deadline(ctx, deadline)
}

/// What had a limit is over. What it has left behind may go on, but not without end.
pub(super) fn release(ctx: &Ctx<'_>) {
    forget_interruption(ctx);
    // There is a loop: something was running.
    let _ = set_leash(ctx, LEASH);
    take_interrupted(ctx);
}

/// Tells of what was interrupted that no test waits for any more.
pub(super) fn tell_interruption(ctx: &Ctx<'_>) {
    let Some(host) = with(ctx, |testing| testing.host.clone()).filter(|_| take_interrupted(ctx)) else { return };
    forget_interruption(ctx);
    let message = "something that a test left behind was interrupted: it let nothing else run any more";
    let hint = "look for a loop without an end in what is not awaited";
    host.error(Failure { diagnostic: Diagnostic::new(message).with_hint(hint), diff: None, context: None });
}

/// A job that was interrupted leaves its exception behind, which the next import would take for its own.
fn forget_interruption(ctx: &Ctx<'_>) {
    if ctx.has_exception() {
        ctx.catch();
    }
}

/// What is known of the test file that runs in this engine; `None` where none does.
pub(super) fn with<T>(ctx: &Ctx<'_>, read: impl FnOnce(&Testing) -> T) -> Option<T> {
    ctx.userdata::<Testing>().map(|testing| read(&testing))
}
