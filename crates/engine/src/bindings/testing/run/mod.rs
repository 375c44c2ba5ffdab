//! `run(file, options)` of `lmthing/test`: runs a prompt file in a new engine (docs/reference/test.md).

mod bridge;
mod options;
mod report;
pub mod runner;

use std::future::Future;

use rquickjs::{Ctx, Function, Result, Value, function::Opt};

use self::{
    bridge::{Bridge, run_with_model},
    options::read_arguments,
    runner::RunEnd,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::{CallSite, KeepAlive, ScriptError, calling_file};

/// `run(file, {input, model, mock, recording, env, timeout}?)` of `lmthing/test`. Resolves to a report, also if the
/// run fails; rejects if an argument is wrong or a file is missing.
pub fn run<'js>(ctx: Ctx<'js>, file: Opt<Value<'js>>, given: Opt<Value<'js>>) -> Result<Value<'js>> {
    // Read now: the caller is unknown after the first await.
    let caller = calling_file(&ctx);
    let call = CallSite::here(&ctx, "run")?;
    let undefined = || Value::new_undefined(ctx.clone());
    let (file, given) = (file.0.unwrap_or_else(undefined), given.0.unwrap_or_else(undefined));
    let (promise, resolve, reject) = ctx.promise()?;
    // A wrong argument rejects the promise, as in other async functions.
    let begun = runner::runner(&ctx).and_then(|runner| {
        let (mut request, bridge) = read_arguments(&ctx, &file, &given, caller.as_deref())?;
        if request.recording.is_some() {
            request.location = call.location();
        }
        Ok((runner.run(request), bridge, KeepAlive::new(&ctx)?))
    });
    match begun {
        Ok((run, bridge, alive)) => {
            let inner = ctx.clone();
            ctx.spawn(async move {
                // The test has ended, so the promise stays pending.
                let Some(outcome) = outcome(&inner, run, bridge).await else { return };
                // Fails only when out of memory, and there is no way to report it.
                let _ = settle(&inner, call.with_stack(outcome), &resolve, &reject);
                drop(alive);
            });
        }
        Err(error) => settle(&ctx, Err(error), &resolve, &reject)?,
    }
    Ok(promise.into_value())
}

/// The outcome of a run in JavaScript; `None` if it was given up.
async fn outcome<'js>(
    ctx: &Ctx<'js>,
    run: impl Future<Output = RunEnd>,
    bridge: Option<Bridge<'js>>,
) -> Option<Result<Value<'js>>> {
    match run_with_model(run, bridge).await {
        RunEnd::Report(report) => Some(report::to_js(ctx, *report)),
        RunEnd::Refused(diagnostic) => {
            let Diagnostic { message, hint, .. } = *diagnostic;
            let error = ScriptError::error(message);
            let error = hint.into_iter().fold(error, ScriptError::hint);
            Some(Err(error.throw(ctx)))
        }
        RunEnd::GivenUp => None,
    }
}

fn settle<'js>(
    ctx: &Ctx<'js>,
    outcome: Result<Value<'js>>,
    resolve: &Function<'js>,
    reject: &Function<'js>,
) -> Result<()> {
    match outcome {
        Ok(value) => resolve.call((value,)),
        Err(rquickjs::Error::Exception) => reject.call((ctx.catch(),)),
        Err(error) => reject.call((ScriptError::error(error.to_string()).into_object(ctx)?,)),
    }
}
