//! Detection of scripts that wait for a promise that can never settle.

use std::{cell::Cell, time::Duration};

use rquickjs::{Ctx, Result};

use crate::bindings::tools::end_signal;
use lmthing_node::{ScriptError, is_stalled, last_pending_answer, until_stalled};

pub(crate) const NEVER_SETTLES: &str = "waits for a promise that nothing can settle any more";

/// How long a script must be idle to count as stuck.
const IDLE_TIME: Duration = Duration::from_millis(500);

/// How often an idle script may be polled in that time.
const MAX_IDLE_POLLS: u64 = 20;

/// Awaits a part of the script. Fails if no timer, request or run is left that could settle its promise. Node exits
/// silently in this case.
pub(crate) async fn detect_deadlock<T>(ctx: &Ctx<'_>, what: &str, part: impl Future<Output = Result<T>>) -> Result<T> {
    let mut part = std::pin::pin!(part);
    let polls = Cell::new(0_u64);
    let counted = std::future::poll_fn(|context| {
        polls.set(polls.get() + 1);
        part.as_mut().poll(context)
    });
    let deadlock = async {
        loop {
            until_stalled(ctx).await?;
            // A chain of promises polls thousands of times in that time; the few allowed polls are the progress line.
            let before = polls.get();
            tokio::time::sleep(IDLE_TIME).await;
            // Between two inner runs the program may be idle for a moment.
            if polls.get() - before < MAX_IDLE_POLLS && is_stalled(ctx)? && !end_signal::will_fire(ctx)? {
                return Result::Ok(());
            }
        }
    };
    tokio::select! {
        biased;
        outcome = counted => outcome,
        ended = deadlock => {
            ended?;
            let pending = last_pending_answer(ctx)?;
            let responder = pending.as_ref().map_or(what, |pending| pending.responder.as_str());
            let message = format!("{responder} {NEVER_SETTLES}");
            let error = ScriptError::error(message).hint("look for an await of a promise whose resolve function is never called");
            Err(error.or_at(pending.as_ref().and_then(|pending| pending.location.clone())).throw(ctx))
        }
    }
}
