//! Reads the reports of the JavaScript half.

use std::time::{Duration, Instant};

use rquickjs::{Array, Class, Ctx, Function, JsLifetime, Object, Result, Value, class::Trace};

use super::{
    host,
    limited::limit_of,
    outcome::{Failure, Snapshots, State, TestOutcome},
};
use crate::bindings::values::plain_error;
use lmthing_base::diagnostic::Location;
use lmthing_node::{WellFormed, diagnose, is_late, set_work_limit, string_text};

/// Processor time, as the same difference must be shown on a busy machine.
const DESCRIBE_WORK: Duration = Duration::from_secs(1);

/// For getters that wait.
const DESCRIBE_TIME: Duration = Duration::from_secs(30);

/// `tell(kind, object)`: `begin` with `{name, limit}`, `start` with `{name}`, `attempt`, `test` with `{ancestors,
/// title, state, place, took, note, failures}`, `plan` with `{tests}`, `error` with `{failure, context}`, `file` with
/// `{notes, snapshots}`.
pub(super) fn report<'js>(ctx: Ctx<'js>, kind: String, report: Object<'js>) -> Result<()> {
    let Some(host) = host::with(&ctx, |testing| testing.host.clone()) else { return Ok(()) };
    match kind.as_str() {
        "begin" => host.begin(&text(&report, "name")?.unwrap_or_default(), limit_of(report.get("limit")?)),
        "start" => host.start(&text(&report, "name")?.unwrap_or_default()),
        "attempt" => host.attempt(),
        "plan" => host.plan(plan(&report.get("tests")?)?),
        "test" => host.test(test(&report)?),
        "error" => host.error(failure(&report)?),
        "file" => host.file(texts(&report.get("notes")?)?, snapshots(&report.get("snapshots")?)?),
        other => return Err(plain_error(&ctx, format!("nothing is reported as {other}"))),
    }
    Ok(())
}

fn plan(tests: &Array<'_>) -> Result<Vec<TestOutcome>> {
    tests.iter::<Object>().map(|one| test(&one?)).collect()
}

fn test(report: &Object<'_>) -> Result<TestOutcome> {
    let failures: Array = report.get("failures")?;
    let failures: Result<Vec<Failure>> = failures.iter::<Object>().map(|one| failure(&one?)).collect();
    Ok(TestOutcome {
        ancestors: texts(&report.get("ancestors")?)?,
        title: text(report, "title")?.unwrap_or_default(),
        state: state(&text(report, "state")?.unwrap_or_default()),
        place: report.get::<_, Option<Object>>("place")?.map(|place| location(&place)).transpose()?,
        took: report.get::<_, Option<f64>>("took")?.map(|took| Duration::from_secs_f64((took / 1000.0).max(0.0))),
        failures: failures?,
        note: text(report, "note")?,
    })
}

/// A string property. Titles may contain lone surrogates.
fn text(report: &Object<'_>, key: &str) -> Result<Option<String>> {
    let value: Value = report.get(key)?;
    value.as_string().map(|string| string_text(string)).transpose()
}

fn texts(list: &Array<'_>) -> Result<Vec<String>> {
    let strings = list.iter::<rquickjs::String>();
    strings.map(|string| string_text(&string?)).collect()
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

#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(super) struct DescribedFailure {
    #[qjs(skip_trace)]
    failure: Failure,
}

/// `described(error, diff)`: describes an exception, which may have getters that throw or never return.
pub(super) fn described<'js>(
    ctx: Ctx<'js>,
    error: Value<'js>,
    diff: Function<'js>,
) -> Result<Class<'js, DescribedFailure>> {
    limit_description(&ctx)?;
    let mut diagnostic = diagnose(&ctx, error.clone()).diagnostic;
    let is_described = !is_late(&ctx);
    if is_described {
        // The message is known; the difference gets its own time.
        limit_description(&ctx)?;
    }
    let diff = diff.call::<_, Option<WellFormed>>((error,)).unwrap_or_else(|_| {
        ctx.catch();
        None
    });
    let diff = diff.map(|WellFormed(text)| text);
    if is_late(&ctx) {
        if diagnostic.message.is_empty() {
            diagnostic.message = "something was thrown that cannot be shown".to_owned();
        }
        let hint = match is_described {
            true => {
                "the difference is not shown: to find it took too long. Compare less at once, or look for a getter without an end"
            }
            false => "to show it was interrupted: look for a getter or a toJSON without an end",
        };
        diagnostic.hint = Some(hint.to_owned());
    }
    host::clear_limit(&ctx);
    Class::instance(ctx, DescribedFailure { failure: Failure { diagnostic, diff, context: None } })
}

fn limit_description(ctx: &Ctx<'_>) -> Result<()> {
    if let Some(host) = host::with(ctx, |testing| testing.host.clone()) {
        host.describe(DESCRIBE_TIME);
    }
    host::set_limit(ctx, Instant::now().checked_add(DESCRIBE_TIME))?;
    set_work_limit(ctx, DESCRIBE_WORK)
}

fn failure(report: &Object<'_>) -> Result<Failure> {
    let failure = report.get::<_, Class<DescribedFailure>>("failure")?.borrow().failure.clone();
    Ok(Failure { context: text(report, "context")?, ..failure })
}

fn snapshots(report: &Object<'_>) -> Result<Snapshots> {
    let count = |name: &str| Ok::<_, rquickjs::Error>(report.get::<_, Option<usize>>(name)?.unwrap_or(0));
    Ok(Snapshots {
        matched: count("matched")?,
        unmatched: count("unmatched")?,
        written: count("written")?,
        updated: count("updated")?,
        removed: count("removed")?,
        obsolete: count("obsolete")?,
    })
}
