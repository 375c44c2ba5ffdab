//! Channel between an engine on its thread and the invocation that stores its entries.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use super::batch::{Batch, End, Entry};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum AttemptEnd {
    Finished(End),
    /// Another attempt may succeed. Holds the reason.
    Retry(String),
    /// No attempt can succeed. Holds the failure kind as in reports, and the message.
    Fatal(&'static str, String),
}

/// The sending half, used by the engine.
pub(super) struct Outbox {
    inner: Mutex<Inner>,
    changed: Notify,
    stored: watch::Receiver<usize>,
}

/// Positions count entries from the start of the run.
#[derive(Default)]
struct Inner {
    /// Position of the first entry of this engine.
    first: usize,
    /// All entries of this engine, as a batch may be lost after it was taken.
    entries: Vec<Entry>,
    /// Position after the last complete step.
    completed: usize,
    ended: Option<AttemptEnd>,
}

impl Inner {
    fn next(&self) -> usize {
        self.first + self.entries.len()
    }
}

/// The receiving half, used by the invocation. The engine stops after it is dropped, as nothing is stored any more.
pub(super) struct Inbox {
    outbox: Arc<Outbox>,
    stored: watch::Sender<usize>,
    /// Position after the last entry that was taken.
    handed_out: usize,
}

/// Creates a channel for a run of which `stored` entries are stored.
pub(super) fn channel(stored: usize) -> (Arc<Outbox>, Inbox) {
    let (sender, receiver) = watch::channel(stored);
    let inner = Inner { first: stored, ..Inner::default() };
    let outbox = Arc::new(Outbox { inner: Mutex::new(inner), changed: Notify::new(), stored: receiver });
    (outbox.clone(), Inbox { outbox, stored: sender, handed_out: stored })
}

impl Outbox {
    /// Adds an entry. `is_over` marks the end of a step.
    pub(super) fn push(&self, entry: Entry, is_over: bool) {
        let mut inner = self.inner();
        inner.entries.push(entry);
        if is_over {
            inner.completed = inner.next();
            drop(inner);
            self.changed.notify_one();
        }
    }

    /// Reports the end of the engine. The first outcome wins.
    pub(super) fn end(&self, ended: AttemptEnd) {
        self.inner().ended.get_or_insert(ended);
        self.changed.notify_one();
    }

    /// Resolves to `true` once all complete steps are stored, to `false` if the inbox is gone. `None` if they are
    /// stored already.
    pub(super) fn stored(&self) -> Option<impl Future<Output = bool> + use<>> {
        let completed = self.inner().completed;
        let mut stored = self.stored.clone();
        // Checked first, as it holds even if the inbox is gone.
        if *stored.borrow() >= completed {
            return None;
        }
        Some(async move { stored.wait_for(|stored| *stored >= completed).await.is_ok() })
    }

    /// Resolves when the inbox is dropped.
    pub(super) async fn abandoned(&self) {
        let mut stored = self.stored.clone();
        while stored.changed().await.is_ok() {}
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inbox {
    /// Waits for the end of a step or of the run and returns the new entries. Calling it confirms that the previous
    /// batch is stored.
    pub(super) async fn next(&mut self) -> Result<Batch, AttemptEnd> {
        self.stored.send_replace(self.handed_out);
        loop {
            if let Some(batch) = self.take() {
                return batch;
            }
            // `Notify` remembers one notification, so none is missed.
            self.outbox.changed.notified().await;
        }
    }

    fn take(&mut self) -> Option<Result<Batch, AttemptEnd>> {
        let inner = self.outbox.inner();
        let end = match &inner.ended {
            Some(AttemptEnd::Finished(end)) => Some(end.clone()),
            // Entries of a complete step are stored first; the next call returns the failure.
            Some(_) | None if inner.completed > self.handed_out => None,
            Some(failed) => return Some(Err(failed.clone())),
            None => return None,
        };
        let entries = inner.entries[self.handed_out - inner.first..].to_vec();
        self.handed_out = inner.next();
        drop(inner);
        Some(Batch::new(entries, end).map_err(|error| AttemptEnd::Fatal("journal", error.to_string())))
    }

    /// Continues for another attempt, from the entries in `stored`. Fails if they differ from this engine's, or if the
    /// engine has failed.
    pub(super) fn take_over(&mut self, stored: &[Entry]) -> bool {
        let inner = self.outbox.inner();
        // A run that waits for approvals continues in a new engine.
        let is_at_work = matches!(inner.ended, None | Some(AttemptEnd::Finished(End::Report(_))));
        let own = stored.get(inner.first..);
        let is_same = own.is_some_and(|own| inner.entries.get(..own.len()).is_some_and(|written| written == own));
        if is_at_work && is_same {
            self.handed_out = stored.len();
        }
        is_at_work && is_same
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
        let (outbox, mut inbox) = channel(0);
        assert!(outbox.stored().is_none());
        outbox.push(entry("answered"), false);
        assert!(outbox.stored().is_none());
        outbox.push(entry("over"), true);
        let stored = outbox.stored().unwrap();
        assert_eq!(next(&mut inbox).await, (vec!["\"answered\"".to_owned(), "\"over\"".to_owned()], false));
        let waits = tokio::spawn(stored);
        outbox.end(AttemptEnd::Finished(End::Report(json!({}))));
        assert_eq!(next(&mut inbox).await, (vec![], true));
        assert!(waits.await.unwrap());
    }

    #[tokio::test]
    async fn waiting_ends_when_the_inbox_is_dropped() {
        let (outbox, inbox) = channel(0);
        outbox.push(entry("over"), true);
        let stored = outbox.stored().unwrap();
        drop(inbox);
        assert!(!stored.await);
        outbox.abandoned().await;
    }

    #[tokio::test]
    async fn another_attempt_takes_over_a_matching_history() {
        let (outbox, mut inbox) = channel(1);
        let before = entry("before");
        outbox.push(entry("one"), true);
        assert_eq!(next(&mut inbox).await, (vec!["\"one\"".to_owned()], false));
        outbox.push(entry("two"), true);
        // The batch was lost.
        assert!(inbox.take_over(std::slice::from_ref(&before)));
        assert_eq!(next(&mut inbox).await, (vec!["\"one\"".to_owned(), "\"two\"".to_owned()], false));
        assert!(inbox.take_over(&[before.clone(), entry("one")]));
        assert_eq!(next(&mut inbox).await, (vec!["\"two\"".to_owned()], false));
        for other in
            [&[][..], &[before.clone(), entry("other")], &[before.clone(), entry("one"), entry("two"), entry("three")]]
        {
            assert!(!inbox.take_over(other), "{other:?}");
        }
        let (waiting, mut inbox_of_waiting) = channel(0);
        waiting.end(AttemptEnd::Finished(End::Waits(Vec::new())));
        assert!(!inbox_of_waiting.take_over(&[]));
        outbox.end(AttemptEnd::Retry("refused".into()));
        assert!(!inbox.take_over(&[before, entry("one")]));
    }

    #[tokio::test]
    async fn entries_before_a_failure_are_stored_first() {
        let (outbox, mut inbox) = channel(0);
        outbox.push(entry("over"), true);
        outbox.end(AttemptEnd::Retry("refused".into()));
        outbox.end(AttemptEnd::Retry("later".into()));
        assert_eq!(next(&mut inbox).await, (vec!["\"over\"".to_owned()], false));
        assert_eq!(inbox.next().await.unwrap_err(), AttemptEnd::Retry("refused".into()));
    }
}
