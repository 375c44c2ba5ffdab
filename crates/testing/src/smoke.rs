//! The smoke test of a prompt file: passes if the file runs to its end with exit code 0
//! (docs/reference/test.md).

use std::{
    cell::RefCell,
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};

use super::{
    message::{Message, Teller},
    options::{Answers, TestOptions},
    outcome::{FILTERED, Failure, Snapshots, State, TestOutcome},
    recordings::recording_of,
    running_prompts::runner,
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
pub(super) async fn run(path: &Path, answers: Answers, options: &TestOptions, teller: &Rc<Teller>) {
    let skip_reason = match &options.filter {
        Some(filter) if !NAME.contains(filter.as_str()) => Some(FILTERED),
        _ => teller.is_stopped().then_some("--bail"),
    };
    if let Some(why) = skip_reason {
        return teller.test(outcome(State::Skipped, None, Some(why.to_owned())));
    }
    let limit = Some(options.smoke_timeout).filter(|limit| !limit.is_zero());
    teller.plan(vec![outcome(State::Skipped, None, None)]);
    teller.begin(NAME, limit);
    teller.start(NAME);
    teller.attempt();
    let began = Instant::now();
    let host = Rc::new(SmokeHost { teller: teller.clone(), notes: RefCell::default() });
    let result = run_prompt(path, answers, limit, options, &host).await;
    let took = began.elapsed();
    let test = match (result, teller.fault()) {
        // The prompt may have ignored the fault, for example as the failed tool call of an agent.
        (SmokeResult::Passed, Some(fault)) => failed(fault, took),
        (SmokeResult::Passed, None) => outcome(State::Passed, Some(took), None),
        (SmokeResult::Failed(diagnostic), _) => failed(*diagnostic, took),
        (SmokeResult::MissingInput(names), _) => {
            outcome(State::Skipped, None, Some(format!("needs an input: {}", names.join(", "))))
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
    let teller = &host.teller;
    let request = RunRequest {
        path: path.to_owned(),
        input: None,
        model: (answers == Answers::Mock).then(|| ModelChoice::Named("mock".to_owned())),
        recording: (answers != Answers::Mock).then(|| recording_of(path)),
        environment: None,
        variables: Vec::new(),
        approve: ApprovalRules::default(),
        timeout: limit,
        latest: None,
        keeps_pieces: false,
    };
    let played = match runner(options, teller, host.clone()).run_prompt(request).await {
        Ok(played) => played,
        Err(refusal) if answers == Answers::Missing && !options.shelf.is_recording() => {
            return SmokeResult::Failed(Box::new(unanswered(*refusal)));
        }
        Err(refusal) => return SmokeResult::Failed(refusal),
    };
    let Some(end) = &played.end else { return SmokeResult::Failed(Box::new(timed_out(limit.unwrap_or_default()))) };
    if let FileRun::Failed(error) = end
        && let RunError::MissingInput { names, .. } = &**error
    {
        return SmokeResult::MissingInput(names.clone());
    }
    match RunFailure::of(end, played.finish_reason(), None, &teller.redactor) {
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
    teller: Rc<Teller>,
    notes: RefCell<Vec<String>>,
}

impl ScriptHost for SmokeHost {
    fn write_stdout(&self, text: &str) {
        self.teller.write_stdout(text);
    }

    fn write_stdout_bytes(&self, bytes: &[u8]) {
        self.teller.write_stdout_bytes(bytes);
    }

    fn write_stderr(&self, text: &str) {
        self.teller.write_stderr(text);
    }

    fn write_stderr_bytes(&self, bytes: &[u8]) {
        self.teller.write_stderr_bytes(bytes);
    }

    fn set_variable(&self, name: &str, value: &str) {
        self.teller.set_variable(name, value);
    }

    fn flush(&self) {
        self.teller.flush();
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

    fn note_read(&self, file: &Path) {
        self.teller.note_read(file);
    }

    fn is_watched(&self) -> bool {
        self.teller.is_watched()
    }
}
