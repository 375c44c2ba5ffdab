//! Scripts that wait for what can never happen. Must not know what they are waited for.

use std::{cell::Cell, time::Duration};

use rquickjs::{Ctx, Result};

use crate::script::{ScriptError, bindings::tools::end_signal, is_still, last_asked, still};

/// What the error says of whoever is stuck.
pub(crate) const WAITS: &str = "waits for a promise that nothing can settle any more";

/// How long nothing must move before a script counts as stuck.
const STILLNESS: Duration = Duration::from_millis(500);

/// How often a script that does not move may be polled in that time all the same.
const STILL_POLLS: u64 = 20;

/// Awaits a part of the script, unless it waits for something that can never happen: no timer, no request and no run is
/// left that could settle its promise. Node ends silently then; here it is an error.
pub(crate) async fn unless_stuck<T>(ctx: &Ctx<'_>, what: &str, part: impl Future<Output = Result<T>>) -> Result<T> {
    let mut part = std::pin::pin!(part);
    let polls = Cell::new(0_u64);
    let counted = std::future::poll_fn(|context| {
        polls.set(polls.get() + 1);
        part.as_mut().poll(context)
    });
    let nothing_left = async {
        loop {
            still(ctx).await?;
            // A chain of promises polls thousands of times meanwhile; what is left then is the progress line.
            let before = polls.get();
            tokio::time::sleep(STILLNESS).await;
            // Between two inner runs nothing keeps the program alive for a moment; the next one may have begun.
            if polls.get() - before < STILL_POLLS && is_still(ctx)? && !end_signal::will_come(ctx)? {
                return Result::Ok(());
            }
        }
    };
    tokio::select! {
        biased;
        outcome = counted => outcome,
        stuck = nothing_left => {
            stuck?;
            let asked = last_asked(ctx)?;
            let who = asked.as_ref().map_or(what, |asked| asked.who.as_str());
            let message = format!("{who} {WAITS}");
            let error = ScriptError::error(message).hint("look for an await of a promise whose resolve function is never called");
            Err(error.or_at(asked.as_ref().and_then(|asked| asked.location.clone())).throw(ctx))
        }
    }
}
