//! Loads and renders a file for its check in its own engine and thread, which is abandoned if a script does not end.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    faults,
    finding::Finding,
    options::{Cancellation, CheckOptions},
    unstable::{self, SentPieces},
};
use lmthing_base::{
    checkpoint::NoCheckpoints,
    diagnostic::{Diagnostic, Location},
    event::Events,
    input::{CommandLine, TextSources, UnreadableText, WholeInput, check_whole},
    permission::{ApprovalRules, DenyingApprover, Permissions},
};
use lmthing_engine::{
    bindings::{
        Exchanges, HostServices,
        eval::inspect_eval_file,
        inspect::{
            self, Clock, Fault, FaultSeverity, Inspection, NamedModel, NoLimits, NoModels, Piece, Rendered,
            RenderedDefinition, RenderedTool, Search,
        },
    },
    session::{LoadError, Program, ProgramOptions},
};
use lmthing_node::{ScriptHost, THREAD_STACK_SIZE};
use lmthing_providers::{ProviderContext, Redactor};
use lmthing_system::{
    files::FileKind,
    threads::{EventLoop, ThreadOptions},
};

/// Added to a script's limit before its thread is abandoned: the engine cannot interrupt calls such as
/// `Atomics.wait`.
const GRACE_PERIOD: Duration = Duration::from_secs(2);

/// The number of bytes that are kept of a script's output.
const MAX_OUTPUT: usize = 1 << 20;

/// How often a check looks whether it is cancelled.
const CANCEL_INTERVAL: Duration = Duration::from_millis(20);

/// The result of loading and rendering a file.
#[derive(Debug, Default)]
pub(super) struct Inspected {
    pub(super) findings: Vec<Finding>,
    pub(super) rendered: Option<Rendered>,
    pub(super) printed: String,
}

/// An inspection without secrets, in a form that can be sent to another thread: messages contain `Rc`.
#[derive(Default)]
struct SendableInspection {
    faults: Vec<Fault>,
    messages: Option<Value>,
    tools: Vec<RenderedTool>,
    functions: Vec<String>,
    definitions: Vec<RenderedDefinition>,
    sent: SentPieces,
    printed: String,
}

/// Loads a prompt file, checks its exports, and renders it once; with `options.cache` once more in another engine, to
/// compare the requests.
///
/// `may_vary` says whether the author's files mention the clock or random numbers.
pub(super) fn inspect(file: &Path, options: &CheckOptions, may_vary: bool) -> Inspected {
    let path = lmthing_system::files::absolute(file);
    let search = match (options.cache, may_vary) {
        (true, _) => Search::Steps(Clock::First),
        (false, true) => Search::Reruns,
        (false, false) => Search::Nothing,
    };
    let inspection = inspect_within_limit(&path, options, search);
    let SendableInspection { mut faults, messages, tools, functions, definitions, sent, printed } = inspection;
    if options.cache && messages.is_some() {
        faults.extend(unstable_pieces(&sent, inspect_within_limit(&path, options, Search::Steps(Clock::Months))));
    }
    let findings = faults::findings(file, &path, faults, options.is_strict);
    let messages = messages.and_then(|messages| serde_json::from_value(messages).ok());
    let rendered = messages.map(|messages| Rendered { messages, tools, functions, definitions, ..Rendered::default() });
    Inspected { findings, rendered, printed }
}

fn unstable_pieces(sent: &SentPieces, other: SendableInspection) -> Vec<Fault> {
    let is_rendered = other.messages.is_some();
    let error = other.faults.into_iter().find(|fault| fault.severity == FaultSeverity::Error);
    let unknown = || Fault::error("cache", &[], "the file was not rendered");
    let pieces = if is_rendered { Ok(other.sent.first) } else { Err(error.unwrap_or_else(unknown)) };
    unstable::faults(sent, &pieces)
}

/// Inspects a file on a thread of its own, which is abandoned if a script does not end.
fn inspect_within_limit(path: &Path, options: &CheckOptions, search: Search) -> SendableInspection {
    let (sender, receiver) = channel();
    let (thread_path, thread_options) = (path.to_owned(), options.clone());
    let started = ThreadOptions { name: "lmthing-check", stack_size: THREAD_STACK_SIZE }
        .spawn(move || drop(sender.send(inspect_on_this_thread(&thread_path, &thread_options, search))));
    if let Err(error) = started {
        return SendableInspection::failed(format!("cannot start a thread: {error}"));
    }
    wait(&receiver, options).unwrap_or_else(|error| {
        let seconds = options.limit.as_secs_f64();
        SendableInspection::failed(match error {
            RecvTimeoutError::Timeout => format!("the first render did not end within {seconds} s"),
            RecvTimeoutError::Disconnected => "lmthing failed while it looked at the file".to_owned(),
        })
    })
}

/// Waits for the result until the time limit, or until the check is cancelled.
fn wait<T>(receiver: &Receiver<T>, options: &CheckOptions) -> Result<T, RecvTimeoutError> {
    let repeat_limit = if options.cache { options.limit } else { inspect::REPEAT_LIMIT };
    let end = Instant::now() + options.limit + repeat_limit + GRACE_PERIOD;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(CANCEL_INTERVAL)) {
            Err(RecvTimeoutError::Timeout) if left > CANCEL_INTERVAL && !options.cancellation.is_cancelled() => {}
            ended => return ended,
        }
    }
}

fn inspect_on_this_thread(path: &Path, options: &CheckOptions, search: Search) -> SendableInspection {
    let event_loop = match EventLoop::new() {
        Ok(event_loop) => event_loop,
        Err(error) => return SendableInspection::failed(format!("cannot start the event loop: {error}")),
    };
    let redactor = Redactor::of_variables(options.variables.iter().map(|(name, value)| (name, value)));
    let host = Rc::new(OutputCollector { cancellation: options.cancellation.clone(), ..OutputCollector::default() });
    // Another render prints what the first has printed.
    host.is_muted.set(search == Search::Steps(Clock::Months));
    let inspection = event_loop.run(run(path, options, search, &redactor, &host));
    let warnings = host
        .warnings
        .take()
        .into_iter()
        .map(|(message, location)| Fault { location, ..Fault::error("definition", &[], message) })
        .map(|fault| fault.with_severity(FaultSeverity::Warning));
    let printed = redactor.apply(&host.printed.take());
    inspection.map_or_else(
        |error| SendableInspection::failed(error.to_string()),
        |mut inspection| {
            let models = std::mem::take(&mut inspection.models);
            inspection
                .faults
                .extend(models.into_iter().filter_map(|model| misspelled_model(model, options.near_model)));
            SendableInspection::of(inspection, warnings, printed, &redactor)
        },
    )
}

/// A warning if the name of a model is probably misspelled.
fn misspelled_model(model: NamedModel, near_model: fn(&str, &str) -> Option<String>) -> Option<Fault> {
    let NamedModel { place, provider, model_id } = model;
    let meant = near_model(&provider, &model_id)?;
    let message = format!("{provider} is not known to have a model {model_id}");
    let hint = Some(format!("did you mean '{provider}:{meant}'?"));
    Some(Fault { place, ..Fault::error("model", &[], message) }.with_severity(FaultSeverity::Warning).with_hint(hint))
}

impl SendableInspection {
    fn failed(message: String) -> Self {
        let faults = vec![Fault::error("render", &[], message)];
        SendableInspection { faults, ..SendableInspection::default() }
    }

    fn of(inspection: Inspection, warnings: impl Iterator<Item = Fault>, printed: String, redactor: &Redactor) -> Self {
        let redacted = |fault: Fault| Fault {
            message: redactor.apply(&fault.message),
            hint: fault.hint.map(|hint| redactor.apply(&hint)),
            ..fault
        };
        let faults = inspection.faults.into_iter().chain(warnings).map(redacted).collect();
        let Some(Rendered { messages, tools, functions, definitions, pieces, .. }) = inspection.rendered else {
            return SendableInspection { faults, printed, ..SendableInspection::default() };
        };
        let messages = serde_json::to_value(messages).ok().map(|mut messages| {
            redactor.apply_texts(&mut messages);
            messages
        });
        let tools = tools.into_iter().map(|tool| without_secrets(tool, redactor)).collect();
        let functions = functions.iter().map(|function| redactor.apply(function)).collect();
        let definitions = definitions
            .into_iter()
            .map(|found| RenderedDefinition { text: found.text.map(|text| redactor.apply(&text)), ..found });
        let definitions = definitions.collect();
        let pieces_of = |pieces: Vec<Piece>| pieces.into_iter().map(|piece| piece.without_secrets(redactor)).collect();
        let second = match inspection.second_step {
            Some(Ok(pieces)) => Some(Ok(pieces_of(pieces))),
            Some(Err(fault)) => Some(Err(redacted(fault))),
            None => None,
        };
        let sent = SentPieces { first: pieces_of(pieces), second };
        SendableInspection { faults, messages, tools, functions, definitions, sent, printed }
    }
}

fn without_secrets(tool: RenderedTool, redactor: &Redactor) -> RenderedTool {
    let RenderedTool { name, description, mut input_schema, location, is_agent } = tool;
    redactor.apply_texts(&mut input_schema);
    RenderedTool {
        name: redactor.apply(&name),
        description: redactor.apply(&description),
        input_schema,
        location,
        is_agent,
    }
}

async fn run(
    path: &Path,
    options: &CheckOptions,
    search: Search,
    redactor: &Redactor,
    host: &Rc<OutputCollector>,
) -> Result<Inspection, LoadError> {
    let no_models = Rc::new(NoModels::default());
    let services = services_without_models(no_models.clone(), &options.variables, redactor);
    let program = ProgramOptions {
        argv: argv(path),
        env: options.variables.clone(),
        permissions: Permissions::reading_only("check renders"),
        ..ProgramOptions::new(host.clone(), services)
    };
    let program = Program::load(path, program).await?;
    if FileKind::of(path) == FileKind::Eval {
        return Ok(inspect_eval_file(program.engine(), path, options.limit, &no_models).await);
    }
    let line = command_line(path, options);
    let inspect_options = inspect::InspectOptions {
        path,
        render: options.render,
        line: &line,
        limit: options.limit,
        no_models: &no_models,
        search,
        locate: options.locate,
        is_repeating: &host.is_muted,
    };
    Ok(inspect::inspect_file(program.engine(), &inspect_options).await)
}

/// Host services without models and approvals.
pub(super) fn services_without_models(
    no_models: Rc<NoModels>,
    variables: &[(String, String)],
    redactor: &Redactor,
) -> HostServices {
    let variables: BTreeMap<String, String> = variables.iter().cloned().collect();
    HostServices {
        turns: None,
        step_loop: no_models,
        providers: ProviderContext::redacting(Rc::new(variables), redactor.clone()),
        exchanges: Exchanges::Live,
        events: Events::new(Vec::new()),
        limits: Rc::new(NoLimits),
        checkpoints: Rc::new(NoCheckpoints),
        jobs: Default::default(),
        decisions: Default::default(),
        approver: DenyingApprover::new(ApprovalRules::default(), "a check approves nothing"),
        mcp_config: None,
    }
}

/// The command line that the check corresponds to.
fn command_line(path: &Path, options: &CheckOptions) -> CommandLine {
    CommandLine {
        command: format!("lmthing check {}", path.display()),
        words: Vec::new(),
        whole: options.input.clone().map(WholeInput::Typed),
        is_call: false,
        own_options: Vec::new,
        sources: Arc::new(ExplicitSources {
            sources: options.sources.clone(),
            is_stdin_requested: options.input.as_deref().map(str::trim) == Some("-"),
        }),
        taken: None,
    }
}

/// Checks that the input, which is the same for all files, can be read.
pub(super) fn check_input(options: &CheckOptions) -> Result<(), Box<Diagnostic>> {
    check_whole(&command_line(Path::new(""), options)).map_err(|problem| Box::new(problem.into()))
}

pub(super) fn argv(path: &Path) -> Vec<String> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("lmthing"));
    [program.display().to_string(), path.display().to_string()].to_vec()
}

/// Reads standard input only if `-` requests it, not in place of missing input.
struct ExplicitSources {
    sources: Arc<dyn TextSources>,
    is_stdin_requested: bool,
}

impl TextSources for ExplicitSources {
    fn file(&self, path: &str) -> Result<String, UnreadableText> {
        self.sources.file(path)
    }

    fn resource(&self, path: &str) -> Result<Value, UnreadableText> {
        self.sources.resource(path)
    }

    fn standard_input(&self) -> Result<String, UnreadableText> {
        self.sources.standard_input()
    }

    fn is_terminal(&self) -> bool {
        // Nothing is read from a terminal unless the user requests it.
        !self.is_stdin_requested || self.sources.is_terminal()
    }
}

/// Collects the output and warnings of a script.
#[derive(Default)]
struct OutputCollector {
    cancellation: Cancellation,
    is_muted: Cell<bool>,
    printed: RefCell<String>,
    warnings: RefCell<Vec<(String, Option<Location>)>>,
}

impl OutputCollector {
    fn print(&self, text: &str) {
        if self.is_muted.get() {
            return;
        }
        let mut printed = self.printed.borrow_mut();
        let left = MAX_OUTPUT.saturating_sub(printed.len());
        printed.push_str(&text[..text.floor_char_boundary(left.min(text.len()))]);
    }
}

impl ScriptHost for OutputCollector {
    fn write_stdout(&self, text: &str) {
        self.print(text);
    }

    fn write_stderr(&self, text: &str) {
        self.print(text);
    }

    fn warn(&self, message: &str) {
        self.warn_at(message, &|| None);
    }

    fn warn_at(&self, message: &str, place: &dyn Fn() -> Option<Location>) {
        // Unknown properties of `config` are findings of their own, and more severe in a check.
        if !message.starts_with("config.") && !self.is_muted.get() {
            self.warnings.borrow_mut().push((message.to_owned(), place()));
        }
    }

    fn diverts_stdout(&self) -> bool {
        true
    }

    fn has_stdin(&self) -> bool {
        false
    }

    fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}

#[cfg(test)]
mod tests;
