//! The journal of a run as the command line has it: where it is, what the run was started with, what it means for the end of
//! the run when it cannot be written. Must not know what is written.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

use serde_json::{Map, Value, json};

use crate::{
    checkpoint::StoreError,
    cli::{ExitCode, args::RunArgs, before::Before, failure::Ending, permission_args::PERMISSIONS, show::Show},
    cost::RunUsage,
    diagnostic::Diagnostic,
    journal::{EarlierRun, JOURNAL_VARIABLE, Journal, Recorder, RunInfo, RunStart, SecretFilter, journal_path},
    provider::Redactor,
};

/// The secrets of a run, as the journal asks for them.
pub(super) struct RunSecrets(pub(super) Redactor);

impl SecretFilter for RunSecrets {
    fn replace(&self, value: &mut Value) {
        self.0.apply_json(value);
    }

    fn contain_secret(&self, text: &str) -> bool {
        self.0.finds(text)
    }
}

/// Where the journal is. `typed` is what `--journal` says.
pub(super) fn path(typed: Option<&Path>, variables: &[(String, String)], directory: &Path) -> PathBuf {
    let variable = variables.iter().find(|(name, _)| name == JOURNAL_VARIABLE);
    journal_path(typed, variable.map(|(_, value)| value.as_str()), directory)
}

/// A run that an earlier process has left, and where it goes on.
pub(super) struct Left {
    pub(super) journal: Journal,
    pub(super) run: RunInfo,
    pub(super) start: RunStart,
    /// The step that a new run begins with which has everything before it; without it the run itself goes on.
    pub(super) back_to: Option<usize>,
    pub(super) earlier: EarlierRun,
}

/// A run that goes on.
pub(super) struct Resumed {
    pub(super) before: Before,
    pub(super) left: Left,
    /// What is not as it was.
    pub(super) warnings: Vec<String>,
}

/// What writes down a run, if somebody wants it, with what is known of the run from before.
pub(super) struct RunJournal {
    pub(super) recorder: Rc<Recorder>,
    /// What earlier processes have used.
    pub(super) used: RunUsage,
    /// The input that the first of them read.
    pub(super) input: Option<Map<String, Value>>,
    pub(super) warnings: Vec<String>,
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
        RunJournal { recorder, used: RunUsage::default(), input: None, warnings: Vec::new() }
    }

    /// The same of a run that goes on.
    pub(super) fn going_on(resumed: Resumed, redactor: &Redactor, show: &Show) -> Self {
        let Resumed { before, left, warnings } = resumed;
        let secrets = Rc::new(RunSecrets(redactor.clone()));
        let Left { journal, run, start, back_to, earlier } = left;
        let recorder = Rc::new(Recorder::resuming(journal, run, back_to, earlier, secrets));
        recorder.read(&show.events);
        RunJournal { recorder, used: before.used(), input: start.input, warnings }
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

/// Under which name the file of `--mcp-config` is kept.
pub(super) const MCP_CONFIG: &str = "mcpConfig";

/// What a run was started with.
pub(super) fn start(args: &RunArgs, file: &Path, argv: Vec<String>) -> RunStart {
    let directory = std::env::current_dir().unwrap_or_default();
    let absolute = |path: &PathBuf| text(&directory.join(path));
    let replayed = args.replay.as_ref().map(|_| "its answers are those of a recording".to_owned());
    RunStart {
        // Wherever it was called from, which may be gone one day.
        file: text(&file.canonicalize().unwrap_or_else(|_| file.to_owned())),
        shown: args.file().display().to_string(),
        directory: text(&directory),
        // The first two are the program and the file.
        words: argv.get(2..).unwrap_or_default().to_vec(),
        argv,
        model: args.setup.model.clone(),
        mock: args.setup.mock.as_ref().map(absolute),
        env_files: args.setup.env_file.iter().map(absolute).collect(),
        not_resumable: replayed,
        options: args
            .permissions
            .kept()
            .map(|kept| (PERMISSIONS.to_owned(), kept))
            .into_iter()
            .chain(args.approvals.kept())
            .chain(args.setup.mcp_config.iter().map(|path| (MCP_CONFIG.to_owned(), json!(absolute(path)))))
            .collect(),
        ..RunStart::default()
    }
}

/// A path that can be written down; what is no Unicode in it is lost.
fn text(path: &Path) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}
