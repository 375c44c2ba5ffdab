//! Running a test file, from loading it to the end of its last test.

use std::{
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Function};
use tokio::sync::Notify;

use super::{
    host,
    limited::{duration_text, sleep_until},
    outcome::Failure,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::{Engine, diagnose_error, import_builtin, import_file_once, is_late, process_rejections};

/// Loads a test file and runs its tests. Results go to the host of [`host::install`]. `limit` is the time limit for
/// loading.
pub async fn run_test_file(engine: &Engine, path: &Path, limit: Option<Duration>) {
    let run = async |ctx: Ctx<'_>| {
        let Some(host) = host::with(&ctx, |testing| testing.host.clone()) else { return };
        let result = match load(&ctx, path, limit).await {
            Ok(()) => run_tests(&ctx).await.map_err(|error| diagnose_error(&ctx, error).diagnostic),
            Err(diagnostic) => Err(*diagnostic),
        };
        process_rejections(&ctx).await;
        host::report_interruption(&ctx);
        if let Err(diagnostic) = result {
            host.error(Failure { diagnostic, diff: None, context: None });
        }
    };
    engine.context().async_with(run).await;
}

async fn load(ctx: &Ctx<'_>, path: &Path, limit: Option<Duration>) -> Result<(), Box<Diagnostic>> {
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    // Fails only without an event loop, which the engine has.
    let _ = host::set_limit(ctx, deadline);
    let loaded = tokio::select! {
        biased;
        loaded = import_file_once(ctx, path) => Some(loaded),
        () = sleep_until(deadline) => None,
    };
    let was_interrupted = is_late(ctx);
    let loaded = loaded.map(|loaded| loaded.map_err(|error| Box::new(diagnose_error(ctx, error).diagnostic)));
    host::clear_limit(ctx);
    match loaded {
        Some(Ok(_)) => Ok(()),
        Some(Err(diagnostic)) if !was_interrupted => Err(diagnostic),
        _ => {
            let message = format!("loading the file timed out after {}", duration_text(limit.unwrap_or_default()));
            Err(Box::new(
                Diagnostic::new(message)
                    .with_hint("what a test needs time for belongs into the test, or into beforeAll"),
            ))
        }
    }
}

/// Does not await the promise directly: an interrupted test would appear to reject it.
async fn run_tests(ctx: &Ctx<'_>) -> rquickjs::Result<()> {
    let run: Function = import_builtin(ctx, "lmthing:internal/testing/core")?.get("play")?;
    let over = Rc::new(Notify::new());
    let done = over.clone();
    run.call::<_, ()>((Function::new(ctx.clone(), move || done.notify_one())?,))?;
    over.notified().await;
    Ok(())
}
