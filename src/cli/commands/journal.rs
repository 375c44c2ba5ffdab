//! The journal of a command: its path, the stored start of a run, and write errors.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
    time::Duration,
};

use serde_json::{Map, Value, json};

use crate::cli::{
    ExitCode, args::RunArgs, failure::Ending, interrupt::Interrupts, permission_args::PERMISSIONS,
    resume_state::ResumeState, show::Show,
};
use lmthing_base::{checkpoint::StoreError, cost::RunUsage, diagnostic::Diagnostic};
use lmthing_providers::Redactor;
use lmthing_store::journal::{
    CHAT, EarlierRun, JOURNAL_VARIABLE, Journal, Recorder, RunInfo, RunStart, SAY, SecretFilter, journal_path,
};

pub(super) struct RunSecrets(pub(super) Redactor);

impl SecretFilter for RunSecrets {
    fn replace(&self, value: &mut Value) {
        self.0.apply_json(value);
    }

    fn contain_secret(&self, text: &str) -> bool {
        self.0.finds(text)
    }
}

/// `typed` is the value of `--journal`.
pub(super) fn path(typed: Option<&Path>, variables: &[(String, String)], directory: &Path) -> PathBuf {
    let variable = variables.iter().find(|(name, _)| name == JOURNAL_VARIABLE);
    journal_path(typed, variable.map(|(_, value)| value.as_str()), directory)
}

pub(super) struct UnfinishedRun {
    pub(super) journal: Journal,
    pub(super) run: RunInfo,
    pub(super) start: RunStart,
    /// Step before which the run is forked; `None` continues the run itself.
    pub(super) back_to: Option<usize>,
    pub(super) earlier: EarlierRun,
}

pub(super) struct ResumedRun {
    pub(super) resume_state: ResumeState,
    pub(super) unfinished: UnfinishedRun,
    pub(super) warnings: Vec<String>,
}

pub(super) struct RunJournal {
    pub(super) recorder: Rc<Recorder>,
    /// What earlier processes used of the limits.
    pub(super) used: RunUsage,
    /// The input that the first process read.
    pub(super) input: Option<Map<String, Value>>,
    pub(super) warnings: Vec<String>,
}

/// How long the end of a run may take to be written.
const PATIENCE: Duration = Duration::from_secs(5);

/// The same for a run that was interrupted: the user waits for the process to end.
const INTERRUPTED_PATIENCE: Duration = Duration::from_millis(500);

impl RunJournal {
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

    pub(super) fn of_resumed(resumed: ResumedRun, redactor: &Redactor, show: &Show) -> Self {
        let ResumedRun { resume_state, unfinished, warnings } = resumed;
        let secrets = Rc::new(RunSecrets(redactor.clone()));
        let UnfinishedRun { journal, run, start, back_to, earlier } = unfinished;
        let recorder = Rc::new(Recorder::resuming(journal, run, back_to, earlier, secrets));
        recorder.read(&show.events);
        RunJournal { recorder, used: resume_state.used(), input: start.input, warnings }
    }

    /// Call before the end is reported: a failed write turns success into failure. Any other end is reported first, as
    /// another process may keep the journal locked.
    pub(super) async fn flush_at_end(&self, ending: Ending, show: &Show, interrupts: &mut Interrupts) -> Ending {
        if ending.is_output_closed {
            self.recorder.set_cut_off();
        }
        if ending.code != ExitCode::Done {
            return ending;
        }
        tokio::select! {
            biased;
            written = self.recorder.flush(|notice| show.events.warn(notice)) => match written {
                Ok(()) => ending,
                Err(error) => Ending::of_journal(diagnostic(error)),
            },
            signal = interrupts.next() => Ending::interrupted(signal),
        }
    }

    /// Call after the end was reported: waits until it is written. A run that is killed before counts as interrupted.
    pub(super) async fn problem(&self, code: ExitCode, show: &Show) -> Option<Diagnostic> {
        let patience = if matches!(code, ExitCode::Interrupted(_)) { INTERRUPTED_PATIENCE } else { PATIENCE };
        let flushed = self.recorder.flush(|notice| show.warn(&notice));
        match tokio::time::timeout(patience, flushed).await {
            Ok(written) => written.err().map(diagnostic),
            Err(_) => Some(Diagnostic::new(format!(
                "the end of the run is not in the journal {}, which another process keeps locked",
                self.recorder.path().display()
            ))),
        }
    }
}

fn diagnostic(error: StoreError) -> Diagnostic {
    Diagnostic { hint: error.hint, ..Diagnostic::new(error.message) }
}

/// Key under which the path of `--mcp-config` is stored with a run.
pub(super) const MCP_CONFIG: &str = "mcpConfig";

/// `words` are the arguments after the file, as they were typed.
pub(super) fn start(args: &RunArgs, file: &Path, words: Vec<String>, argv: Vec<String>) -> RunStart {
    let directory = std::env::current_dir().unwrap_or_default();
    let absolute = |path: &PathBuf| text(&directory.join(path));
    let replayed = args.replay.as_ref().map(|_| "its answers are those of a recording".to_owned());
    RunStart {
        // Absolute: the working directory may be another when the run is resumed.
        file: text(&file.canonicalize().unwrap_or_else(|_| file.to_owned())),
        shown: args.file().display().to_string(),
        directory: text(&directory),
        words,
        argv,
        model: args.setup.model.clone(),
        mock: args.setup.mock.as_ref().map(absolute),
        env_files: args.setup.env_file.iter().map(absolute).collect(),
        not_resumable: replayed,
        options: args
            .permissions
            .stored()
            .map(|kept| (PERMISSIONS.to_owned(), kept))
            .into_iter()
            .chain(args.approvals.stored())
            .chain(args.is_chat.then(|| (CHAT.to_owned(), json!(true))))
            .chain((!args.say.say.is_empty()).then(|| (SAY.to_owned(), json!(args.say.say))))
            .chain(args.setup.mcp_config.iter().map(|path| (MCP_CONFIG.to_owned(), json!(absolute(path)))))
            .collect(),
        ..RunStart::default()
    }
}

/// A path as valid Unicode; other bytes are replaced.
fn text(path: &Path) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}
