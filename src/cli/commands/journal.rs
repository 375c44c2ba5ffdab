//! The journal of a run as the command line has it: where it is, what the run was started with, what it means for the end of
//! the run when it cannot be written. Must not know what is written.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use serde_json::Value;

use crate::{
    checkpoint::StoreError,
    cli::{ExitCode, args::RunArgs, failure::Ending, show::Show},
    diagnostic::Diagnostic,
    journal::{JOURNAL_VARIABLE, Recorder, Secrets, Start, place},
    provider::Redactor,
};

/// The secrets of a run, as the journal asks for them.
pub(super) struct RunSecrets(pub(super) Redactor);

impl Secrets for RunSecrets {
    fn replace(&self, value: &mut Value) {
        self.0.apply_json(value);
    }

    fn are_in(&self, text: &str) -> bool {
        self.0.finds(text)
    }
}

/// Where the journal is. `typed` is what `--journal` says.
pub(super) fn path(typed: Option<&Path>, variables: &[(String, String)], directory: &Path) -> PathBuf {
    let variable = variables.iter().find(|(name, _)| name == JOURNAL_VARIABLE);
    place(typed, variable.map(|(_, value)| value.as_str()), directory)
}

/// What writes down a run, if somebody wants it.
pub(super) struct RunJournal {
    pub(super) recorder: Rc<Recorder>,
}

impl RunJournal {
    /// Reads the events of a run from now on.
    pub(super) fn new(
        args: &RunArgs,
        variables: &[(String, String)],
        directory: &Path,
        redactor: &Redactor,
        show: &Show,
    ) -> Self {
        let typed = args.journal.as_ref().and_then(Option::as_deref);
        let secrets = Rc::new(RunSecrets(redactor.clone()));
        let recorder = Rc::new(Recorder::new(path(typed, variables, directory), secrets));
        recorder.read(&show.events);
        RunJournal { recorder }
    }

    /// The last look before the end of a run is told: one that could not be written down has not gone well.
    pub(super) fn ending(&self, ending: Ending) -> Ending {
        if ending.is_unread {
            self.recorder.set_cut_off();
        }
        match self.recorder.flush() {
            Err(error) if ending.code == ExitCode::Done => Ending::of_journal(diagnostic(error)),
            _ => ending,
        }
    }

    /// The end could not be written down, though everything before it was.
    pub(super) fn problem(&self) -> Option<Diagnostic> {
        self.recorder.flush().err().map(diagnostic)
    }
}

fn diagnostic(error: StoreError) -> Diagnostic {
    Diagnostic { hint: error.hint, ..Diagnostic::new(error.message) }
}

/// What a run was started with.
pub(super) fn start(args: &RunArgs, file: &Path, argv: Vec<String>) -> Start {
    let directory = std::env::current_dir().unwrap_or_default();
    let absolute = |path: &PathBuf| text(&directory.join(path));
    let replayed = args.replay.as_ref().map(|_| "its answers are those of a recording".to_owned());
    Start {
        file: text(file),
        shown: args.file().display().to_string(),
        directory: text(&directory),
        // The first two are the program and the file.
        words: argv.get(2..).unwrap_or_default().to_vec(),
        argv,
        model: args.model.clone(),
        mock: args.mock.as_ref().map(absolute),
        env_files: args.env_file.iter().map(absolute).collect(),
        not_resumable: replayed,
        ..Start::default()
    }
}

/// A path that can be written down; what is no Unicode in it is lost.
fn text(path: &Path) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}
