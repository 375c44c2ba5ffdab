//! Pending requests, and their cancellation.

use std::{cell::RefCell, time::Duration};

use rmcp::{
    RoleClient,
    model::{CancelledNotification, CancelledNotificationParam, ClientNotification, RequestId},
    service::Peer,
};
use tokio::task::JoinHandle;

/// How long cancellation may take at the end of a run.
const PATIENCE: Duration = Duration::from_millis(300);

#[derive(Default)]
pub(super) struct PendingRequests {
    ids: RefCell<Vec<RequestId>>,
    cancellations: RefCell<Vec<JoinHandle<()>>>,
}

impl PendingRequests {
    /// Registers a request. Dropping the result cancels it at the server, unless [`PendingRequest::complete`] was called.
    pub(super) fn begin(&self, peer: Peer<RoleClient>, id: RequestId) -> PendingRequest<'_> {
        self.ids.borrow_mut().push(id.clone());
        PendingRequest { pending: self, peer, id }
    }

    pub(super) async fn cancel(&self, peer: &Peer<RoleClient>) {
        let cancelled = async {
            for cancellations in self.cancellations.take() {
                let _ = cancellations.await;
            }
            for id in self.ids.take() {
                send_cancellation(peer, id).await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, cancelled).await;
    }

    fn end(&self, id: &RequestId) -> bool {
        let mut pending = self.ids.borrow_mut();
        let place = pending.iter().position(|known| known == id);
        place.is_some_and(|place| {
            pending.swap_remove(place);
            true
        })
    }
}

pub(super) struct PendingRequest<'a> {
    pending: &'a PendingRequests,
    peer: Peer<RoleClient>,
    id: RequestId,
}

impl PendingRequest<'_> {
    pub(super) fn complete(&self) {
        self.pending.end(&self.id);
    }
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        if self.pending.end(&self.id)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (peer, id) = (self.peer.clone(), self.id.clone());
            let mut cancellations = self.pending.cancellations.borrow_mut();
            cancellations.retain(|cancellations| !cancellations.is_finished());
            cancellations.push(runtime.spawn(async move { send_cancellation(&peer, id).await }));
        }
    }
}

async fn send_cancellation(peer: &Peer<RoleClient>, id: RequestId) {
    let params = CancelledNotificationParam::new(Some(id), Some("nobody waits for it any more".to_owned()));
    let notification: ClientNotification = CancelledNotification::new(params).into();
    let _ = peer.send_notification(notification).await;
}
