//! Calls one score for one cell, within its limits.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{
    Ctx, IntoJs, Object, Result, Value,
    function::This,
    object::{Accessor, Property},
};

use super::{
    exports::judge_model,
    outcome::{ScoreOutcome, ScoredCell},
    result::read,
    scoring::{CELL, CellUse, NamedScore},
};
use crate::bindings::{
    run::deadlock::detect_deadlock,
    values::{apply_async, from_json},
};
use lmthing_node::{ScriptError, WorkLimit, diagnose_error, location_of_function, with_async_values};

/// How long a score may take, apart from the time that judges need.
const SCORE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a score may compute without a pause.
pub(super) const LONGEST_WORK: Duration = Duration::from_secs(5);

/// A score that was interrupted for so many cells is not called any more.
const MOST_INTERRUPTIONS: usize = 3;

/// Interruptions of scores that compute for too long.
pub(super) struct Watch {
    pub(super) limit: WorkLimit,
    /// Interruptions after the first `await` of a score. It cannot be known of which, and its promise never settles.
    strays: Cell<usize>,
    /// By the name of the score.
    interruptions: RefCell<HashMap<String, usize>>,
}

impl Watch {
    pub(super) fn new(limit: WorkLimit) -> Self {
        Watch { limit, strays: Cell::new(0), interruptions: RefCell::default() }
    }

    /// To be called after each turn of the engine.
    pub(super) fn turn_ended(&self) {
        if self.limit.take_interrupted() {
            self.strays.set(self.strays.get() + 1);
        }
    }

    fn is_given_up(&self, name: &str) -> bool {
        self.interruptions.borrow().get(name).is_some_and(|count| *count >= MOST_INTERRUPTIONS)
    }

    fn interrupted<'js>(&self, ctx: &Ctx<'js>, score: &NamedScore<'js>) -> rquickjs::Error {
        if ctx.has_exception() {
            ctx.catch();
        }
        *self.interruptions.borrow_mut().entry(score.name.clone()).or_default() += 1;
        let seconds = LONGEST_WORK.as_secs();
        let message =
            format!("the score computed for {seconds} s without a pause and was interrupted: an endless loop?");
        ScriptError::error(message).or_at(location_of_function(ctx, &score.function)).throw(ctx)
    }
}

pub(super) async fn score_one<'js>(
    ctx: &Ctx<'js>,
    watch: &Watch,
    score: &NamedScore<'js>,
    cell: &Rc<ScoredCell>,
    used: &CellUse,
) -> ScoreOutcome {
    let outcome = call(ctx, watch, score, cell, used).await;
    let outcome = outcome.and_then(|value| read(ctx, &score.function, &value));
    outcome.unwrap_or_else(|error| ScoreOutcome::Failed(Box::new(diagnose_error(ctx, error).diagnostic)))
}

async fn call<'js>(
    ctx: &Ctx<'js>,
    watch: &Watch,
    score: &NamedScore<'js>,
    cell: &Rc<ScoredCell>,
    used: &CellUse,
) -> Result<Value<'js>> {
    let function = &score.function;
    let failed =
        |message: String| Err(ScriptError::error(message).or_at(location_of_function(ctx, function)).throw(ctx));
    if watch.is_given_up(&score.name) {
        let seconds = LONGEST_WORK.as_secs();
        return failed(format!(
            "the score is not called any more: it computed for {seconds} s without a pause for {MOST_INTERRUPTIONS} cells"
        ));
    }
    let (strays, is_settled) = (watch.strays.get(), Cell::new(false));
    let call = async {
        let argument = cell_object(ctx, cell)?;
        // Each score has all of the time.
        watch.limit.restart();
        let number = (cell.number as f64).into_js(ctx)?;
        let call = apply_async(function, Value::new_undefined(ctx.clone()), vec![argument.into_value()]);
        let outcome = with_async_values(ctx, [(CELL, Some(number))], call).await;
        is_settled.set(true);
        outcome
    };
    let call = detect_deadlock(ctx, "the score", call);
    let outcome = match judge_model(function) {
        // The model has limits of its own.
        Ok(Some(_)) => call.await,
        _ => tokio::select! {
            biased;
            outcome = call => outcome,
            () = over(used, Instant::now(), SCORE_TIMEOUT) => failed(format!("the score has no result after {} s", SCORE_TIMEOUT.as_secs())),
        },
    };
    let was_interrupted = || match is_settled.get() {
        true => watch.limit.take_interrupted(),
        false => watch.strays.get() > strays,
    };
    match outcome {
        Err(_) if was_interrupted() => Err(watch.interrupted(ctx, score)),
        outcome => outcome,
    }
}

/// Resolves when a score has waited for too long since then for something other than a judge.
pub(super) async fn over(used: &CellUse, since: Instant, longest: Duration) {
    let end = || used.waits_since().max(since) + longest;
    loop {
        tokio::time::sleep_until(end().into()).await;
        // Another score may have blocked the thread: what has come in the meantime is handled first.
        tokio::time::sleep(Duration::from_millis(100)).await;
        if Instant::now() >= end() {
            return;
        }
    }
}

/// A new argument of a score: what one score changes, no other sees.
fn cell_object<'js>(ctx: &Ctx<'js>, cell: &Rc<ScoredCell>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    if let Some(output) = cell.run.get("output") {
        object.set("output", from_json(ctx, output)?)?;
    }
    object.set("text", cell.run.get("text").and_then(serde_json::Value::as_str).unwrap_or_default())?;
    object.set("row", from_json(ctx, &serde_json::Value::Object(cell.row.clone()))?)?;
    // Made when it is read: it is large, and most scores do not need it.
    let cell = cell.clone();
    let run = move |ctx: Ctx<'js>, this: This<Object<'js>>| -> Result<Value<'js>> {
        let run = from_json(&ctx, &cell.run)?;
        this.0.prop("run", Property::from(run.clone()).writable().enumerable().configurable())?;
        Ok(run)
    };
    object.prop("run", Accessor::new_get(run).enumerable().configurable())?;
    Ok(object)
}
