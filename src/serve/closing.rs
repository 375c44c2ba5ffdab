use tokio::sync::watch;

#[derive(Clone, Debug)]
pub(super) struct Closing(watch::Receiver<bool>);

impl Closing {
    pub(super) fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Closing(receiver))
    }

    pub(super) async fn heard(&mut self) {
        let _ = self.0.wait_for(|is_closing| *is_closing).await;
    }
}
