//! All recordings of a `lmthing test`, for all of its threads.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    Mode,
    recording::SharedRecording,
    tested_file::TestedFile,
    write::{self, Finished},
};

pub struct RecordingStore {
    pub(super) mode: Mode,
    recordings: Mutex<BTreeMap<PathBuf, Arc<SharedRecording>>>,
    /// By file, whether it has ended whole.
    ended: Mutex<BTreeMap<Arc<Path>, bool>>,
}

impl RecordingStore {
    pub fn new(mode: Mode) -> Arc<RecordingStore> {
        Arc::new(RecordingStore { mode, recordings: Mutex::default(), ended: Mutex::default() })
    }

    /// Writes the recordings that have changed. Call it once, after all files have ended or the run was interrupted:
    /// exchanges are dropped only if all files that use the recording have ended whole.
    pub fn finish(&self) -> Finished {
        let recordings: Vec<_> = self.recordings().values().cloned().collect();
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut finished = Finished::default();
        for recording in recordings {
            write::finish(&recording, self.mode, &ended, &mut finished);
        }
        finished
    }

    pub fn is_recording(&self) -> bool {
        self.mode.is_recording()
    }

    pub fn files(&self) -> Vec<PathBuf> {
        self.recordings().keys().cloned().collect()
    }

    pub(super) fn recording(&self, path: &Path) -> Arc<SharedRecording> {
        self.recordings().entry(canonical(path)).or_insert_with_key(|path| SharedRecording::new(path)).clone()
    }

    fn recordings(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<SharedRecording>>> {
        self.recordings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn file_ended(&self, file: &TestedFile, whole: bool) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(file.path.clone(), whole);
        let recordings: Vec<_> = self.recordings().values().cloned().collect();
        if self.mode.is_recording() {
            // Written now, so that paid answers survive the end of the process.
            recordings.iter().for_each(|recording| write::write_new(recording, self.mode, file));
        }
        if whole && !file.is_prompt && self.mode != Mode::Live && file.own.exists() {
            // It may contain exchanges that are not needed any more.
            let recording = self.recording(&file.own);
            if recording.read(false).is_ok()
                && let Some(mut recording) = recording.lock()
            {
                recording.users.insert(file.path.clone());
            }
        }
    }
}

/// The canonical path of a file that may not exist.
fn canonical(path: &Path) -> PathBuf {
    let in_parent = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(in_parent).unwrap_or_else(|| path.to_owned())
}
