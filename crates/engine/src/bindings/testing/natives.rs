//! `lmthing:internal/native/testing`: the native half of `lmthing/test`.

use rquickjs::{Array, Ctx, Function, Object, Result, Value};

use super::{
    host::{self, TestSettings},
    limited::{give_up_runs, limited},
    reports::{described, report},
    run::{run, runner},
};
use crate::bindings::models::mock;
use lmthing_base::diagnostic::{Diagnostic, Location};
use lmthing_node::{NativeModule, ScriptError, exit_location, locations_of_stacks};

pub const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/testing", init };

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    let function = |name: &str, function: Function<'js>| exports.set(name, function.with_name(name)?);
    function("createMockModel", Function::new(ctx.clone(), mock::create_mock_model)?)?;
    function("run", Function::new(ctx.clone(), run)?)?;
    // settings(): {file, snapshots, hasSnapshots, isCi, update, filter, timeout in milliseconds}, or undefined
    // without a test file.
    function("settings", Function::new(ctx.clone(), settings)?)?;
    // stopped(): whether no more tests should begin.
    let stopped = |ctx: Ctx<'js>| host::with(&ctx, |testing| testing.host.is_stopped()).unwrap_or(false);
    function("stopped", Function::new(ctx.clone(), stopped)?)?;
    // takeExit(): an error for a call of process.exit since the last takeExit(), or undefined.
    function("takeExit", Function::new(ctx.clone(), take_exit)?)?;
    // takeFault(): an error for a model that did not answer, or undefined.
    function("takeFault", Function::new(ctx.clone(), take_fault)?)?;
    // places(stacks): {path, line, column} of the author's innermost call in each stack, or null.
    function("places", Function::new(ctx.clone(), places)?)?;
    // limited(fn, args, milliseconds, what): calls and awaits; resolves to {value} or {thrown: [error]}.
    function("limited", Function::new(ctx.clone(), limited)?)?;
    // runsBegun(): number of runs of prompt files so far.
    function("runsBegun", Function::new(ctx.clone(), |ctx: Ctx<'js>| runner::count(&ctx))?)?;
    // giveUpRuns(begun, what, isWell): ends the runs that began since.
    function("giveUpRuns", Function::new(ctx.clone(), give_up_runs)?)?;
    // described(error, diff): a failure for `tell`; `diff(error)` may return a difference to show.
    function("described", Function::new(ctx.clone(), described)?)?;
    // tell(kind, object): reports a result.
    function("tell", Function::new(ctx.clone(), report)?)?;
    Ok(exports)
}

fn settings<'js>(ctx: Ctx<'js>) -> Result<Value<'js>> {
    let Some(TestSettings { file, snapshots, is_ci, update, filter, timeout }) =
        host::with(&ctx, |testing| testing.settings.clone())
    else {
        return Ok(Value::new_undefined(ctx));
    };
    let object = Object::new(ctx)?;
    // So that the JavaScript half need not be loaded to find out.
    object.set("hasSnapshots", snapshots.exists())?;
    object.set("snapshots", snapshots.display().to_string())?;
    object.set("file", file)?;
    object.set("isCi", is_ci)?;
    object.set("update", update)?;
    object.set("filter", filter)?;
    object.set("timeout", timeout.as_secs_f64() * 1000.0)?;
    Ok(object.into_value())
}

fn take_exit<'js>(ctx: Ctx<'js>) -> Result<Value<'js>> {
    let Some(code) = host::with(&ctx, |testing| testing.exit.take()).flatten() else {
        return Ok(Value::new_undefined(ctx));
    };
    let error = ScriptError::error(format!("process.exit({code}) was called")).or_at(exit_location(&ctx));
    Ok(error.into_object(&ctx)?.into_value())
}

fn take_fault<'js>(ctx: Ctx<'js>) -> Result<Value<'js>> {
    match host::with(&ctx, |testing| testing.host.clone()).and_then(|host| host.fault()) {
        Some(Diagnostic { message, hint, location, .. }) => {
            let error = ScriptError::error(message).hint_if_some(hint).or_at(location);
            Ok(error.into_object(&ctx)?.into_value())
        }
        None => Ok(Value::new_undefined(ctx)),
    }
}

fn places<'js>(ctx: Ctx<'js>, stacks: Vec<String>) -> Result<Array<'js>> {
    let places = Array::new(ctx.clone())?;
    for (index, place) in locations_of_stacks(&ctx, &stacks).into_iter().enumerate() {
        match place {
            Some(Location { path, line, column }) => {
                let object = Object::new(ctx.clone())?;
                object.set("path", path)?;
                object.set("line", line)?;
                object.set("column", column)?;
                places.set(index, object)?;
            }
            None => places.set(index, Value::new_null(ctx.clone()))?,
        }
    }
    Ok(places)
}
