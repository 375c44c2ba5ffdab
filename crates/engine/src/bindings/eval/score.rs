//! Calls the scores of an eval file, for several cells at once.

use std::{
    future::poll_fn,
    pin::pin,
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::{StreamExt, future::join_all, stream::FuturesUnordered};
use rquickjs::{
    Ctx, Function, IntoJs, Object, Result, Value,
    function::This,
    object::{Accessor, Property},
};
use tokio::sync::mpsc::UnboundedReceiver;

use super::{
    exports::judge_model,
    outcome::{CellScores, ScoreInput, ScoreOutcome, ScoredCell},
    scoring::{self, CELL, CellUse, NamedScore, ScoreHost},
};
use crate::bindings::{
    run::deadlock::detect_deadlock,
    values::{apply_async, from_json, kind_of, to_text},
};
use lmthing_node::{
    Engine, ExitCalled, Halt, HaltHandler, ScriptError, Thrown, WorkLimit, diagnose_error, location_of_function,
    set_halt_handler, take_interrupted, with_async_values,
};

/// How long a score may take, apart from the time that judges need.
const SCORE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a score may compute without a pause.
const LONGEST_WORK: Duration = Duration::from_secs(10);

/// Scores cells until the sender of inputs is closed, `at_once` at a time, after [`load_eval_file`](super::load_eval_file). `turn` is
/// called with `true` and `false` at the beginning and the end of each turn of the engine.
pub async fn score_cells(
    engine: &Engine,
    mut inputs: UnboundedReceiver<ScoreInput>,
    at_once: usize,
    scored: &dyn Fn(CellScores),
    turn: &dyn Fn(bool),
) -> Result<()> {
    let limit = engine.context().with(|ctx| {
        if let Some(host) = scoring::with(&ctx, |scoring| scoring.host.clone()) {
            set_halt_handler(&ctx, catcher(host))?;
        }
        WorkLimit::new(&ctx, LONGEST_WORK)
    });
    let limit = limit.await?;
    let of_work = limit.clone();
    let work = async |ctx: Ctx<'_>| {
        let mut running = FuturesUnordered::new();
        let mut is_open = true;
        while is_open || !running.is_empty() {
            tokio::select! {
                input = inputs.recv(), if is_open && running.len() < at_once => match input {
                    Some(ScoreInput::Cell(cell)) => running.push(score_cell(&ctx, &of_work, cell)),
                    Some(ScoreInput::Verdicts(verdicts)) => {
                        scoring::with(&ctx, |scoring| scoring.known.borrow_mut().extend(verdicts));
                    }
                    None => is_open = false,
                },
                Some(done) = running.next() => scored(done),
            }
        }
    };
    let mut work = pin!(engine.context().async_with(work));
    poll_fn(|cx| {
        limit.restart();
        turn(true);
        let polled = work.as_mut().poll(cx);
        turn(false);
        polled
    })
    .await;
    Ok(())
}

/// Reports what would end a run.
fn catcher(host: Rc<dyn ScoreHost>) -> HaltHandler {
    Rc::new(move |halt| {
        let is_exit = |thrown: &Thrown| thrown.payload_as::<ExitCalled>().is_some();
        match halt {
            // The call throws, which is the error of the score.
            Halt::Exit(_) => {}
            Halt::Uncaught(thrown) | Halt::UnhandledRejection(thrown) if is_exit(&thrown) => {}
            Halt::Uncaught(thrown) | Halt::UnhandledRejection(thrown) => host.stray_failure(thrown.diagnostic),
        }
    })
}

async fn score_cell(ctx: &Ctx<'_>, limit: &WorkLimit, cell: ScoredCell) -> CellScores {
    let used = CellUse::new();
    let number = cell.number;
    let scores = scoring::with(ctx, |scoring| {
        scoring.cells.borrow_mut().insert(number, used.clone());
        scoring.scores.borrow().clone()
    });
    let cell = Rc::new(cell);
    let scores = scores.unwrap_or_default().into_iter().map(|NamedScore { name, function }| {
        let (cell, used) = (cell.clone(), used.clone());
        async move { (name, score_one(ctx, limit, &function, &cell, &used).await) }
    });
    let scores = join_all(scores).await;
    scoring::with(ctx, |scoring| scoring.cells.borrow_mut().remove(&number));
    CellScores { number, scores, verdicts: used.take_verdicts() }
}

async fn score_one<'js>(
    ctx: &Ctx<'js>,
    limit: &WorkLimit,
    function: &Function<'js>,
    cell: &Rc<ScoredCell>,
    used: &CellUse,
) -> ScoreOutcome {
    let call = async {
        let argument = cell_object(ctx, cell)?;
        // Each score has all of the time.
        limit.restart();
        let number = (cell.number as f64).into_js(ctx)?;
        let call = apply_async(function, Value::new_undefined(ctx.clone()), vec![argument.into_value()]);
        with_async_values(ctx, [(CELL, Some(number))], call).await
    };
    let call = detect_deadlock(ctx, "the score", call);
    let outcome = match judge_model(function) {
        // The model has limits of its own.
        Ok(Some(_)) => call.await,
        _ => tokio::select! {
            biased;
            outcome = call => outcome,
            () = over(used) => {
                let seconds = SCORE_TIMEOUT.as_secs();
                let error = ScriptError::error(format!("the score has no result after {seconds} s"));
                Err(error.or_at(location_of_function(ctx, function)).throw(ctx))
            }
        },
    };
    let outcome = match outcome {
        Err(_) if take_interrupted(ctx) => Err(interrupted(ctx, function)),
        outcome => outcome,
    };
    outcome
        .and_then(|value| read(ctx, function, &value))
        .unwrap_or_else(|error| ScoreOutcome::Failed(Box::new(diagnose_error(ctx, error).diagnostic)))
}

/// Resolves when a score has waited for too long.
async fn over(used: &CellUse) {
    loop {
        let end = used.waits_since() + SCORE_TIMEOUT;
        if Instant::now() >= end {
            return;
        }
        tokio::time::sleep_until(end.into()).await;
    }
}

fn interrupted<'js>(ctx: &Ctx<'js>, function: &Function<'js>) -> rquickjs::Error {
    if ctx.has_exception() {
        ctx.catch();
    }
    let seconds = LONGEST_WORK.as_secs();
    let message = format!("the score computed for {seconds} s without a pause and was interrupted: an endless loop?");
    ScriptError::error(message).or_at(location_of_function(ctx, function)).throw(ctx)
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

fn read<'js>(ctx: &Ctx<'js>, function: &Function<'js>, value: &Value<'js>) -> Result<ScoreOutcome> {
    let wrong = |what: &str, value: &Value<'js>| {
        let message = format!("{what}, got {}", shown(ctx, value));
        ScriptError::type_error(message).or_at(location_of_function(ctx, function)).throw(ctx)
    };
    let is_plain = |value: &Value<'js>| value.is_object() && !value.is_array() && !value.is_function();
    let (score, reason) = match value.as_object().filter(|_| is_plain(value)) {
        Some(object) => (object.get::<_, Value>("score")?, Some(object.get::<_, Value>("reason")?)),
        None => (value.clone(), None),
    };
    let reason = match reason.filter(|reason| !reason.is_undefined() && !reason.is_null()) {
        Some(reason) if reason.is_string() => Some(to_text(ctx, reason)?),
        Some(reason) => return Err(wrong("the reason of a score must be a string", &reason)),
        None => None,
    };
    if let Some(pass) = score.as_bool() {
        return Ok(ScoreOutcome::YesNo { pass, reason });
    }
    match score.as_number().filter(|score| (0.0..=1.0).contains(score)) {
        Some(score) => Ok(ScoreOutcome::Number { score, reason }),
        None if is_plain(value) && score.is_undefined() => {
            Err(wrong("a score must be true, false, a number from 0 to 1, or an object { score, reason }", value))
        }
        None => Err(wrong("a score must be true, false, or a number from 0 to 1", &score)),
    }
}

fn shown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    match value.as_number() {
        Some(number) => number.to_string(),
        None if value.is_string() => {
            let text = to_text(ctx, value.clone()).unwrap_or_default();
            let cut: String = text.chars().take(60).collect();
            format!("'{cut}{}'", if cut.len() < text.len() { "…" } else { "" })
        }
        None if value.is_undefined() => "undefined (is a return missing?)".to_owned(),
        None => kind_of(value).to_owned(),
    }
}
