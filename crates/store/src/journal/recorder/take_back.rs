//! Takes back turns of a conversation, so that it continues from before them in the same run.

use std::rc::Rc;

use super::Recorder;
use crate::journal::{earlier_run::EarlierRun, file::Journal, runs::RunInfo};
use lmthing_base::{
    checkpoint::{Checkpoints, Entry, StoreError, restore},
    event::KnownRequests,
};

/// How much of a conversation is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// The last message of the user, with all that followed.
    Message,
    /// All that followed the last message of the user. Without one, all that followed those of the file.
    Answer,
}

impl Recorder {
    /// Takes back the end of the conversation. The run has to be loaded again after that. Returns the step from which on
    /// steps were taken back; `None` if there is nothing to take back.
    ///
    /// # Errors
    /// The journal cannot be written or read.
    pub async fn take_back(&self, what: TakenBack) -> Result<Option<usize>, StoreError> {
        self.flush(|_| {}).await?;
        let (journal, run) = self.own_run()?;
        let log = journal.logs(&run, None)?.remove("").unwrap_or_default();
        let said = log.iter().rposition(|entry| matches!(entry, Entry::Said { .. }));
        let entries = match (what, said) {
            (TakenBack::Message, Some(said)) => said,
            (TakenBack::Answer, Some(said)) => said + 1,
            (TakenBack::Answer, None) if !log.is_empty() => 0,
            _ => return Ok(None),
        };
        let step = restore(log.into_iter().take(entries), None).next_step();
        self.append("", Entry::TakenBack { entries, step }).await?;
        let (journal, run) = self.own_run()?;
        let earlier = EarlierRun::read(&journal, &run, None)?;
        self.earlier.replace(Rc::new(earlier));
        // Set again as far as there is a conversation left.
        self.record.borrow_mut().set_seen(0, KnownRequests::default());
        Ok(Some(step))
    }

    /// Through a connection of its own, as the writer has the other.
    fn own_run(&self) -> Result<(Journal, RunInfo), StoreError> {
        let journal = Journal::open(&self.path)?;
        let run = journal.find(&self.run())?;
        Ok((journal, run))
    }

    /// The input of the file, as it was read.
    pub fn input(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        self.start.borrow().input.clone()
    }
}
