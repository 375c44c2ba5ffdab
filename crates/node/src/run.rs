//! Runs a script file to its end, as `node file` does.

use std::cell::RefCell;
use std::path::Path;

use rquickjs::{Ctx, Error, Result};

use super::diagnose::{Thrown, diagnose, diagnose_error};
use super::event_loop::{
    Halt, Origin, drain_jobs, emit_before_exit, emit_exit, emit_uncaught, idle, is_exception_unhandled, is_idle,
    until_halted,
};
use super::globals::exit_code;
use super::{Engine, import_file};

/// Exit code after an uncaught error, as in Node.
const UNCAUGHT: i32 = 1;

/// Exit code if a top-level `await` never settles, as in Node.
const UNSETTLED: i32 = 13;

/// How a script file ended.
#[derive(Debug)]
pub enum ScriptEnd {
    /// Nothing was left to do, or the script called `process.exit`.
    Exited(i32),
    /// An error was not caught, or a rejection not handled.
    Failed { error: Thrown, code: i32 },
}

impl ScriptEnd {
    /// The exit code for the process.
    pub fn code(&self) -> i32 {
        match self {
            ScriptEnd::Exited(code) | ScriptEnd::Failed { code, .. } => *code,
        }
    }
}

/// Imports the file, then waits for the work that it has started. Calls listeners of `uncaughtException`, `beforeExit` and
/// `exit` as Node does.
pub async fn run_script(engine: &Engine, path: &Path) -> ScriptEnd {
    engine.context().async_with(async |ctx| run(&ctx, path).await).await
}

async fn run(ctx: &Ctx<'_>, path: &Path) -> ScriptEnd {
    let uncaught = RefCell::default();
    let end = match until_halted(ctx, run_until_idle(ctx, path, &uncaught)).await {
        Ok(Ok(code)) => ScriptEnd::Exited(code),
        Ok(Err(error)) => ScriptEnd::Failed { error: diagnose_error(ctx, error), code: UNCAUGHT },
        Err(halt) => return halted(halt, uncaught.take()),
    };
    match until_halted(ctx, async { emit_exit(ctx, end.code()) }).await {
        Ok(Ok(code)) => match end {
            ScriptEnd::Exited(_) => ScriptEnd::Exited(code),
            ScriptEnd::Failed { error, .. } => ScriptEnd::Failed { error, code },
        },
        Ok(Err(error)) => ScriptEnd::Failed { error: diagnose_error(ctx, error), code: UNCAUGHT },
        Err(halt) => match end {
            ScriptEnd::Exited(_) => halted(halt, None),
            ScriptEnd::Failed { error, .. } => halted(halt, Some(error)),
        },
    }
}

async fn run_until_idle(ctx: &Ctx<'_>, path: &Path, uncaught: &RefCell<Option<Thrown>>) -> Result<i32> {
    let imported = tokio::select! {
        biased;
        imported = import_file(ctx, path) => imported,
        idle = idle(ctx) => return idle.map(|_| UNSETTLED),
    };
    if let Err(error) = imported {
        report_import_error(ctx, error, uncaught)?;
    }
    loop {
        idle(ctx).await?;
        emit_before_exit(ctx)?;
        drain_jobs(ctx);
        if is_idle(ctx)? {
            return Ok(exit_code(ctx)?.unwrap_or(0));
        }
    }
}

/// Calls the listeners of `uncaughtException`; returns the error if none of them handled it. A listener of `exit` may have
/// ended the process instead: then the error is stored in `uncaught`.
fn report_import_error(ctx: &Ctx<'_>, error: Error, uncaught: &RefCell<Option<Thrown>>) -> Result<()> {
    let Error::Exception = error else { return Err(error) };
    let thrown = ctx.catch();
    let diagnosed = diagnose(ctx, thrown.clone());
    match emit_uncaught(ctx, ctx.throw(thrown), Origin::Promise, UNCAUGHT) {
        Some(error) => Err(error),
        None => {
            uncaught.replace(is_exception_unhandled(ctx).then_some(diagnosed));
            Ok(())
        }
    }
}

fn halted(halt: Halt, uncaught: Option<Thrown>) -> ScriptEnd {
    match (halt, uncaught) {
        (Halt::Exit(code), Some(error)) => ScriptEnd::Failed { error, code },
        (Halt::Exit(code), None) => ScriptEnd::Exited(code),
        (Halt::Uncaught(error) | Halt::UnhandledRejection(error), _) => ScriptEnd::Failed { error, code: UNCAUGHT },
    }
}
