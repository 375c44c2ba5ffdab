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
    /// No attempt will: the kind of the failure, as reports have it, and why.
    ForGood(&'static str, String),
}

/// The engine's end.
pub(super) struct Outbox {
    inner: Mutex<Inner>,
    changed: Notify,
    stored: watch::Receiver<usize>,
}

/// Entries are counted through the whole run.
#[derive(Default)]
struct Inner {
    /// The first that this engine has written.
    first: usize,
    /// All that it has written: what was handed out may have been lost on its way.
    entries: Vec<Entry>,
    /// The one behind the last step that is over.
    cut: usize,
    ended: Option<Ended>,
}

impl Inner {
    /// The next that will be written.
    fn next(&self) -> usize {
        self.first + self.entries.len()
    }
}

/// The handler's end. When it is dropped, nobody stores anything any more.
pub(super) struct Inbox {
    outbox: Arc<Outbox>,
    stored: watch::Sender<usize>,
    /// The one behind the last that was handed out.
    taken: usize,
}

/// A pair for a run of which so many entries are stored.
pub(super) fn pair(stored: usize) -> (Arc<Outbox>, Inbox) {
    let (told, heard) = watch::channel(stored);
    let inner = Inner { first: stored, ..Inner::default() };
    let outbox = Arc::new(Outbox { inner: Mutex::new(inner), changed: Notify::new(), stored: heard });
    (outbox.clone(), Inbox { outbox, stored: told, taken: stored })
}

impl Outbox {
    /// An entry was written. `is_over` says that a step is over with it.
    pub(super) fn kept(&self, entry: Entry, is_over: bool) {
        let mut inner = self.inner();
        inner.entries.push(entry);
        if is_over {
            inner.cut = inner.next();
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
        let inner = self.outbox.inner();
        let end = match &inner.ended {
            Some(Ended::Well(end)) => Some(end.clone()),
            // A step that is over is stored nevertheless, and the next call hears of it.
            Some(_) | None if inner.cut > self.taken => None,
            Some(failed) => return Some(Err(failed.clone())),
            None => return None,
        };
        let entries = inner.entries[self.taken - inner.first..].to_vec();
        self.taken = inner.next();
        drop(inner);
        Some(Batch::new(entries, end).map_err(|why| Ended::ForGood("journal", why)))
    }

    /// Goes on for another attempt, if all that is stored of the run is what the engine has begun with or has written itself. One
    /// that could not go on does not go on for anybody.
    pub(super) fn is_taken_over(&mut self, stored: &[Entry]) -> bool {
        let inner = self.outbox.inner();
        // One that waits for decisions goes on with them, in another engine.
        let is_at_work = matches!(inner.ended, None | Some(Ended::Well(End::Report(_))));
        let own = stored.get(inner.first..);
        let is_same = own.is_some_and(|own| inner.entries.get(..own.len()).is_some_and(|written| written == own));
        if is_at_work && is_same {
            self.taken = stored.len();
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
        let (outbox, mut inbox) = pair(0);
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
        let (outbox, inbox) = pair(0);
        outbox.kept(entry("over"), true);
        let stored = outbox.stored().unwrap();
        drop(inbox);
        assert!(!stored.await);
        outbox.forsaken().await;
    }

    #[tokio::test]
    async fn another_attempt_takes_over_what_is_of_the_same_history() {
        let (outbox, mut inbox) = pair(1);
        let before = entry("before");
        outbox.kept(entry("one"), true);
        assert_eq!(next(&mut inbox).await, (vec!["\"one\"".to_owned()], false));
        outbox.kept(entry("two"), true);
        // What was handed out was lost on its way.
        assert!(inbox.is_taken_over(std::slice::from_ref(&before)));
        assert_eq!(next(&mut inbox).await, (vec!["\"one\"".to_owned(), "\"two\"".to_owned()], false));
        assert!(inbox.is_taken_over(&[before.clone(), entry("one")]));
        assert_eq!(next(&mut inbox).await, (vec!["\"two\"".to_owned()], false));
        for other in
            [&[][..], &[before.clone(), entry("other")], &[before.clone(), entry("one"), entry("two"), entry("three")]]
        {
            assert!(!inbox.is_taken_over(other), "{other:?}");
        }
        let (waiting, mut inbox_of_waiting) = pair(0);
        waiting.end(Ended::Well(End::Waits(Vec::new())));
        assert!(!inbox_of_waiting.is_taken_over(&[]));
        outbox.end(Ended::TryAgain("refused".into()));
        assert!(!inbox.is_taken_over(&[before, entry("one")]));
    }

    #[tokio::test]
    async fn what_was_done_before_a_failure_is_stored_first() {
        let (outbox, mut inbox) = pair(0);
        outbox.kept(entry("over"), true);
        outbox.end(Ended::TryAgain("refused".into()));
        outbox.end(Ended::TryAgain("later".into()));
        assert_eq!(next(&mut inbox).await, (vec!["\"over\"".to_owned()], false));
        assert_eq!(inbox.next().await.unwrap_err(), Ended::TryAgain("refused".into()));
    }
}
