//! Detection of scripts that wait for a promise that can never settle.

use std::{cell::Cell, time::Duration};

use rquickjs::{Ctx, Result};

use crate::bindings::tools::end_signal;
use lmthing_node::{ScriptError, is_still, last_asked, still};

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
            still(ctx).await?;
            // A chain of promises polls thousands of times in that time; the few allowed polls are the progress line.
            let before = polls.get();
            tokio::time::sleep(IDLE_TIME).await;
            // Between two inner runs the program may be idle for a moment.
            if polls.get() - before < MAX_IDLE_POLLS && is_still(ctx)? && !end_signal::will_fire(ctx)? {
                return Result::Ok(());
            }
        }
    };
    tokio::select! {
        biased;
        outcome = counted => outcome,
        ended = deadlock => {
            ended?;
            let asked = last_asked(ctx)?;
            let who = asked.as_ref().map_or(what, |asked| asked.who.as_str());
            let message = format!("{who} {NEVER_SETTLES}");
            let error = ScriptError::error(message).hint("look for an await of a promise whose resolve function is never called");
            Err(error.or_at(asked.as_ref().and_then(|asked| asked.location.clone())).throw(ctx))
        }
    }
}
