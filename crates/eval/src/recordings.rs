//! The recording of an eval file, in place of models (docs/reference/eval.md).

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use super::scores::JudgeExchanges;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::bindings::Exchanges;
use lmthing_map::{AnswerSource, UnitAnswers};
use lmthing_providers::Redactor;
use lmthing_testing::{CellRecording, Finished, Mode, RecordingStore, recording_of};

/// `NAME.eval.recording.json`, for all cells and judges.
pub(crate) struct EvalRecordings {
    store: Arc<RecordingStore>,
    mode: Mode,
    file: PathBuf,
    shown_file: PathBuf,
    /// For each cell, the number of earlier ones with equal requests.
    turns: OnceLock<Vec<u32>>,
    next_write: Mutex<Instant>,
}

/// How often the recording is written while cells are asked.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);

impl EvalRecordings {
    /// `None` if models are asked: with `--live`, and without a recording that is to be made.
    pub(crate) fn new(file: &Path, shown_file: &str, mode: Mode) -> Option<Arc<Self>> {
        let is_used = match mode {
            Mode::Live => false,
            Mode::Replay => recording_of(file).exists(),
            Mode::Record | Mode::RecordAll => true,
        };
        is_used.then(|| {
            Arc::new(EvalRecordings {
                store: RecordingStore::new(mode),
                mode,
                file: file.to_owned(),
                shown_file: PathBuf::from(shown_file),
                turns: OnceLock::new(),
                next_write: Mutex::new(Instant::now() + WRITE_INTERVAL),
            })
        })
    }

    pub(crate) fn is_recording(&self) -> bool {
        matches!(self.mode, Mode::Record | Mode::RecordAll)
    }

    /// Lets equal requests of several cells have answers of their own. Called before the cells are run.
    pub(crate) fn set_turns(&self, turns: Vec<u32>) {
        let _ = self.turns.set(turns);
    }

    pub(crate) fn of_judges(self: &Arc<Self>) -> JudgeExchanges {
        let own = self.clone();
        Box::new(move |redactor| own.store.of_judges(&own.file, &own.shown_file, redactor))
    }

    /// Writes what was recorded so far, from time to time: it is paid for, whatever ends the process.
    pub(crate) fn keep(&self) {
        let begun = Instant::now();
        let mut next_write = self.next_write.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_recording() && begun >= *next_write {
            self.store.eval_ended(&self.file, &self.shown_file, false);
            // A large recording takes a small part of the time only.
            *next_write = Instant::now() + WRITE_INTERVAL.max(20 * begun.elapsed());
        }
    }

    /// Writes what was recorded. `is_whole`: everything that the eval asks was asked.
    pub(crate) fn finish(&self, is_whole: bool) -> Finished {
        if self.is_recording() {
            self.store.eval_ended(&self.file, &self.shown_file, is_whole);
        }
        self.store.finish()
    }
}

impl AnswerSource for EvalRecordings {
    fn begin(&self, number: u64, redactor: &Redactor) -> Result<Box<dyn UnitAnswers>, Box<Diagnostic>> {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        let turn = self.turns.get().and_then(|turns| turns.get(index.saturating_sub(1))).copied().unwrap_or_default();
        let recording = self.store.of_cell((&self.file, &self.shown_file), (index, turn as usize), redactor)?;
        Ok(Box::new(CellAnswers(recording)))
    }
}

struct CellAnswers(CellRecording);

impl UnitAnswers for CellAnswers {
    fn exchanges(&self) -> Exchanges {
        self.0.exchanges()
    }

    fn ended(&self, is_good: bool) {
        self.0.ended(is_good);
    }
}
