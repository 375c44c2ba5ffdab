//! `lmthing map --cancel OUT`: cancels the batches of a map.

use std::{
    path::Path,
    sync::{Arc, mpsc},
};

use super::{
    BatchResult, BatchState,
    remote::context,
    shipments::{Cancelled, Shipment, Stage},
};
use crate::{
    options::MapListener,
    results::{lock_state, with_suffix},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_providers::{BatchClient, ProviderContext, ProviderError, ProviderSettings};
use lmthing_system::threads::EventLoop;

fn not_cancelled(error: ProviderError) -> Box<Diagnostic> {
    let message = format!("batches cannot be cancelled: {}", error.message);
    Box::new(Diagnostic { hint: error.hint, ..Diagnostic::new(message) })
}

/// Cancels the batches of the map that writes `out`, and returns how many. Their answers so far are taken by the next
/// command.
pub fn cancel_batches(out: &Path, variables: &[(String, String)], listener: &mut dyn MapListener) -> BatchResult<u64> {
    // The results of a table are in a file next to it.
    let lines = with_suffix(out, ".jsonl");
    let out = if !BatchState::path_of(out).exists() && BatchState::path_of(&lines).exists() { &lines } else { out };
    if !out.exists() && !lines.exists() && !BatchState::path_of(out).exists() {
        return Err(Box::new(Diagnostic::new(format!("there is no file {}", out.display()))));
    }
    let _lock = lock_state(out)?;
    let Some(state) = BatchState::open(out)? else { return Ok(0) };
    cancel_all(&state, variables, listener, false)
}

/// With `forgets`, files are deleted as well, as nothing of the batches is wanted any more.
pub(crate) fn cancel_all(
    state: &BatchState,
    variables: &[(String, String)],
    listener: &mut dyn MapListener,
    forgets: bool,
) -> BatchResult<u64> {
    let shipments = state.shipments()?;
    if shipments.is_empty() {
        return Ok(0);
    }
    let event_loop = EventLoop::new();
    let event_loop = event_loop.map_err(|error| Diagnostic::new(format!("cannot start the event loop: {error}")))?;
    let (sender, warnings) = mpsc::channel();
    let context = context(variables, Arc::default(), move |warning| drop(sender.send(warning)));
    let cancelled = event_loop.run(async {
        let mut cancelled = 0;
        for shipment in shipments {
            let canceller = Canceller { state, context: &context, forgets };
            cancelled += u64::from(canceller.cancel(shipment).await?);
        }
        Ok(cancelled)
    });
    warnings.try_iter().for_each(|warning| listener.warned(None, &warning));
    cancelled
}

struct Canceller<'a> {
    state: &'a BatchState,
    context: &'a ProviderContext,
    forgets: bool,
}

impl Canceller<'_> {
    /// Returns whether the batch was under way.
    async fn cancel(&self, mut shipment: Shipment) -> BatchResult<bool> {
        if shipment.stage == Stage::Made && shipment.file.is_none() {
            self.state.dissolve(shipment.id)?;
            return Ok(false);
        }
        let client = BatchClient::new(&shipment.new.target, &ProviderSettings::default(), self.context)
            .map_err(not_cancelled)?;
        if matches!(shipment.stage, Stage::Made | Stage::Uploading) {
            if shipment.file.is_none() {
                shipment.file = client.find_upload(&shipment.new).await.map_err(not_cancelled)?;
            }
            self.delete(&client, shipment.file.iter()).await;
            self.state.dissolve(shipment.id)?;
            return Ok(false);
        }
        if shipment.stage == Stage::Creating {
            let found = client.find_batch(&shipment.new, shipment.file.as_ref()).await.map_err(not_cancelled)?;
            let Some(remote) = found else {
                self.delete(&client, shipment.file.iter()).await;
                self.state.dissolve(shipment.id)?;
                return Ok(false);
            };
            shipment.remote = Some(remote);
            shipment.stage = Stage::Created;
            self.state.store(&shipment)?;
        }
        let Some(remote) = shipment.remote.clone() else { return Ok(false) };
        let was_under_way = shipment.stage == Stage::Created && shipment.cancelled != Cancelled::Done;
        if was_under_way {
            // Before the act: the next command must know who has cancelled it.
            shipment.cancelled = Cancelled::Begun;
            self.state.store(&shipment)?;
            client.cancel(&remote).await.map_err(not_cancelled)?;
            shipment.cancelled = Cancelled::Done;
            self.state.store(&shipment)?;
        }
        if self.forgets {
            if let Ok(status) = client.status(&remote).await {
                shipment.status = status;
            }
            self.delete(&client, shipment.file.iter().chain(&shipment.status.files)).await;
        }
        Ok(was_under_way)
    }

    /// A file that is left costs nothing, so a failure is no reason to stop.
    async fn delete(&self, client: &BatchClient, files: impl Iterator<Item = &String>) {
        for file in files {
            let _ = client.delete(file).await;
        }
    }
}
