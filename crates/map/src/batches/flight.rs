//! A batch on its way, and what users see of it.

use std::time::{Duration, Instant};

use super::shipments::{Shipment, Stage};
use crate::progress::{BatchNews, BatchNewsPhase};
use lmthing_providers::{BatchPhase, BatchStatus, RemoteId};

/// The longest wait between two looks at a batch, unless `--poll` says how long.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A batch that this command looks after.
pub(super) struct Flight {
    pub(super) shipment: Shipment,
    pub(super) is_busy: bool,
    /// Whether the last act looked for what an earlier one has done.
    pub(super) is_lookup: bool,
    pub(super) due: Instant,
    pub(super) wait: Duration,
    /// Acts that failed one after the other.
    pub(super) failures: u32,
    /// Whether this command has looked at it.
    pub(super) was_seen: bool,
    /// Files that are still to be deleted.
    pub(super) files: Vec<RemoteId>,
}

impl Flight {
    pub(super) fn new(shipment: Shipment, due: Instant, wait: Duration) -> Self {
        let files = if shipment.stage == Stage::Collected { files_of(&shipment) } else { Vec::new() };
        let (is_busy, is_lookup, was_seen) = (false, false, false);
        Flight { shipment, is_busy, is_lookup, due, wait, failures: 0, was_seen, files }
    }

    /// Lets the provider work before the next look, for longer each time where `grows`.
    pub(super) fn look_later(&mut self, grows: bool) {
        self.was_seen = true;
        self.due = Instant::now() + self.wait;
        if grows {
            self.wait = self.wait.mul_f64(1.5).min(LONGEST_WAIT);
        }
    }
}

pub(super) fn files_of(shipment: &Shipment) -> Vec<RemoteId> {
    let mut files: Vec<RemoteId> = shipment.file.iter().chain(&shipment.status.files).cloned().collect();
    files.sort_unstable();
    files.dedup();
    files
}

pub(super) fn news(shipment: &Shipment, phase: BatchNewsPhase) -> BatchNews {
    let (name, provider) = (shipment.new.name.clone(), shipment.new.target.provider.clone());
    let BatchStatus { succeeded: done, failed, .. } = shipment.status;
    BatchNews {
        name,
        id: shipment.name().to_owned(),
        provider,
        phase,
        done,
        failed,
        requests: shipment.new.requests as u64,
    }
}

pub(super) fn ended(phase: &BatchPhase) -> BatchNewsPhase {
    match phase {
        BatchPhase::InProgress | BatchPhase::Completed => BatchNewsPhase::Completed,
        BatchPhase::Expired => BatchNewsPhase::Expired,
        BatchPhase::Cancelled => BatchNewsPhase::Cancelled,
        BatchPhase::Failed { reason, .. } => BatchNewsPhase::Failed(reason.clone()),
        BatchPhase::Gone => BatchNewsPhase::Failed("the provider does not have it any more".to_owned()),
    }
}

/// Says which batches may be the one with this name.
pub(super) fn may_be(name: &str, candidates: &[String]) -> String {
    let shown = candidates.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if candidates.len() > 3 { " or another one" } else { "" };
    format!(
        "the creation of batch {name} was not answered; it may be {shown}{more}, and the provider says so only when that has \
         ended"
    )
}
