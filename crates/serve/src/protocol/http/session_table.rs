//! Table of MCP sessions: open streams, and requests whose clients may have disconnected.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rmcp::{model::RequestId, transport::streamable_http_server::SessionId};

#[derive(Default)]
pub(super) struct SessionTable(Mutex<HashMap<SessionId, Session>>);

struct Session {
    seen: Instant,
    streams: usize,
    waiting: HashMap<RequestId, OpenRequest>,
}

#[derive(Default)]
struct OpenRequest {
    streams: usize,
    /// Suffix that the ids of its events have in common.
    suffix: Option<String>,
}

/// The suffix of an event id that identifies its request.
fn suffix(event_id: &str) -> Option<&str> {
    event_id.split_once('/').map(|(_, suffix)| suffix)
}

impl SessionTable {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self, id: &SessionId) {
        let session = Session { seen: Instant::now(), streams: 0, waiting: HashMap::new() };
        self.lock().insert(id.clone(), session);
    }

    pub(super) fn end(&self, id: &SessionId) -> Vec<RequestId> {
        self.lock().remove(id).map(|session| session.waiting.into_keys().collect()).unwrap_or_default()
    }

    pub(super) fn touch(&self, id: &SessionId) {
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

    pub(super) fn saw_event(&self, id: &SessionId, request: &RequestId, event_id: &str) {
        let mut sessions = self.lock();
        let waiting = sessions.get_mut(id).and_then(|session| session.waiting.get_mut(request));
        if let Some(waiting) = waiting
            && waiting.suffix.is_none()
        {
            waiting.suffix = suffix(event_id).map(str::to_owned);
        }
    }

    /// Finds the open request that an event belongs to.
    pub(super) fn request_of(&self, id: &SessionId, event_id: &str) -> Option<RequestId> {
        let wanted = suffix(event_id)?;
        let sessions = self.lock();
        let mut waiting = sessions.get(id)?.waiting.iter();
        waiting.find(|(_, waiting)| waiting.suffix.as_deref() == Some(wanted)).map(|(request, _)| request.clone())
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
    pub(super) fn remove_abandoned(&self, id: &SessionId, request: &RequestId) -> bool {
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(id) else { return false };
        let is_abandoned = session.waiting.get(request).is_some_and(|waiting| waiting.streams == 0);
        is_abandoned && session.waiting.remove(request).is_some()
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
        let (table, id, request) = (SessionTable::default(), SessionId::from("s"), RequestId::Number(1));
        table.begin(&id);
        table.open(&id, Some(&request));
        table.saw_event(&id, &request, "0/7");
        assert!(table.silent(Duration::ZERO).is_empty());
        assert!(table.close(&id, Some(&request)));
        assert_eq!(table.request_of(&id, "3/7"), Some(request.clone()));
        assert_eq!(table.request_of(&id, "3/8"), None);
        table.open(&id, Some(&request));
        assert!(!table.remove_abandoned(&id, &request), "another stream expects the response");
        assert!(table.close(&id, Some(&request)));
        assert!(table.remove_abandoned(&id, &request));
        assert!(!table.remove_abandoned(&id, &request));
        assert_eq!(table.silent(Duration::ZERO), std::slice::from_ref(&id));
        assert!(table.end(&id).is_empty());
    }

    #[test]
    fn an_answered_request_is_not_abandoned() {
        let (table, id, request) = (SessionTable::default(), SessionId::from("s"), RequestId::Number(1));
        table.begin(&id);
        table.open(&id, Some(&request));
        table.answered(&id, &request);
        assert!(!table.close(&id, Some(&request)));
        table.open(&id, Some(&request));
        assert_eq!(table.end(&id), [request]);
    }
}
