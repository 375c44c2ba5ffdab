//! A test file from its loading to the end of its last test. Must not know what its tests are.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Error, Function};

use super::{host, outcome::Failure};
use crate::{
    diagnostic::Diagnostic,
    script::{
        Engine, bindings::values::call_async, breathe, diagnose_error, import_builtin, import_prompt_file, is_late,
    },
};

/// Loads a test file and runs what it says; everything that comes of it is told to the host of [`host::install`]. Loading is
/// broken off after `limit`.
pub(crate) async fn run_test_file(engine: &Engine, path: &Path, limit: Duration) {
    let run = async |ctx: Ctx<'_>| {
        let Some(host) = host::with(&ctx, |testing| testing.host.clone()) else { return };
        let played = match load(&ctx, path, limit).await {
            Ok(()) => play(&ctx).await.map_err(|error| diagnose_error(&ctx, error).diagnostic),
            Err(diagnostic) => Err(*diagnostic),
        };
        breathe(&ctx).await;
        if let Err(diagnostic) = played {
            host.error(Failure { diagnostic, diff: None, context: None });
        }
    };
    engine.context().async_with(run).await;
}

async fn load(ctx: &Ctx<'_>, path: &Path, limit: Duration) -> Result<(), Box<Diagnostic>> {
    let deadline = Instant::now() + limit;
    // There is a loop: the engine is set up.
    let _ = host::limit(ctx, Some(deadline));
    let loaded = tokio::select! {
        biased;
        loaded = import_prompt_file(ctx, path) => Some(loaded),
        () = tokio::time::sleep_until(deadline.into()) => None,
    };
    let was_interrupted = is_late(ctx);
    let _ = host::limit(ctx, None);
    match loaded {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) if !was_interrupted => Err(Box::new(diagnose_error(ctx, error).diagnostic)),
        other => {
            if let Some(Err(Error::Exception)) = other {
                ctx.catch();
            }
            let message = format!("loading the file timed out after {} s", limit.as_secs_f64());
            Err(Box::new(
                Diagnostic::new(message)
                    .with_hint("what a test needs time for belongs into the test, or into beforeAll"),
            ))
        }
    }
}

async fn play(ctx: &Ctx<'_>) -> rquickjs::Result<()> {
    let play: Function = import_builtin(ctx, "lmthing:internal/testing/core")?.get("play")?;
    call_async(&play, ()).await.map(drop)
}
