//! Table of MCP sessions: open streams, and requests whose clients may have disconnected.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rmcp::{model::RequestId, transport::streamable_http_server::SessionId};

#[derive(Default)]
pub(super) struct Known(Mutex<HashMap<SessionId, Session>>);

struct Session {
    seen: Instant,
    streams: usize,
    waiting: HashMap<RequestId, Waiting>,
}

/// A request without a response.
#[derive(Default)]
struct Waiting {
    /// Number of open streams that expect the response.
    streams: usize,
    /// Suffix that the ids of its events have in common.
    mark: Option<String>,
}

/// The suffix of an event id that identifies its request.
fn mark(event_id: &str) -> Option<&str> {
    event_id.split_once('/').map(|(_, mark)| mark)
}

impl Known {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self, id: &SessionId) {
        let session = Session { seen: Instant::now(), streams: 0, waiting: HashMap::new() };
        self.lock().insert(id.clone(), session);
    }

    /// Removes a session and returns its open requests.
    pub(super) fn end(&self, id: &SessionId) -> Vec<RequestId> {
        self.lock().remove(id).map(|session| session.waiting.into_keys().collect()).unwrap_or_default()
    }

    pub(super) fn see(&self, id: &SessionId) {
        if let Some(session) = self.lock().get_mut(id) {
            session.seen = Instant::now();
        }
    }

    /// Counts a stream; `request` is the one whose response it will carry.
    pub(super) fn open(&self, id: &SessionId, request: Option<&RequestId>) {
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(id) else { return };
        session.streams += 1;
        if let Some(request) = request {
            session.waiting.entry(request.clone()).or_default().streams += 1;
        }
    }

    /// Records the suffix of a request's event ids.
    pub(super) fn told(&self, id: &SessionId, request: &RequestId, event_id: &str) {
        let mut sessions = self.lock();
        let waiting = sessions.get_mut(id).and_then(|session| session.waiting.get_mut(request));
        if let Some(waiting) = waiting
            && waiting.mark.is_none()
        {
            waiting.mark = mark(event_id).map(str::to_owned);
        }
    }

    /// Finds the open request that an event belongs to.
    pub(super) fn request_of(&self, id: &SessionId, event_id: &str) -> Option<RequestId> {
        let wanted = mark(event_id)?;
        let sessions = self.lock();
        let mut waiting = sessions.get(id)?.waiting.iter();
        waiting.find(|(_, waiting)| waiting.mark.as_deref() == Some(wanted)).map(|(request, _)| request.clone())
    }

    pub(super) fn answered(&self, id: &SessionId, request: &RequestId) {
        if let Some(session) = self.lock().get_mut(id) {
            session.waiting.remove(request);
        }
    }

    /// Counts the end of a stream. Returns whether no other stream expects the response to `request`.
    pub(super) fn close(&self, id: &SessionId, request: Option<&RequestId>) -> bool {
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(id) else { return false };
        session.streams = session.streams.saturating_sub(1);
        session.seen = Instant::now();
        let Some(waiting) = request.and_then(|request| session.waiting.get_mut(request)) else { return false };
        waiting.streams = waiting.streams.saturating_sub(1);
        waiting.streams == 0
    }

    /// Removes a request if still no stream expects its response.
    pub(super) fn forsake(&self, id: &SessionId, request: &RequestId) -> bool {
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(id) else { return false };
        let is_forsaken = session.waiting.get(request).is_some_and(|waiting| waiting.streams == 0);
        is_forsaken && session.waiting.remove(request).is_some()
    }

    /// Sessions without open streams whose clients have sent nothing for the given time.
    pub(super) fn silent(&self, time: Duration) -> Vec<SessionId> {
        let sessions = self.lock();
        let silent = sessions.iter().filter(|(_, session)| session.streams == 0 && session.seen.elapsed() >= time);
        silent.map(|(id, _)| id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_abandoned_when_its_last_stream_closes() {
        let (known, id, request) = (Known::default(), SessionId::from("s"), RequestId::Number(1));
        known.begin(&id);
        known.open(&id, Some(&request));
        known.told(&id, &request, "0/7");
        assert!(known.silent(Duration::ZERO).is_empty());
        assert!(known.close(&id, Some(&request)));
        assert_eq!(known.request_of(&id, "3/7"), Some(request.clone()));
        assert_eq!(known.request_of(&id, "3/8"), None);
        known.open(&id, Some(&request));
        assert!(!known.forsake(&id, &request), "another stream expects the response");
        assert!(known.close(&id, Some(&request)));
        assert!(known.forsake(&id, &request));
        assert!(!known.forsake(&id, &request));
        assert_eq!(known.silent(Duration::ZERO), std::slice::from_ref(&id));
        assert!(known.end(&id).is_empty());
    }

    #[test]
    fn an_answered_request_is_not_abandoned() {
        let (known, id, request) = (Known::default(), SessionId::from("s"), RequestId::Number(1));
        known.begin(&id);
        known.open(&id, Some(&request));
        known.answered(&id, &request);
        assert!(!known.close(&id, Some(&request)));
        known.open(&id, Some(&request));
        assert_eq!(known.end(&id), [request]);
    }
}
