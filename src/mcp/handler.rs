//! What a server tells without being asked: progress, and that its tools are others now. Everything else that a server may ask of
//! a client is refused, which the library does by itself. Must not know what is done with what it tells.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::{
    ClientHandler, RoleClient,
    model::{ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken},
    service::NotificationContext,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolProgress {
    /// What is done.
    pub(crate) done: f64,
    /// Of how much, if that is known.
    pub(crate) total: Option<f64>,
    /// What is being done.
    pub(crate) message: Option<String>,
}

/// Our side of one connection. Clones are the same side.
#[derive(Clone, Default)]
pub(super) struct Handler(Arc<Told>);

#[derive(Default)]
struct Told {
    tools_changed: AtomicBool,
    progress: Mutex<HashMap<ProgressToken, UnboundedSender<ToolProgress>>>,
}

impl Handler {
    /// Whether the tools have changed since this was asked last.
    pub(super) fn take_tools_changed(&self) -> bool {
        self.0.tools_changed.swap(false, Ordering::Relaxed)
    }

    /// What is told of the call with this token, for as long as somebody listens.
    pub(super) fn listen(&self, token: ProgressToken) -> Listening {
        let (sender, steps) = unbounded_channel();
        self.listeners().insert(token.clone(), sender);
        Listening { handler: self.clone(), token, steps }
    }

    fn listeners(&self) -> MutexGuard<'_, HashMap<ProgressToken, UnboundedSender<ToolProgress>>> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears how far a call has come, until it is dropped.
pub(super) struct Listening {
    handler: Handler,
    token: ProgressToken,
    steps: UnboundedReceiver<ToolProgress>,
}

impl Listening {
    /// Waits for the next word.
    pub(super) async fn next(&mut self) -> Option<ToolProgress> {
        self.steps.recv().await
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.handler.listeners().remove(&self.token);
    }
}

impl ClientHandler for Handler {
    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        if let Some(listener) = self.listeners().get(&told.progress_token) {
            // Whoever listened may have gone.
            let _ = listener.send(ToolProgress { done: told.progress, total: told.total, message: told.message });
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
