//! `--record` and `--replay` (docs/reference/recordings.md).

use std::{
    io,
    path::{Path, PathBuf},
    rc::Rc,
};

use crate::cli::{args::RunArgs, commands::prompt_file::is_prompt_file, failure::io_error_text};
use lmthing_base::diagnostic::{Diagnostic, did_you_mean, ends_in_json};
use lmthing_engine::bindings::Exchanges;
use lmthing_providers::{InvalidRecording, Recording, RecordingOutcome, Redactor, Replay};
use lmthing_system::user_file::{self, MAX_TEXT};

pub(in crate::cli) struct RunRecording {
    pub(super) exchanges: Exchanges,
    path: PathBuf,
}

impl RunRecording {
    /// Errors are reported before a request costs anything.
    pub(super) fn open(args: &RunArgs, redactor: &Redactor) -> anyhow::Result<Self> {
        let redactor = redactor.clone();
        let (path, exchanges) = match (&args.record, &args.replay) {
            (Some(path), _) => (path.clone(), Exchanges::Record(record(path, redactor)?)),
            (None, Some(path)) => (path.clone(), Exchanges::Replay(replay(path, redactor)?)),
            (None, None) => (PathBuf::new(), Exchanges::Live),
        };
        Ok(RunRecording { exchanges, path })
    }

    /// Moves a finished recording into place. Returns a warning, if any. `fits` is false if a mismatch with the recording
    /// ended the run.
    pub(in crate::cli) fn close(&self, ended_well: bool, fits: bool) -> Option<String> {
        let shown = self.path.display();
        match &self.exchanges {
            Exchanges::Live | Exchanges::Tested(_) => None,
            // A mismatch was reported already.
            Exchanges::Replay(replay) => replay.unused().filter(|_| fits),
            Exchanges::Record(recording) => match recording.finish(ended_well) {
                Ok(RecordingOutcome::Saved | RecordingOutcome::Empty) => None,
                Ok(RecordingOutcome::Incomplete) => {
                    Some(format!("the run did not end well; {shown} holds what came before that"))
                }
                Ok(RecordingOutcome::Partial(partial)) => Some(format!(
                    "the run did not end well, so {shown} stays as it was; what was recorded is in {}",
                    partial.display()
                )),
                Err(error) => Some(format!("the recording {shown} could not be put in its place: {error}")),
            },
        }
    }
}

fn record(path: &Path, redactor: Redactor) -> anyhow::Result<Rc<Recording>> {
    let shown = path.display();
    // The user has probably meant the file to run.
    if is_prompt_file(path) {
        return Err(Diagnostic::new(format!("{shown} is a prompt file, not a place for a recording"))
            .with_hint("name a file to write before the prompt file: lmthing run --record run.json FILE")
            .into());
    }
    let recording = Recording::create(path, redactor).map_err(|error| {
        let failure = Diagnostic::new(format!("cannot write the recording {shown}: {}", io_error_text(&error)));
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder.filter(|folder| !folder.exists()) {
            Some(folder) => failure.with_hint(format!("make the folder {} first", folder.display())),
            None => failure,
        }
    });
    Ok(recording?)
}

fn replay(path: &Path, redactor: Redactor) -> anyhow::Result<Rc<Replay>> {
    let shown = path.display();
    let bytes = user_file::read(path, MAX_TEXT).map_err(|error| {
        let failure = Diagnostic::new(format!("cannot read the recording {shown}: {}", io_error_text(&error)));
        let partial = PathBuf::from(format!("{shown}.partial"));
        match error.kind() {
            io::ErrorKind::NotFound if partial.exists() => {
                failure.with_hint(format!("a run that did not end well has left {}", partial.display()))
            }
            io::ErrorKind::NotFound => {
                let written = || format!("write it with: lmthing run --record {shown} FILE");
                failure.with_hint(did_you_mean(path, ends_in_json).unwrap_or_else(written))
            }
            _ => failure,
        }
    })?;
    let text = String::from_utf8(bytes).map_err(InvalidRecording::from);
    let replay = text.and_then(|text| Replay::parse(&text, redactor)).map_err(|what| {
        Diagnostic::new(format!("{shown} is no recording: {what}"))
            .with_hint("recordings are what this writes: lmthing run --record run.json FILE")
    });
    Ok(replay?)
}
