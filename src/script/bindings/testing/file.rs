//! A test file from its loading to the end of its last test. Must not know what its tests are.

use std::{
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Function};
use tokio::sync::Notify;

use super::{
    host,
    limited::{in_words, until},
    outcome::Failure,
};
use crate::{
    diagnostic::Diagnostic,
    script::{Engine, breathe, diagnose_error, import_builtin, import_file_once, is_late},
};

/// Loads a test file and runs what it says; everything that comes of it is told to the host of [`host::install`]. Loading is
/// broken off after `limit`.
pub(crate) async fn run_test_file(engine: &Engine, path: &Path, limit: Option<Duration>) {
    let run = async |ctx: Ctx<'_>| {
        let Some(host) = host::with(&ctx, |testing| testing.host.clone()) else { return };
        let played = match load(&ctx, path, limit).await {
            Ok(()) => play(&ctx).await.map_err(|error| diagnose_error(&ctx, error).diagnostic),
            Err(diagnostic) => Err(*diagnostic),
        };
        breathe(&ctx).await;
        host::tell_interruption(&ctx);
        if let Err(diagnostic) = played {
            host.error(Failure { diagnostic, diff: None, context: None });
        }
    };
    engine.context().async_with(run).await;
}

async fn load(ctx: &Ctx<'_>, path: &Path, limit: Option<Duration>) -> Result<(), Box<Diagnostic>> {
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    // There is a loop: the engine is set up.
    let _ = host::limit(ctx, deadline);
    let loaded = tokio::select! {
        biased;
        loaded = import_file_once(ctx, path) => Some(loaded),
        () = until(deadline) => None,
    };
    let was_interrupted = is_late(ctx);
    let loaded = loaded.map(|loaded| loaded.map_err(|error| Box::new(diagnose_error(ctx, error).diagnostic)));
    host::release(ctx);
    match loaded {
        Some(Ok(_)) => Ok(()),
        Some(Err(diagnostic)) if !was_interrupted => Err(diagnostic),
        _ => {
            let message = format!("loading the file timed out after {}", in_words(limit.unwrap_or_default()));
            Err(Box::new(
                Diagnostic::new(message)
                    .with_hint("what a test needs time for belongs into the test, or into beforeAll"),
            ))
        }
    }
}

/// Runs what the file has defined. Its promise is not awaited as others are: an interrupted test would seem to have rejected it.
async fn play(ctx: &Ctx<'_>) -> rquickjs::Result<()> {
    let play: Function = import_builtin(ctx, "lmthing:internal/testing/core")?.get("play")?;
    let over = Rc::new(Notify::new());
    let done = over.clone();
    play.call::<_, ()>((Function::new(ctx.clone(), move || done.notify_one())?,))?;
    over.notified().await;
    Ok(())
}
