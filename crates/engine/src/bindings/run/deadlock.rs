//! Detection of scripts that wait for a promise that can never settle.

use std::time::Duration;

use rquickjs::{Ctx, Result};

use crate::bindings::tools::end_signal;
use lmthing_node::{ScriptError, activity, last_pending_answer, until_stalled};

pub(crate) const NEVER_SETTLES: &str = "waits for a promise that nothing can settle any more";

/// How long a script must be at rest to count as stuck.
const IDLE_TIME: Duration = Duration::from_millis(500);

/// Awaits a part of the script. Fails if no timer, request or run is left that could settle its promise. Node exits
/// silently in this case.
pub(crate) async fn detect_deadlock<T>(ctx: &Ctx<'_>, what: &str, part: impl Future<Output = Result<T>>) -> Result<T> {
    let deadlock = async {
        let mut before = None;
        loop {
            // On a busy machine the time may pass while work is ready, so that work comes first.
            until_stalled(ctx).await?;
            let now = activity(ctx)?;
            if before.replace(now) == Some(now) && !end_signal::will_fire(ctx)? {
                return Result::Ok(());
            }
            // Between two inner runs the program may be idle for a moment.
            tokio::time::sleep(IDLE_TIME).await;
        }
    };
    tokio::select! {
        biased;
        outcome = part => outcome,
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
