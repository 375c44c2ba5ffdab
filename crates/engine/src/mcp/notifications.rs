//! Notifications of a server: progress, and changes of its tools. The library refuses all requests of a server by itself.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ClientHandler, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken, SubscriptionFilter,
    },
    service::{NotificationContext, Peer},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Before a subscription that has ended is made again.
const SUBSCRIBE_AGAIN: Duration = Duration::from_secs(1);

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
        while let Ok(mut subscription) = peer.listen(changes_of_tools.clone()).await {
            // Changes before the subscription, or between two, are not announced.
            self.0.tools_changed.store(true, Ordering::Relaxed);
            while let Ok(Some(_)) = subscription.next().await {
                self.0.tools_changed.store(true, Ordering::Relaxed);
            }
            tokio::time::sleep(SUBSCRIBE_AGAIN).await;
        }
    }

    fn listeners(&self) -> MutexGuard<'_, HashMap<ProgressToken, UnboundedSender<ToolProgress>>> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
