//! Commands of the client. Each is a run of this program in a process of its own, with the texts of the open documents
//! in place of their files, so that it can be ended at any time.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use lmthing_check::has_export;
use lmthing_system::{
    files::{PROMPT_FILE_SUFFIXES, is_source_file, unsaved_texts},
    process::{SIGTERM, end_process},
    threads::{EventLoop, ThreadOptions},
};
use serde_json::{Value, json};
use tokio::{io::AsyncReadExt, process::Command, sync::Notify};

use super::workplace::Workplace;

/// The stack of a thread that only waits for a process.
const STACK_SIZE: usize = 1 << 20;

/// How long an ended run may take to clean up.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// Bytes of an output that are kept.
const MAX_OUTPUT: u64 = 16 << 20;

/// The hidden command that takes a file with unsaved texts, and the real command.
pub const UNSAVED_COMMAND: &str = "__unsaved";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Run,
    RunMock,
    Test,
    ShowRequest,
    View,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Run, Kind::RunMock, Kind::Test, Kind::ShowRequest, Kind::View];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Run => "lmthing.run",
            Kind::RunMock => "lmthing.runMock",
            Kind::Test => "lmthing.test",
            Kind::ShowRequest => "lmthing.showRequest",
            Kind::View => "lmthing.view",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub(crate) fn names() -> Vec<&'static str> {
        Self::ALL.into_iter().map(Self::name).collect()
    }
}

pub(crate) struct Output {
    pub(crate) exit_code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// A file for the client to show, and whether a browser has to.
    pub(crate) shown: Option<(PathBuf, bool)>,
}

impl Output {
    fn failed(why: String) -> Self {
        Output { exit_code: 1, stdout: String::new(), stderr: format!("Error: {why}\n"), shown: None }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "exitCode": self.exit_code, "stdout": self.stdout, "stderr": self.stderr })
    }
}

/// A command that was asked for.
pub(crate) struct Job {
    pub(crate) program: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) file: PathBuf,
    /// The value of `--input`.
    pub(crate) input: Option<String>,
    /// Where the program is started.
    pub(crate) directory: PathBuf,
}

/// Starts a command on a thread of its own, which calls `done` once. A notification ends it early.
pub(crate) fn start(
    job: Job,
    number: u64,
    workplace: &Workplace,
    done: impl FnOnce(Output) + Send + 'static,
) -> io::Result<Arc<Notify>> {
    let folder = workplace.of(&job.file);
    fs::create_dir_all(&folder)?;
    // Now, so that a later change of a document does not count.
    let texts: BTreeMap<String, String> =
        unsaved_texts().into_iter().map(|(path, text)| (path.display().to_string(), text.to_string())).collect();
    let table = folder.join(format!("unsaved-{number}.json"));
    fs::write(&table, json!(texts).to_string())?;
    let end = Arc::new(Notify::new());
    let ended = end.clone();
    let work = move || {
        let output = match EventLoop::new() {
            Ok(event_loop) => event_loop.run(run(&job, &folder, &table, &ended)),
            Err(error) => Output::failed(format!("cannot start the event loop: {error}")),
        };
        let _ = fs::remove_file(&table);
        done(output);
    };
    ThreadOptions { name: "lmthing-command", stack_size: STACK_SIZE }.spawn(work)?;
    Ok(end)
}

async fn run(job: &Job, folder: &Path, table: &Path, end: &Notify) -> Output {
    let page = folder.join("run.html");
    let mut command = Command::new(&job.program);
    command.arg(UNSAVED_COMMAND).arg(table).args(arguments(job, folder, &page));
    command.current_dir(&job.directory).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Output::failed(format!("cannot start {}: {error}", job.program.display())),
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let reading = async { tokio::join!(text_of(stdout), text_of(stderr), child.wait()) };
    let (stdout, stderr, status) = tokio::select! {
        read = reading => read,
        () = end.notified() => {
            end_process(&mut child, SIGTERM, END_TIMEOUT).await;
            return Output::failed("the command was cancelled".to_owned());
        }
    };
    // A process that a signal ended has no code.
    let exit_code = status.ok().and_then(|status| status.code()).unwrap_or(1);
    let shown = match job.kind {
        Kind::ShowRequest if !stdout.is_empty() => shown_text(job, folder, &stdout).map(|path| (path, false)),
        Kind::View if exit_code == 0 => Some((page, true)),
        _ => None,
    };
    Output { exit_code, stdout, stderr, shown }
}

/// The arguments of the program. Runs are written to a journal in the folder, from which they can be viewed.
fn arguments(job: &Job, folder: &Path, page: &Path) -> Vec<OsString> {
    let own_journal = folder.join("journal.db");
    let option = |name: &str, path: &Path| {
        let mut option = OsString::from(name);
        option.push(path);
        option
    };
    let journal = || option("--journal=", &own_journal);
    let file = || job.file.clone().into_os_string();
    let input = job.input.iter().flat_map(|input| ["--input".into(), input.into()]);
    match job.kind {
        Kind::Run => ["run".into(), journal()].into_iter().chain(input).chain([file()]).collect(),
        Kind::RunMock => {
            let words: [OsString; 4] = ["run".into(), journal(), "--model".into(), "mock".into()];
            words.into_iter().chain(input).chain([file()]).collect()
        }
        Kind::Test => ["test".into()]
            .into_iter()
            .chain(tested_files(&job.file).into_iter().map(PathBuf::into_os_string))
            .collect(),
        Kind::ShowRequest => {
            ["check".into(), "--print".into(), "--quiet".into()].into_iter().chain(input).chain([file()]).collect()
        }
        Kind::View => {
            let words: [OsString; 4] = ["view".into(), "-o".into(), page.as_os_str().to_owned(), "--of".into()];
            let journal = own_journal.exists().then(journal);
            words.into_iter().chain([file()]).chain(journal).collect()
        }
    }
}

/// What `lmthing test` is to run for a file: test files of the same name in its folder, and the file itself if there
/// are answers for it. Without any, the file itself, so that the command says what is missing.
fn tested_files(file: &Path) -> Vec<PathBuf> {
    let tests = tests_of(file);
    let own = (tests.is_empty() || has_answers(file)).then(|| file.to_owned());
    own.into_iter().chain(tests).collect()
}

/// Whether a test of the file is there, apart from the file itself.
pub(crate) fn has_tests(file: &Path) -> bool {
    has_answers(file) || !tests_of(file).is_empty()
}

fn has_answers(file: &Path) -> bool {
    has_export(file, "mock") || file.with_file_name(format!("{}.recording.json", stem(file))).is_file()
}

fn tests_of(file: &Path) -> Vec<PathBuf> {
    let tests = PROMPT_FILE_SUFFIXES.iter().map(|ending| file.with_file_name(format!("{}.test{ending}", stem(file))));
    tests.filter(|test| is_source_file(test)).collect()
}

/// `weather` of `weather.lmt.mjs`.
fn stem(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split_once(".lmt.").map_or(name.clone(), |(stem, _)| stem.to_owned())
}

async fn text_of(stream: Option<impl tokio::io::AsyncRead + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        let mut kept = stream.take(MAX_OUTPUT);
        // What was read before an error counts.
        let _ = kept.read_to_end(&mut bytes).await;
        // A process that cannot write would not end.
        let _ = tokio::io::copy(&mut kept.into_inner(), &mut tokio::io::sink()).await;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn shown_text(job: &Job, folder: &Path, text: &str) -> Option<PathBuf> {
    let name = job.file.file_name()?.to_string_lossy().into_owned();
    let path = folder.join(format!("{name}.request.txt"));
    fs::write(&path, text).ok().map(|()| path)
}
