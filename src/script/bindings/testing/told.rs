//! Reading what the JavaScript half tells of tests. Must not know what it means.

use std::time::Duration;

use rquickjs::{Array, Ctx, Object, Result, Value};

use super::{
    host,
    limited::limit_of,
    outcome::{Failure, Snapshots, State, TestOutcome},
};
use crate::{
    diagnostic::Location,
    script::{bindings::values::plain_error, diagnose},
};

/// `tell(kind, object)`: `begin` with `{name, limit}`, `start` with `{name}`, `attempt`, `test` with `{ancestors, title, state, place, took, note, failures}`,
/// `error` with a failure `{error, diff, context}`, `file` with `{notes, snapshots}`.
pub(super) fn tell<'js>(ctx: Ctx<'js>, kind: String, told: Object<'js>) -> Result<()> {
    let Some(host) = host::with(&ctx, |testing| testing.host.clone()) else { return Ok(()) };
    match kind.as_str() {
        "begin" => host.begin(&told.get::<_, String>("name")?, limit_of(told.get("limit")?)),
        "start" => host.start(&told.get::<_, String>("name")?),
        "attempt" => host.attempt(),
        "test" => host.test(test(&ctx, &told)?),
        "error" => host.error(failure(&ctx, &told)?),
        "file" => host.file(told.get("notes")?, snapshots(&told.get("snapshots")?)?),
        other => return Err(plain_error(&ctx, format!("nothing is told as {other}"))),
    }
    Ok(())
}

fn test<'js>(ctx: &Ctx<'js>, told: &Object<'js>) -> Result<TestOutcome> {
    let failures: Array = told.get("failures")?;
    let failures: Result<Vec<Failure>> = failures.iter::<Object>().map(|one| failure(ctx, &one?)).collect();
    Ok(TestOutcome {
        ancestors: told.get("ancestors")?,
        title: told.get("title")?,
        state: state(&told.get::<_, String>("state")?),
        place: told.get::<_, Option<Object>>("place")?.map(|place| location(&place)).transpose()?,
        took: told.get::<_, Option<f64>>("took")?.map(|took| Duration::from_secs_f64((took / 1000.0).max(0.0))),
        failures: failures?,
        note: told.get("note")?,
    })
}

fn state(name: &str) -> State {
    match name {
        "passed" => State::Passed,
        "skipped" => State::Skipped,
        "todo" => State::Todo,
        _ => State::Failed,
    }
}

fn location(place: &Object<'_>) -> Result<Location> {
    Ok(Location { path: place.get("path")?, line: place.get("line")?, column: place.get("column")? })
}

fn failure<'js>(ctx: &Ctx<'js>, told: &Object<'js>) -> Result<Failure> {
    let diagnostic = diagnose(ctx, told.get::<_, Value>("error")?).diagnostic;
    Ok(Failure { diagnostic, diff: told.get("diff")?, context: told.get("context")? })
}

fn snapshots(told: &Object<'_>) -> Result<Snapshots> {
    let count = |name: &str| Ok::<_, rquickjs::Error>(told.get::<_, Option<usize>>(name)?.unwrap_or(0));
    Ok(Snapshots {
        matched: count("matched")?,
        unmatched: count("unmatched")?,
        written: count("written")?,
        updated: count("updated")?,
        removed: count("removed")?,
        obsolete: count("obsolete")?,
    })
}
