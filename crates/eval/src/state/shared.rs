//! The state for two threads: that of the command, and that of the scores, which stores verdicts.

use std::sync::{Arc, Mutex, PoisonError};

use super::database::{State, StateResult};
use lmthing_base::diagnostic::Diagnostic;

/// Empty until the state is opened. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedState(Arc<Mutex<Option<State>>>);

impl SharedState {
    pub(crate) fn set(&self, state: State) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(state);
    }

    pub(crate) fn with<T>(&self, work: impl FnOnce(&State) -> StateResult<T>) -> StateResult<T> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(state) => work(state),
            None => Err(Box::new(Diagnostic::new("the answers are not open"))),
        }
    }

    pub(crate) fn close(&self) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        state.into_iter().for_each(State::close);
    }
}
