//! Reading what the JavaScript half tells of tests. Must not know what it means.

use std::time::{Duration, Instant};

use rquickjs::{Array, Class, Ctx, Function, JsLifetime, Object, Result, Value, class::Trace};

use super::{
    host,
    limited::limit_of,
    outcome::{Failure, Snapshots, State, TestOutcome},
};
use crate::{
    diagnostic::Location,
    script::{
        bindings::values::{plain_error, string_text},
        diagnose, is_late,
    },
};

/// How long showing what was thrown may take.
const SHOWING: Duration = Duration::from_secs(1);

/// `tell(kind, object)`: `begin` with `{name, limit}`, `start` with `{name}`, `attempt`, `test` with `{ancestors, title, state, place, took, note, failures}`,
/// `plan` with `{tests}` of which none has run, `error` with `{failure, context}`, `file` with `{notes, snapshots}`.
pub(super) fn tell<'js>(ctx: Ctx<'js>, kind: String, told: Object<'js>) -> Result<()> {
    let Some(host) = host::with(&ctx, |testing| testing.host.clone()) else { return Ok(()) };
    match kind.as_str() {
        "begin" => host.begin(&text(&told, "name")?.unwrap_or_default(), limit_of(told.get("limit")?)),
        "start" => host.start(&text(&told, "name")?.unwrap_or_default()),
        "attempt" => host.attempt(),
        "plan" => host.plan(plan(&told.get("tests")?)?),
        "test" => host.test(test(&told)?),
        "error" => host.error(failure(&told)?),
        "file" => host.file(texts(&told.get("notes")?)?, snapshots(&told.get("snapshots")?)?),
        other => return Err(plain_error(&ctx, format!("nothing is told as {other}"))),
    }
    Ok(())
}

fn plan(tests: &Array<'_>) -> Result<Vec<TestOutcome>> {
    tests.iter::<Object>().map(|one| test(&one?)).collect()
}

fn test(told: &Object<'_>) -> Result<TestOutcome> {
    let failures: Array = told.get("failures")?;
    let failures: Result<Vec<Failure>> = failures.iter::<Object>().map(|one| failure(&one?)).collect();
    Ok(TestOutcome {
        ancestors: texts(&told.get("ancestors")?)?,
        title: text(told, "title")?.unwrap_or_default(),
        state: state(&text(told, "state")?.unwrap_or_default()),
        place: told.get::<_, Option<Object>>("place")?.map(|place| location(&place)).transpose()?,
        took: told.get::<_, Option<f64>>("took")?.map(|took| Duration::from_secs_f64((took / 1000.0).max(0.0))),
        failures: failures?,
        note: text(told, "note")?,
    })
}

/// A property's text, if it has one: titles may hold half a character.
fn text(told: &Object<'_>, key: &str) -> Result<Option<String>> {
    let value: Value = told.get(key)?;
    value.as_string().map(|string| string_text(told.ctx(), string)).transpose()
}

fn texts(list: &Array<'_>) -> Result<Vec<String>> {
    let strings = list.iter::<rquickjs::String>();
    strings.map(|string| string_text(list.ctx(), &string?)).collect()
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

/// A failure on its way through the JavaScript half.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(super) struct Described {
    #[qjs(skip_trace)]
    failure: Failure,
}

/// `described(error, diff)`: what is shown of something that was thrown. It may be anything, with getters that throw or never end.
pub(super) fn described<'js>(ctx: Ctx<'js>, error: Value<'js>, diff: Function<'js>) -> Result<Class<'js, Described>> {
    host::limit(&ctx, Instant::now().checked_add(SHOWING))?;
    let mut diagnostic = diagnose(&ctx, error.clone()).diagnostic;
    let is_shown = !is_late(&ctx);
    if is_shown {
        // What it says is known; the difference has a time of its own.
        host::limit(&ctx, Instant::now().checked_add(SHOWING))?;
    }
    let diff = diff.call::<_, Option<String>>((error,)).unwrap_or_else(|_| {
        ctx.catch();
        None
    });
    if is_late(&ctx) {
        if diagnostic.message.is_empty() {
            diagnostic.message = "something was thrown that cannot be shown".to_owned();
        }
        let hint = match is_shown {
            true => {
                "the difference is not shown: to find it took too long. Compare less at once, or look for a getter without an end"
            }
            false => "to show it was interrupted: look for a getter or a toJSON without an end",
        };
        diagnostic.hint = Some(hint.to_owned());
    }
    host::release(&ctx);
    Class::instance(ctx, Described { failure: Failure { diagnostic, diff, context: None } })
}

fn failure(told: &Object<'_>) -> Result<Failure> {
    let failure = told.get::<_, Class<Described>>("failure")?.borrow().failure.clone();
    Ok(Failure { context: text(told, "context")?, ..failure })
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
