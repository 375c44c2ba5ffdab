//! The end of a server, as those hear of it who work for it. Must not know why it ends.

use tokio::sync::watch;

/// Hears of the end. Each who listens has its own.
#[derive(Clone, Debug)]
pub(super) struct Closing(watch::Receiver<bool>);

impl Closing {
    /// The end comes when the other half says so, or is gone.
    pub(super) fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Closing(receiver))
    }

    /// Waits for it.
    pub(super) async fn heard(&mut self) {
        // A sender that is gone is the end, too.
        let _ = self.0.wait_for(|is_closing| *is_closing).await;
    }
}
