//! The smoke test of a prompt file, the test `runs`: it passes when the file runs to its end, with its mock or its recording, and
//! ends with code 0 (docs/testing.md, "Smoke tests"). Must not know threads.

use std::{
    cell::{Cell, RefCell},
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    message::{Message, Teller},
    options::{Answers, TestOptions},
    outcome::{Failure, Snapshots, State, TestOutcome},
    start::{IN_TEST, MAX_MEMORY, argv},
};
use crate::{
    checkpoint::NoCheckpoints,
    cost::Limits,
    diagnostic::Diagnostic,
    event::{Event, EventKind, Events},
    input::{CommandLine, Sources},
    permission::{ApprovalRules, NobodyToAsk, Permissions},
    prompt::RunError,
    script::{
        SCRIPT_STACK_SIZE, ScriptHost,
        bindings::{Exchanges, FileRun, ModelChoice, testing::TestHost},
    },
    session::{FileRunOptions, Meter, RunFailure, Surroundings, run_file},
};

/// The name of the test.
const NAME: &str = "runs";

/// The recording that belongs to a prompt file: `weather.recording.json` for `weather.lmt.mjs`.
pub(crate) fn recording_of(file: &Path) -> PathBuf {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.rsplit_once(".lmt.").map_or(name.as_str(), |(stem, _)| stem);
    file.with_file_name(format!("{stem}.recording.json"))
}

/// Runs the file and tells what came of it.
pub(super) async fn run(path: &Path, answers: Answers, options: &TestOptions, teller: &Rc<Teller>) {
    let left_out = match &options.filter {
        Some(filter) if !NAME.contains(filter.as_str()) => Some("--filter"),
        _ => teller.is_stopped().then_some("--bail"),
    };
    if let Some(why) = left_out {
        return teller.test(outcome(State::Skipped, None, Some(why.to_owned())));
    }
    let limit = Some(options.smoke_timeout).filter(|limit| !limit.is_zero());
    teller.plan(vec![outcome(State::Skipped, None, None)]);
    teller.begin(NAME, limit);
    teller.start(NAME);
    teller.attempt();
    let began = Instant::now();
    let host = Rc::new(Host { teller: teller.clone(), notes: RefCell::default() });
    let ended = play(path, answers, limit, options, &host).await;
    let took = began.elapsed();
    let test = match (ended, teller.fault()) {
        // An agent's tool that could not ask its model is an answer like others to the prompt.
        (Ended::Well, Some(fault)) => failed(fault, took),
        (Ended::Well, None) => outcome(State::Passed, Some(took), None),
        (Ended::Badly(diagnostic), _) => failed(*diagnostic, took),
        (Ended::NotBegun(lacking), _) => {
            outcome(State::Skipped, None, Some(format!("needs an input: {}", lacking.join(", "))))
        }
    };
    teller.test(test);
    teller.tell(Message::File(host.notes.take(), Snapshots::default()));
}

fn outcome(state: State, took: Option<Duration>, note: Option<String>) -> TestOutcome {
    TestOutcome { ancestors: Vec::new(), title: NAME.to_owned(), state, place: None, took, failures: Vec::new(), note }
}

fn failed(diagnostic: Diagnostic, took: Duration) -> TestOutcome {
    let failures = vec![Failure { diagnostic, diff: None, context: None }];
    TestOutcome { failures, ..outcome(State::Failed, Some(took), None) }
}

/// How a smoke test ended.
enum Ended {
    Well,
    Badly(Box<Diagnostic>),
    /// It needs these properties of its input.
    NotBegun(Vec<String>),
}

async fn play(path: &Path, answers: Answers, limit: Option<Duration>, options: &TestOptions, host: &Rc<Host>) -> Ended {
    let teller = &host.teller;
    let tested = teller.recordings.current();
    let exchanges = match answers {
        Answers::Mock => Ok(tested.unrecorded()),
        Answers::Recording | Answers::Nobody => tested.exchanges(&recording_of(path), &teller.redactor),
    };
    let exchanges = match exchanges {
        Ok(exchanges) => exchanges,
        Err(refusal) if answers == Answers::Nobody => return Ended::Badly(Box::new(unanswered(*refusal))),
        Err(refusal) => return Ended::Badly(refusal),
    };
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let last = Rc::new(Cell::new(None));
    let seen = last.clone();
    let read = move |event: &Event<'_>| {
        if let (EventKind::StepFinish { step, .. }, true) = (event.kind, event.agent.is_root()) {
            seen.set(Some(step.output.finish_reason));
        }
    };
    let run_options = FileRunOptions {
        events: Events::new(vec![Rc::new(read), warnings(host.clone())]),
        model: (answers == Answers::Mock).then(|| ModelChoice::Named("mock".to_owned())),
        surroundings: Surroundings { latest: deadline, ..surroundings(options) },
        ..file_run_options(path, options, host, exchanges)
    };
    let meter = run_options.meter.clone();
    let run = run_file(path, run_options);
    let end = match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline.into(), run).await.ok(),
        None => Some(run.await),
    };
    meter.close();
    if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
        return Ended::Badly(Box::new(timed_out(limit.unwrap_or_default())));
    }
    if let Some(fault) = tested.take_fault() {
        return Ended::Badly(Box::new(fault));
    }
    let Some(end) = end else { return Ended::Badly(Box::new(timed_out(limit.unwrap_or_default()))) };
    if let FileRun::Failed(error) = &end
        && let RunError::MissingInput { names, .. } = &**error
    {
        return Ended::NotBegun(names.clone());
    }
    match RunFailure::of(&end, last.get(), None, &teller.redactor) {
        None => Ended::Well,
        Some(failure) => Ended::Badly(Box::new(failure.diagnostic)),
    }
}

/// There is neither a mock nor a recording, and a recording cannot be made.
fn unanswered(refusal: Diagnostic) -> Diagnostic {
    let hint = refusal
        .hint
        .map(|hint| format!("{hint}, or give it a mock: export const mock = [{{ type: 'text', text: 'Hello' }}];"));
    Diagnostic { message: format!("{}, and the file has no mock", refusal.message), hint, ..refusal }
}

fn surroundings(options: &TestOptions) -> Surroundings {
    Surroundings {
        permissions: Permissions::of_tests(options.is_live),
        max_memory: Some(MAX_MEMORY),
        goes_on: true,
        ..Surroundings::default()
    }
}

fn file_run_options(path: &Path, options: &TestOptions, host: &Rc<Host>, exchanges: Exchanges) -> FileRunOptions {
    FileRunOptions {
        host: host.clone(),
        events: Events::new(Vec::new()),
        line: CommandLine {
            command: format!("lmthing run {}", path.display()),
            words: Vec::new(),
            whole: None,
            own_options: Vec::new,
            sources: Arc::new(NoSources),
        },
        argv: argv(path),
        variables: options.variables.clone(),
        exchanges,
        checkpoints: Rc::new(NoCheckpoints),
        approver: NobodyToAsk::new(ApprovalRules::default(), IN_TEST),
        meter: Rc::new(Meter::new(Limits::default(), options.own_prices.clone())),
        redactor: host.teller.redactor.clone(),
        model: None,
        max_stack_size: SCRIPT_STACK_SIZE,
        surroundings: Surroundings::default(),
    }
}

fn timed_out(limit: Duration) -> Diagnostic {
    let seconds = limit.as_secs_f64();
    let shown = if seconds < 1.0 { format!("{} ms", limit.as_millis()) } else { format!("{seconds} s") };
    Diagnostic::new(format!("the run timed out after {shown}")).with_hint("give it more time with --timeout")
}

/// What a person should know of the run: notes of the file.
fn warnings(host: Rc<Host>) -> crate::event::Reader {
    Rc::new(move |event: &Event<'_>| {
        if let EventKind::Warning { message } = event.kind {
            host.warn(message);
        }
    })
}

/// Nothing is typed for a smoke test.
struct NoSources;

impl Sources for NoSources {
    fn file(&self, _path: &str) -> Result<String, String> {
        Err("there is no such file or folder".to_owned())
    }

    fn standard_input(&self) -> Result<String, String> {
        Ok(String::new())
    }

    fn is_terminal(&self) -> bool {
        true
    }
}

/// What the file prints goes where the output of tests goes; warnings become notes.
struct Host {
    teller: Rc<Teller>,
    notes: RefCell<Vec<String>>,
}

impl ScriptHost for Host {
    fn write_stdout(&self, text: &str) {
        self.teller.write_stdout(text);
    }

    fn write_stderr(&self, text: &str) {
        self.teller.write_stderr(text);
    }

    fn warn(&self, message: &str) {
        let note = self.teller.redactor.apply(message);
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    fn diverts_stdout(&self) -> bool {
        true
    }

    fn has_stdin(&self) -> bool {
        false
    }

    fn looked_for(&self, file: &Path) {
        self.teller.looked_for(file);
    }

    fn is_watched(&self) -> bool {
        self.teller.is_watched()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_stand_beside_their_files() {
        for (file, recording) in [
            ("weather.lmt.mjs", "weather.recording.json"),
            ("a/b.c.lmt.ts", "a/b.c.recording.json"),
            ("/x/weather.lmt.mts", "/x/weather.recording.json"),
        ] {
            assert_eq!(recording_of(Path::new(file)), Path::new(recording));
        }
    }
}
