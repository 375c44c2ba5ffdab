//! `lmthing map --cancel OUT`: cancels the batches of a map.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    pin::pin,
    rc::Rc,
    sync::Arc,
};

use tokio::sync::mpsc;

use super::{
    BatchResult, BatchState,
    flight::may_be,
    remote::context,
    shipments::{Cancelled, Shipment, Stage},
    state::StateError,
};
use crate::{
    options::MapListener,
    results::{followed, lock_state, with_suffix},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::prompt::RunError;
use lmthing_providers::{
    BatchClient, BatchPhase, FoundBatch, ProviderContext, ProviderError, ProviderErrorKind, ProviderSettings, RemoteId,
};
use lmthing_system::threads::EventLoop;

/// What has become of the batches that were under way.
#[derive(Debug, Default)]
pub struct CancelledBatches {
    pub cancelled: u64,
    /// Those that had ended before.
    pub ended: u64,
    /// Why others go on.
    pub problem: Option<Box<Diagnostic>>,
}

/// Cancels the batches of the map that writes `out`. Their answers so far are taken by the next command.
pub fn cancel_batches(
    out: &Path,
    variables: &[(String, String)],
    listener: &mut dyn MapListener,
) -> Result<CancelledBatches, Rc<RunError>> {
    let failed = |problem: Box<Diagnostic>| Rc::new(RunError::from(*problem));
    let real = followed(out).unwrap_or_else(|_| out.to_owned());
    // The results of a table are in a file next to it. An eval does not follow links.
    let is_table = |path: &Path| path.extension().is_some_and(|ending| !ending.eq_ignore_ascii_case("jsonl"));
    let lines = is_table(&real).then(|| with_suffix(&real, ".jsonl"));
    let places: Vec<PathBuf> = [real].into_iter().chain(lines).chain([out.to_owned()]).collect();
    let with_state = places.iter().find(|place| BatchState::path_of(place).exists());
    let Some(place) = with_state.or_else(|| places.iter().find(|place| place.exists())) else {
        return Err(failed(Box::new(Diagnostic::new(format!("there is no file {}", out.display())))));
    };
    let _lock = lock_state(place).map_err(|problem| Rc::new(RunError::Usage(problem)))?;
    match BatchState::open(place).map_err(failed)? {
        Some(state) => cancel_all(&state, variables, listener, false).map_err(failed),
        None => Ok(CancelledBatches::default()),
    }
}

/// With `forgets`, files are deleted as well, as nothing of the batches is wanted any more.
pub(crate) fn cancel_all(
    state: &BatchState,
    variables: &[(String, String)],
    listener: &mut dyn MapListener,
    forgets: bool,
) -> BatchResult<CancelledBatches> {
    let shipments = state.shipments()?;
    if shipments.is_empty() {
        return Ok(CancelledBatches::default());
    }
    let event_loop = EventLoop::new();
    let event_loop = event_loop.map_err(|error| Diagnostic::new(format!("cannot start the event loop: {error}")))?;
    let (sender, mut warnings) = mpsc::unbounded_channel();
    let context = context(variables, Arc::default(), move |warning| drop(sender.send(warning)));
    let canceller = Canceller { state, context: &context, forgets };
    event_loop.run(async {
        let mut cancelling = pin!(canceller.cancel_each(shipments));
        loop {
            tokio::select! {
                biased;
                Some(warning) = warnings.recv() => listener.warned(None, &warning),
                cancelled = &mut cancelling => return cancelled,
            }
        }
    })
}

/// What a batch was before it was cancelled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    UnderWay,
    Ended,
    /// It was not created, or was cancelled by an earlier command.
    Other,
}

/// Why a batch is not cancelled.
enum Hindrance {
    State(StateError),
    Provider(ProviderError),
    /// It was perhaps created: it may be one of these.
    Unclear(Vec<String>),
}

impl From<StateError> for Hindrance {
    fn from(error: StateError) -> Self {
        Hindrance::State(error)
    }
}

impl From<ProviderError> for Hindrance {
    fn from(error: ProviderError) -> Self {
        Hindrance::Provider(error)
    }
}

struct Canceller<'a> {
    state: &'a BatchState,
    context: &'a ProviderContext,
    forgets: bool,
}

impl Canceller<'_> {
    async fn cancel_each(&self, shipments: Vec<Shipment>) -> BatchResult<CancelledBatches> {
        let mut counts = CancelledBatches::default();
        // The first reason, and the batches that go on.
        let mut left: Option<(Diagnostic, Vec<String>)> = None;
        // Services that cannot be reached: to find that out takes half a minute.
        let mut down: HashMap<i64, ProviderError> = HashMap::new();
        for mut shipment in shipments {
            let attempt = match down.get(&shipment.target) {
                Some(error) if shipment.stage != Stage::Made => Err(Hindrance::Provider(error.clone())),
                _ => self.cancel(&mut shipment).await,
            };
            let problem = match attempt {
                Ok(before) => {
                    counts.cancelled += u64::from(before == Before::UnderWay);
                    counts.ended += u64::from(before == Before::Ended);
                    continue;
                }
                Err(Hindrance::State(error)) => return Err(error),
                Err(Hindrance::Provider(error)) => {
                    if error.kind == ProviderErrorKind::Connection {
                        down.insert(shipment.target, error.clone());
                    }
                    let message = format!("a batch cannot be cancelled: {}", error.message);
                    Diagnostic { hint: error.hint, ..Diagnostic::new(message) }
                }
                Err(Hindrance::Unclear(candidates)) => {
                    let message = may_be(shipment.name(), &candidates);
                    Diagnostic::new(message).with_hint("Cancel it at the provider, or try again when it has ended.")
                }
            };
            let name = format!("{} at {}", shipment.name(), shipment.new.target.address);
            left.get_or_insert_with(|| (problem, Vec::new())).1.push(name);
        }
        counts.problem = left.map(|(problem, names)| Box::new(self.with_way_out(problem, &names)));
        Ok(counts)
    }

    /// The last resort, where the key or the address that was used is gone.
    fn with_way_out(&self, problem: Diagnostic, names: &[String]) -> Diagnostic {
        let first = problem.hint.as_ref().map(|hint| format!("{hint} ")).unwrap_or_default();
        let (path, names) = (self.state.path().display(), names.join(", "));
        let last = format!("To give up {names}, which may go on and be paid, remove {path}.");
        problem.with_hint(format!("{first}{last}"))
    }

    async fn cancel(&self, shipment: &mut Shipment) -> Result<Before, Hindrance> {
        if shipment.stage == Stage::Made {
            self.state.dissolve(shipment.id)?;
            return Ok(Before::Other);
        }
        let client = BatchClient::new(&shipment.new.target, &ProviderSettings::default(), self.context)?;
        let Some(remote) = self.find(&client, shipment).await? else {
            self.delete(&client, shipment.file.iter()).await;
            self.state.dissolve(shipment.id)?;
            return Ok(Before::Other);
        };
        let mut before = Before::Other;
        if shipment.stage == Stage::Created && shipment.cancelled != Cancelled::Done {
            // Before the act: the next command must know who has cancelled it.
            shipment.cancelled = Cancelled::Begun;
            self.state.store(shipment)?;
            let status = client.cancel(&remote).await?;
            let is_cancelled = matches!(status.phase, BatchPhase::InProgress | BatchPhase::Cancelled);
            before = if is_cancelled { Before::UnderWay } else { Before::Ended };
            shipment.cancelled = Cancelled::Done;
            self.state.store(shipment)?;
        }
        if self.forgets {
            let status = client.status(&remote).await.unwrap_or_default();
            self.delete(&client, shipment.file.iter().chain(&shipment.status.files).chain(&status.files)).await;
        }
        Ok(before)
    }

    /// Returns the batch at the provider if it was created.
    async fn find(&self, client: &BatchClient, shipment: &mut Shipment) -> Result<Option<RemoteId>, Hindrance> {
        match shipment.stage {
            Stage::Uploading => shipment.file = client.find_upload(&shipment.new).await?,
            Stage::Creating => match client.find_batch(&shipment.new, shipment.file.as_ref()).await? {
                FoundBatch::Found(remote) => {
                    (shipment.remote, shipment.stage) = (Some(remote), Stage::Created);
                    self.state.store(shipment)?;
                }
                FoundBatch::Missing => {}
                FoundBatch::Unclear(candidates) => return Err(Hindrance::Unclear(candidates)),
            },
            Stage::Made | Stage::Uploaded | Stage::Created | Stage::Ended | Stage::Collected => {}
        }
        Ok(shipment.remote.clone())
    }

    /// A file that is left costs nothing, so a failure is no reason to stop.
    async fn delete(&self, client: &BatchClient, files: impl Iterator<Item = &String>) {
        for file in files {
            let _ = client.delete(file).await;
        }
    }
}
