//! The logs of a run, as the step loop uses them.

use std::{future::ready, rc::Rc};

use serde_json::{Map, Value};

use super::{JournalState, Recorder};
use crate::journal::file::Journal;
use lmthing_base::checkpoint::{Checkpoints, Entry, HeldCall, PlayedTurn, Restored, StoreError, StoredFuture};

impl Checkpoints for Recorder {
    fn is_on(&self) -> bool {
        // Also after a failure, which the next append must return.
        !matches!(&*self.state.borrow(), JournalState::Undecided | JournalState::Off)
    }

    fn append(&self, key: &str, entry: Entry) -> StoredFuture<'static> {
        self.begin();
        match self.is_in_journal() {
            true => self.write_entry(key, entry),
            false => Box::pin(ready(Ok(()))),
        }
    }

    fn stored(&self) -> Option<StoredFuture<'static>> {
        self.mirror.as_ref()?.stored()
    }

    fn restored(&self, key: &str) -> Option<Rc<Restored>> {
        self.earlier().restored(key, &mut self.record.borrow_mut())
    }

    fn configure(&self, asked: Option<bool>) -> StoredFuture<'_> {
        Box::pin(async move {
            let is_optional = asked.is_none() && matches!(&*self.state.borrow(), JournalState::Undecided);
            match self.open_and_begin(asked).await {
                Err(error) if is_optional => {
                    self.state.replace(JournalState::Off);
                    let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                    self.warn(format!("this run is not written down: {}{hint}", error.message));
                }
                begun => begun?,
            }
            let mut state = self.state.borrow_mut();
            if matches!(&*state, JournalState::Undecided | JournalState::Off) {
                *state = JournalState::Off;
                self.buffer.take();
                self.start.borrow_mut().input.take();
            }
            Ok(())
        })
    }

    fn store_input(&self, input: Map<String, Value>) {
        self.start.borrow_mut().input = Some(input);
    }

    fn holds_secret(&self, text: &str) -> bool {
        self.secrets.contain_secret(text)
    }

    fn held(&self) -> Vec<HeldCall> {
        self.earlier().held.clone()
    }

    fn last_serial(&self) -> usize {
        self.earlier().last_serial
    }

    fn why_not_resumable(&self) -> Option<String> {
        self.start.borrow().not_resumable.clone()
    }

    fn played(&self, mock: usize) -> Vec<usize> {
        let mut played = self.earlier().played(mock);
        let noted = self.played.borrow();
        played.extend(
            noted
                .iter()
                .filter(|(of, turn)| *of == mock && !played.contains(turn))
                .map(|(_, turn)| *turn)
                .collect::<Vec<_>>(),
        );
        played
    }

    fn note_played(&self, PlayedTurn { mock, turn }: PlayedTurn) {
        self.played.borrow_mut().extend(mock.map(|mock| (mock, turn)));
    }
}

impl Recorder {
    /// Opens the journal if the run has to be or can be written, and enters the run. Without a setting in `config`, a run is
    /// written if the journal already exists.
    async fn open_and_begin(&self, asked: Option<bool>) -> Result<(), StoreError> {
        let is_undecided = matches!(&*self.state.borrow(), JournalState::Undecided);
        if is_undecided && asked == Some(true) {
            self.open_required().await?;
        } else if is_undecided && asked.is_none() && self.path.exists() {
            let path = self.path.clone();
            self.open(move || Journal::open(&path)).await?;
        }
        self.begin();
        self.flush(|notice| self.warn(notice)).await
    }
}
