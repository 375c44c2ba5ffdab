//! `run(file, options)` of `lmthing/test`: runs a prompt file as `lmthing run` does, in an engine of its own
//! (docs/testing.md). What crosses between the engines is plain data; a model of the test's own is asked through channels.

mod bridge;
pub(crate) mod door;
mod options;
mod report;

use std::future::Future;

use rquickjs::{Ctx, Function, Result, Value, function::Opt};

use self::{
    bridge::{Bridge, answering},
    door::RunEnd,
    options::asked,
};
use crate::{
    diagnostic::Diagnostic,
    script::{CallSite, KeepAlive, ScriptError, calling_file},
};

/// `run(file, {input, model, mock, recording, env, timeout}?)` of `lmthing/test`: runs a prompt file, whose path counts from the
/// file that calls. Resolves to what came of it, also when the run failed; rejects when the call is wrong, and when the recording
/// or the file is not there. Rules: docs/testing.md.
pub(crate) fn run<'js>(ctx: Ctx<'js>, file: Opt<Value<'js>>, given: Opt<Value<'js>>) -> Result<Value<'js>> {
    // Now: once something was awaited, nobody knows any more who called.
    let caller = calling_file(&ctx);
    let call = CallSite::here(&ctx, "run")?;
    let undefined = || Value::new_undefined(ctx.clone());
    let (file, given) = (file.0.unwrap_or_else(undefined), given.0.unwrap_or_else(undefined));
    let (promise, resolve, reject) = ctx.promise()?;
    // What is wrong with a call rejects its promise, as with every function that gives one.
    let begun = door::door(&ctx).and_then(|door| {
        let (request, bridge) = asked(&ctx, &file, &given, caller.as_deref())?;
        Ok((door.run(request), bridge, KeepAlive::new(&ctx)?))
    });
    match begun {
        Ok((run, bridge, alive)) => {
            let inner = ctx.clone();
            ctx.spawn(async move {
                // A test that is over has nobody who could take what the run gives.
                let Some(outcome) = outcome(&inner, run, bridge).await else { return };
                // Nothing can be done about a failure here, and there is none but for memory.
                let _ = settle(&inner, call.with_stack(outcome), &resolve, &reject);
                drop(alive);
            });
        }
        Err(error) => settle(&ctx, Err(error), &resolve, &reject)?,
    }
    Ok(promise.into_value())
}

/// What a run comes to in JavaScript; `None` when it was given up.
async fn outcome<'js>(
    ctx: &Ctx<'js>,
    run: impl Future<Output = RunEnd>,
    bridge: Option<Bridge<'js>>,
) -> Option<Result<Value<'js>>> {
    match answering(run, bridge).await {
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
