//! Requests that are under way, and telling a server that nobody waits any more. Must not know what was asked.

use std::{cell::RefCell, time::Duration};

use rmcp::{
    RoleClient,
    model::{CancelledNotification, CancelledNotificationParam, ClientNotification, RequestId},
    service::Peer,
};
use tokio::task::JoinHandle;

/// How long telling may take at the end of a run.
const PATIENCE: Duration = Duration::from_millis(300);

/// The requests of one connection that are under way.
#[derive(Default)]
pub(super) struct Flights {
    under_way: RefCell<Vec<RequestId>>,
    /// Servers that are being told.
    telling: RefCell<Vec<JoinHandle<()>>>,
}

impl Flights {
    /// A request was sent. Dropping what this gives tells the server that it is not wanted any more, unless it has
    /// [landed](Flight::landed).
    pub(super) fn begin(&self, peer: Peer<RoleClient>, id: RequestId) -> Flight<'_> {
        self.under_way.borrow_mut().push(id.clone());
        Flight { flights: self, peer, id }
    }

    /// Tells the server of all that are under way; nobody waits for them any more.
    pub(super) async fn cancel(&self, peer: &Peer<RoleClient>) {
        let cancelled = async {
            for telling in self.telling.take() {
                let _ = telling.await;
            }
            for id in self.under_way.take() {
                tell(peer, id).await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, cancelled).await;
    }

    fn end(&self, id: &RequestId) -> bool {
        let mut flights = self.under_way.borrow_mut();
        let place = flights.iter().position(|known| known == id);
        place.is_some_and(|place| {
            flights.swap_remove(place);
            true
        })
    }
}

/// One request.
pub(super) struct Flight<'a> {
    flights: &'a Flights,
    peer: Peer<RoleClient>,
    id: RequestId,
}

impl Flight<'_> {
    /// It was answered, or given up in another way.
    pub(super) fn landed(&self) {
        self.flights.end(&self.id);
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.flights.end(&self.id)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (peer, id) = (self.peer.clone(), self.id.clone());
            let mut telling = self.flights.telling.borrow_mut();
            telling.retain(|telling| !telling.is_finished());
            telling.push(runtime.spawn(async move { tell(&peer, id).await }));
        }
    }
}

async fn tell(peer: &Peer<RoleClient>, id: RequestId) {
    let params = CancelledNotificationParam::new(Some(id), Some("nobody waits for it any more".to_owned()));
    let told: ClientNotification = CancelledNotification::new(params).into();
    // A server that is gone does not care.
    let _ = peer.send_notification(told).await;
}
