//! A batch on its way, and what users see of it.

use std::time::{Duration, Instant};

use super::shipments::Shipment;
use crate::progress::{BatchNews, BatchNewsPhase};
use lmthing_providers::{BatchPhase, BatchStatus, RemoteId};

/// A batch that this command looks after.
pub(super) struct Flight {
    pub(super) shipment: Shipment,
    pub(super) is_busy: bool,
    /// What to look for before an act is repeated, as the process before has not stored its outcome.
    pub(super) is_in_doubt: bool,
    pub(super) due: Instant,
    pub(super) wait: Duration,
    /// Acts that failed one after the other.
    pub(super) failures: u32,
    pub(super) was_seen: bool,
    /// Files that are still to be deleted.
    pub(super) files: Vec<RemoteId>,
}

impl Flight {
    pub(super) fn new(shipment: Shipment, due: Instant, wait: Duration) -> Self {
        let (is_busy, is_in_doubt, was_seen) = (false, false, false);
        Flight { shipment, is_busy, is_in_doubt, due, wait, failures: 0, was_seen, files: Vec::new() }
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
    }
}
