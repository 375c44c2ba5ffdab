//! What lies between an engine on its thread and the handler that Restate has called: entries on their way to be stored, and word
//! that they are. Must not know either.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use super::batch::{Batch, End, Entry};

/// How an engine's part ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ended {
    /// The run has ended, or waits.
    Well(End),
    /// Another attempt may come further; this is why.
    TryAgain(String),
    /// No attempt will.
    ForGood(String),
}

/// The engine's end.
pub(super) struct Outbox {
    inner: Mutex<Inner>,
    changed: Notify,
    stored: watch::Receiver<usize>,
}

#[derive(Default)]
struct Inner {
    /// Not handed out yet.
    entries: Vec<Entry>,
    /// How many there were.
    count: usize,
    /// The count at the last step that is over.
    cut: usize,
    ended: Option<Ended>,
}

/// The handler's end. When it is dropped, nobody stores anything any more.
pub(super) struct Inbox {
    outbox: Arc<Outbox>,
    stored: watch::Sender<usize>,
    /// How many were handed out.
    taken: usize,
}

/// A new pair.
pub(super) fn pair() -> (Arc<Outbox>, Inbox) {
    let (told, stored) = watch::channel(0);
    let outbox = Arc::new(Outbox { inner: Mutex::default(), changed: Notify::new(), stored });
    (outbox.clone(), Inbox { outbox, stored: told, taken: 0 })
}

impl Outbox {
    /// An entry was written. `is_over` says that a step is over with it.
    pub(super) fn kept(&self, entry: Entry, is_over: bool) {
        let mut inner = self.inner();
        inner.entries.push(entry);
        inner.count += 1;
        if is_over {
            inner.cut = inner.count;
            drop(inner);
            self.changed.notify_one();
        }
    }

    /// The engine is done. The first word counts.
    pub(super) fn end(&self, ended: Ended) {
        self.inner().ended.get_or_insert(ended);
        self.changed.notify_one();
    }

    /// Resolves once every step that is over is stored, with `false` when nobody stores anything any more. `None` when nothing is
    /// to be waited for.
    pub(super) fn stored(&self) -> Option<impl Future<Output = bool> + use<>> {
        let cut = self.inner().cut;
        let mut stored = self.stored.clone();
        // What is stored counts also when nothing more will be.
        if *stored.borrow() >= cut {
            return None;
        }
        Some(async move { stored.wait_for(|stored| *stored >= cut).await.is_ok() })
    }

    /// Resolves once the handler is gone.
    pub(super) async fn forsaken(&self) {
        let mut stored = self.stored.clone();
        while stored.changed().await.is_ok() {}
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inbox {
    /// What was done since the last time, once a step or the run is over. What was handed out before is stored by now.
    ///
    /// # Errors
    /// The engine could not go on.
    pub(super) async fn next(&mut self) -> Result<Batch, Ended> {
        self.stored.send_replace(self.taken);
        loop {
            if let Some(found) = self.take() {
                return found;
            }
            // A word that nobody waits for is kept.
            self.outbox.changed.notified().await;
        }
    }

    fn take(&mut self) -> Option<Result<Batch, Ended>> {
        let mut inner = self.outbox.inner();
        let end = match &inner.ended {
            Some(Ended::Well(end)) => Some(end.clone()),
            // A step that is over is stored nevertheless, and the next call hears of it.
            Some(_) | None if inner.cut > self.taken => None,
            Some(failed) => return Some(Err(failed.clone())),
            None => return None,
        };
        let entries = std::mem::take(&mut inner.entries);
        self.taken = inner.count;
        drop(inner);
        Some(Batch::new(entries, end).map_err(Ended::ForGood))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(text: &str) -> Entry {
        (String::new(), format!("{text:?}"))
    }

    async fn next(inbox: &mut Inbox) -> (Vec<String>, bool) {
        let mut batch = inbox.next().await.unwrap();
        (batch.take_entries().map(|(_, text)| text).collect(), batch.end.is_some())
    }

    #[tokio::test]
    async fn a_step_goes_on_when_the_one_before_is_stored() {
        let (outbox, mut inbox) = pair();
        assert!(outbox.stored().is_none());
        outbox.kept(entry("answered"), false);
        assert!(outbox.stored().is_none());
        outbox.kept(entry("over"), true);
        let stored = outbox.stored().unwrap();
        assert_eq!(next(&mut inbox).await, (vec!["\"answered\"".to_owned(), "\"over\"".to_owned()], false));
        let waits = tokio::spawn(stored);
        outbox.end(Ended::Well(End::Report(json!({}))));
        assert_eq!(next(&mut inbox).await, (vec![], true));
        assert!(waits.await.unwrap());
    }

    #[tokio::test]
    async fn who_waits_hears_that_nobody_stores() {
        let (outbox, inbox) = pair();
        outbox.kept(entry("over"), true);
        let stored = outbox.stored().unwrap();
        drop(inbox);
        assert!(!stored.await);
        outbox.forsaken().await;
    }

    #[tokio::test]
    async fn what_was_done_before_a_failure_is_stored_first() {
        let (outbox, mut inbox) = pair();
        outbox.kept(entry("over"), true);
        outbox.end(Ended::TryAgain("refused".into()));
        outbox.end(Ended::TryAgain("later".into()));
        assert_eq!(next(&mut inbox).await, (vec!["\"over\"".to_owned()], false));
        assert_eq!(inbox.next().await.unwrap_err(), Ended::TryAgain("refused".into()));
    }
}
