//! The smoke test of a prompt file: passes if the file runs to its end with exit code 0
//! (docs/reference/test.md).

use std::{
    cell::RefCell,
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use super::{
    message::{FileReporter, Message},
    options::{Answers, TestOptions},
    outcome::{FILTERED, Failure, Snapshots, State, TestOutcome},
    prompt_runner::PromptRunner,
    recordings::recording_of,
};
use lmthing_base::{diagnostic::Diagnostic, permission::ApprovalRules};
use lmthing_engine::{
    bindings::{
        FileRun, ModelChoice,
        testing::{TestHost, duration_text, run::runner::RunRequest},
    },
    prompt::RunError,
    session::RunFailure,
};
use lmthing_node::ScriptHost;

/// The name of the test.
const NAME: &str = "runs";

/// Runs the file and reports the result.
pub(super) async fn run(path: &Path, answers: Answers, options: &TestOptions, reporter: &Rc<FileReporter>) {
    let skip_reason = match &options.filter {
        Some(filter) if !NAME.contains(filter.as_str()) => Some(FILTERED),
        _ => reporter.is_stopped().then_some("--bail"),
    };
    if let Some(why) = skip_reason {
        return reporter.test(outcome(State::Skipped, None, Some(why.to_owned())));
    }
    let limit = Some(options.smoke_timeout).filter(|limit| !limit.is_zero());
    reporter.plan(vec![outcome(State::Skipped, None, None)]);
    reporter.begin(NAME, limit);
    reporter.start(NAME);
    reporter.attempt();
    let began = Instant::now();
    let host = Rc::new(SmokeHost { reporter: reporter.clone(), notes: RefCell::default() });
    let result = run_prompt(path, answers, limit, options, &host).await;
    let took = began.elapsed();
    let test = match (result, reporter.fault()) {
        // The prompt may have ignored the fault, for example as the failed tool call of an agent.
        (SmokeResult::Passed, Some(fault)) => failed(fault, took),
        (SmokeResult::Passed, None) => outcome(State::Passed, Some(took), None),
        (SmokeResult::Failed(diagnostic), _) => failed(*diagnostic, took),
        (SmokeResult::MissingInput(names), _) => {
            outcome(State::Skipped, None, Some(format!("needs an input: {}", names.join(", "))))
        }
    };
    reporter.test(test);
    reporter.send(Message::File(host.notes.take(), Snapshots::default()));
}

fn outcome(state: State, took: Option<Duration>, note: Option<String>) -> TestOutcome {
    TestOutcome { ancestors: Vec::new(), title: NAME.to_owned(), state, place: None, took, failures: Vec::new(), note }
}

fn failed(diagnostic: Diagnostic, took: Duration) -> TestOutcome {
    let failures = vec![Failure { diagnostic, diff: None, context: None }];
    TestOutcome { failures, ..outcome(State::Failed, Some(took), None) }
}

enum SmokeResult {
    Passed,
    Failed(Box<Diagnostic>),
    /// It requires these properties of its input.
    MissingInput(Vec<String>),
}

async fn run_prompt(
    path: &Path,
    answers: Answers,
    limit: Option<Duration>,
    options: &TestOptions,
    host: &Rc<SmokeHost>,
) -> SmokeResult {
    let reporter = &host.reporter;
    let request = RunRequest {
        path: path.to_owned(),
        input: None,
        model: (answers == Answers::Mock).then(|| ModelChoice::Named("mock".to_owned())),
        recording: (answers != Answers::Mock).then(|| recording_of(path)),
        location: None,
        environment: None,
        variables: Vec::new(),
        approve: ApprovalRules::default(),
        timeout: limit,
        latest: None,
        keeps_pieces: false,
    };
    let run = match PromptRunner::of_file(options, reporter, host.clone()).run_prompt(request).await {
        Ok(run) => run,
        Err(refusal) if answers == Answers::Missing && !options.recordings.is_recording() => {
            return SmokeResult::Failed(Box::new(unanswered(*refusal)));
        }
        Err(refusal) => return SmokeResult::Failed(refusal),
    };
    let Some(end) = &run.end else { return SmokeResult::Failed(Box::new(timed_out(limit.unwrap_or_default()))) };
    if let FileRun::Failed(error) = end
        && let RunError::MissingInput { names, .. } = &**error
    {
        return SmokeResult::MissingInput(names.clone());
    }
    match RunFailure::of(end, run.finish_reason(), None, &reporter.redactor) {
        None => SmokeResult::Passed,
        Some(failure) => SmokeResult::Failed(Box::new(failure.diagnostic)),
    }
}

/// The error when there is neither a mock nor a recording, and no recording can be made.
fn unanswered(refusal: Diagnostic) -> Diagnostic {
    let hint = refusal
        .hint
        .map(|hint| format!("{hint}, or give it a mock: export const mock = [{{ type: 'text', text: 'Hello' }}];"));
    Diagnostic { message: format!("{}, and the file has no mock", refusal.message), hint, ..refusal }
}

fn timed_out(limit: Duration) -> Diagnostic {
    Diagnostic::new(format!("the run timed out after {}", duration_text(limit)))
        .with_hint("give it more time with --timeout")
}

/// Sends output to the reporter of the test and turns warnings into notes.
struct SmokeHost {
    reporter: Rc<FileReporter>,
    notes: RefCell<Vec<String>>,
}

impl ScriptHost for SmokeHost {
    fn write_stdout(&self, text: &str) {
        self.reporter.write_stdout(text);
    }

    fn write_stdout_bytes(&self, bytes: &[u8]) {
        self.reporter.write_stdout_bytes(bytes);
    }

    fn write_stderr(&self, text: &str) {
        self.reporter.write_stderr(text);
    }

    fn write_stderr_bytes(&self, bytes: &[u8]) {
        self.reporter.write_stderr_bytes(bytes);
    }

    fn set_variable(&self, name: &str, value: &str) {
        self.reporter.set_variable(name, value);
    }

    fn flush(&self) {
        self.reporter.flush();
    }

    fn warn(&self, message: &str) {
        let note = self.reporter.redactor.apply(message);
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

    fn note_read(&self, file: &Path) {
        self.reporter.note_read(file);
    }

    fn is_watched(&self) -> bool {
        self.reporter.is_watched()
    }
}
