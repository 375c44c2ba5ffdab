//! Calls the scores of an eval file, for several cells at once.

use std::{
    future::{pending, poll_fn},
    pin::pin,
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::{StreamExt, future::join_all, stream::FuturesUnordered};
use rquickjs::{Ctx, Result};
use tokio::sync::{mpsc::UnboundedReceiver, watch};

use super::{
    call::{LONGEST_WORK, Watch, over, score_one},
    outcome::{CellScores, ScoreInput, ScoredCell},
    scoring::{self, CellUse, ScoreHost},
};
use crate::bindings::services;
use lmthing_node::{Engine, ExitCalled, Halt, HaltHandler, Thrown, WorkLimit, set_halt_handler};

/// How long scores may take at an early end, apart from the time that judges need.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// What [`score_cells`] gets from other threads.
pub struct ScoreInputs {
    pub inputs: UnboundedReceiver<ScoreInput>,
    /// Set at an early end: no further judge is asked then, and those that are asked are waited for.
    pub is_ending: watch::Receiver<bool>,
}

/// Scores cells until the sender of inputs is closed, `at_once` at a time. [`load_eval_file`](super::load_eval_file) comes
/// first. `turn` is called with `true` and `false` at the beginning and the end of each turn of the engine.
pub async fn score_cells(
    engine: &Engine,
    ScoreInputs { mut inputs, mut is_ending }: ScoreInputs,
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
    let watch = Watch::new(limit.await?);
    let work = async |ctx: Ctx<'_>| {
        let mut running = FuturesUnordered::new();
        let mut is_open = true;
        while is_open || !running.is_empty() {
            tokio::select! {
                input = inputs.recv(), if is_open && running.len() < at_once => match input {
                    Some(ScoreInput::Cell(cell)) => running.push(score_cell(&ctx, &watch, cell, is_ending.clone())),
                    Some(ScoreInput::Verdicts(verdicts)) => {
                        scoring::with(&ctx, |scoring| scoring.known.borrow_mut().extend(verdicts));
                    }
                    None => is_open = false,
                },
                Some(done) = running.next() => scored(done),
                Ok(()) = is_ending.changed() => {
                    services::limits(&ctx).iter().for_each(|limits| limits.refuse_requests());
                }
            }
        }
    };
    let mut work = pin!(engine.context().async_with(work));
    poll_fn(|cx| {
        watch.limit.restart();
        turn(true);
        let polled = work.as_mut().poll(cx);
        turn(false);
        watch.turn_ended();
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

async fn score_cell(ctx: &Ctx<'_>, watch: &Watch, cell: ScoredCell, is_ending: watch::Receiver<bool>) -> CellScores {
    let used = CellUse::new();
    let number = cell.number;
    let scores = scoring::with(ctx, |scoring| {
        scoring.cells.borrow_mut().insert(number, used.clone());
        scoring.scores.borrow().clone()
    });
    let cell = Rc::new(cell);
    let scores = scores.unwrap_or_default().into_iter().map(|score| {
        let (cell, used, is_ending) = (cell.clone(), used.clone(), is_ending.clone());
        async move {
            // A turn for each, so that other cells go on.
            tokio::task::yield_now().await;
            let outcome = tokio::select! {
                biased;
                outcome = score_one(ctx, watch, &score, &cell, &used) => outcome,
                () = cut(&used, is_ending) => return None,
            };
            Some((score.name, outcome))
        }
    });
    let scores = join_all(scores).await.into_iter().flatten().collect();
    scoring::with(ctx, |scoring| scoring.cells.borrow_mut().remove(&number));
    CellScores { number, scores, verdicts: used.take_verdicts() }
}

/// Resolves when the eval ends early and the cell waits for something other than a judge.
async fn cut(used: &CellUse, mut is_ending: watch::Receiver<bool>) {
    if is_ending.wait_for(|is_ending| *is_ending).await.is_err() {
        pending().await
    }
    over(used, Instant::now(), END_TIMEOUT).await;
}
