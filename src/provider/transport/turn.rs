//! One attempt as retries count them: it waits for its turn where a server takes only so many requests, and is made again
//! at once without what the server does not take.

use std::time::Duration;

use super::{
    answer::Answer,
    attempt::{AttemptFailure, Prepared, attempt},
    model::HttpModel,
};
use crate::provider::{
    ProviderErrorKind, ProviderEvent,
    servers::{LONGEST_PAUSE, Pass},
};

/// So often a request gives way to others of the same run before its refusal counts.
const MOST_TURNS: u32 = 40;

/// So often a request is sent again that met a closed connection, before that counts as an attempt.
const MOST_UNSENT: u32 = 10;

/// The first wait before that, which doubles.
const UNSENT_WAIT: Duration = Duration::from_millis(1);

/// The shortest pause is this part of the first wait between attempts.
const SHORTEST_PAUSE: u32 = 10;

/// Sends the request in its turn.
pub(super) async fn turn<'a>(model: &'a HttpModel, prepared: &Prepared) -> Result<Answer<'a>, AttemptFailure> {
    let gate = model.gate();
    let (mut turns, mut unsent) = (0, 0);
    loop {
        if let Some(wait) = gate.untold_pause() {
            tell(model, wait, "nothing is left of its limit for now");
        }
        let mut pass = gate.enter().await.map_err(|words| given_up(prepared, &words))?;
        let changes = prepared.sent.borrow().changes;
        let failure = match attempt(model, prepared).await {
            Ok(mut answer) => {
                pass.answered();
                answer.hold(pass);
                return Ok(answer);
            }
            Err(_) if prepared.sent.borrow().changes > changes => continue,
            Err(failure) => failure,
        };
        if failure.is_unsent && unsent < MOST_UNSENT {
            drop(pass);
            // A server that has too many connections closes the next one as well.
            tokio::time::sleep(if unsent == 0 { Duration::ZERO } else { UNSENT_WAIT * 2_u32.pow(unsent) }).await;
            unsent += 1;
            continue;
        }
        if !is_too_many(&failure) || !gives_way(model, pass, &failure, turns) {
            return Err(failure);
        }
        turns += 1;
    }
}

/// Whether the server takes no more from us for now; also within an answer, which has no status. An overload is the
/// server's own.
fn is_too_many(failure: &AttemptFailure) -> bool {
    let error = &failure.error;
    let is_limit = matches!(error.kind, ProviderErrorKind::RateLimit { .. });
    let is_overload = match error.status {
        Some(status @ 300..) => status != 429,
        _ => error.message.to_ascii_lowercase().contains("overload"),
    };
    is_limit && !is_overload && failure.retryable
}

/// Makes all requests to the server wait. Whether this one is among them, or has failed: with others of the run in its
/// way it has not, since all of them together were too many.
fn gives_way(model: &HttpModel, pass: Pass, failure: &AttemptFailure, turns: u32) -> bool {
    let others = pass.refused(&failure.error.message);
    // The server says by itself that waiting is no use.
    if failure.wish.is_some_and(|wish| wish > LONGEST_PAUSE) {
        return false;
    }
    let others = others && turns < MOST_TURNS;
    let pause = match failure.wish {
        Some(wish) => wish,
        // A failure that counts is waited after by whoever counts it.
        None if !others => return false,
        None => model.context.first_wait * 2_u32.pow(turns.min(4)),
    };
    let pause = if others { pause.max(model.context.first_wait / SHORTEST_PAUSE) } else { pause };
    if model.gate().close_for(pause) && others {
        tell(model, pause, &failure.error.message);
    }
    others
}

fn tell(model: &HttpModel, wait: Duration, reason: &str) {
    let (provider, reason) = (model.provider.clone(), reason.to_owned());
    (model.context.on_event)(&ProviderEvent::Throttled { provider, wait, reason });
}

/// The failure of a request that was never sent, as all others of the run were refused one after the other.
fn given_up(prepared: &Prepared, words: &str) -> AttemptFailure {
    let message =
        format!("{} (the server has refused every request of this run for a while)", words.trim_end_matches('.'));
    let error = prepared.faults.error(ProviderErrorKind::RateLimit { retry_after: None }, &message, Some(429));
    AttemptFailure::new(error, false)
}
