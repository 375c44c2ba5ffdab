//! Notifications of a server: progress, and changes of its tools. The library refuses all requests of a server by itself.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rmcp::{
    ClientHandler, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken, SubscriptionFilter,
    },
    service::{NotificationContext, Peer},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Before a subscription that has ended is made again; twice as long after each further one that ended early.
const SUBSCRIBE_AGAIN: Duration = Duration::from_secs(1);

/// A subscription that lasts this long has worked.
const ENDED_EARLY: Duration = Duration::from_secs(10);

/// How many subscriptions in a row may end early; then the server is not asked again.
const MAX_EARLY_ENDS: u32 = 6;

#[derive(Clone, Debug, PartialEq)]
pub struct ToolProgress {
    pub done: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// Receives the notifications of one connection. Clones share them.
#[derive(Clone, Default)]
pub(super) struct NotificationHandler(Arc<Notifications>);

#[derive(Default)]
struct Notifications {
    tools_changed: AtomicBool,
    progress: Mutex<HashMap<ProgressToken, UnboundedSender<ToolProgress>>>,
}

impl NotificationHandler {
    pub(super) fn take_tools_changed(&self) -> bool {
        self.0.tools_changed.swap(false, Ordering::Relaxed)
    }

    /// The progress of the call with this token, until the result is dropped.
    pub(super) fn listen(&self, token: ProgressToken) -> ProgressReceiver {
        let (sender, steps) = unbounded_channel();
        self.listeners().insert(token.clone(), sender);
        ProgressReceiver { handler: self.clone(), token, steps }
    }

    /// Asks the server for changes of its tools, as versions from 2026-07-28 on want it, and receives them.
    pub(super) async fn subscribe(self, peer: Peer<RoleClient>) {
        let changes_of_tools = SubscriptionFilter::builder().tools_list_changed().build();
        let mut early_ends = 0;
        while let Ok(mut subscription) = peer.listen(changes_of_tools.clone()).await {
            let began = Instant::now();
            // Changes before the subscription, or between two, are not announced.
            self.0.tools_changed.store(true, Ordering::Relaxed);
            while let Ok(Some(_)) = subscription.next().await {
                self.0.tools_changed.store(true, Ordering::Relaxed);
            }
            early_ends = if began.elapsed() < ENDED_EARLY { early_ends + 1 } else { 0 };
            let Some(wait) = wait_after(early_ends) else { return };
            tokio::time::sleep(wait).await;
        }
    }

    fn listeners(&self) -> MutexGuard<'_, HashMap<ProgressToken, UnboundedSender<ToolProgress>>> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait_after(early_ends: u32) -> Option<Duration> {
    (early_ends < MAX_EARLY_ENDS).then(|| SUBSCRIBE_AGAIN * 2_u32.pow(early_ends.saturating_sub(1)))
}

pub(super) struct ProgressReceiver {
    handler: NotificationHandler,
    token: ProgressToken,
    steps: UnboundedReceiver<ToolProgress>,
}

impl ProgressReceiver {
    pub(super) async fn next(&mut self) -> Option<ToolProgress> {
        self.steps.recv().await
    }
}

impl Drop for ProgressReceiver {
    fn drop(&mut self) {
        self.handler.listeners().remove(&self.token);
    }
}

impl ClientHandler for NotificationHandler {
    async fn on_progress(&self, notification: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        if let Some(listener) = self.listeners().get(&notification.progress_token) {
            let _ = listener.send(ToolProgress {
                done: notification.progress,
                total: notification.total,
                message: notification.message,
            });
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.tools_changed.store(true, Ordering::Relaxed);
    }

    fn get_info(&self) -> ClientConfig {
        let ourselves = Implementation::new("lmthing", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), ourselves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_ends_subscriptions_early_is_asked_less_and_less() {
        let waits: Vec<_> = (0..=6).map(|early| wait_after(early).map(|wait| wait.as_secs())).collect();
        assert_eq!(waits, [Some(1), Some(1), Some(2), Some(4), Some(8), Some(16), None]);
    }
}
