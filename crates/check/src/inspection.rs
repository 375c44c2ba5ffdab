//! Running a file for its check: an engine for each, on a thread of its own, so that nothing a script does can keep the check
//! from ending. Must not know what is wrong with a file, nor what is shown.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{
    faults,
    finding::{Finding, Severity},
    options::CheckOptions,
};
use lmthing_base::{
    checkpoint::NoCheckpoints,
    diagnostic::{Diagnostic, Location},
    event::Events,
    input::{CommandLine, TextSources, check_whole},
    permission::{ApprovalRules, DenyingApprover, Permissions},
};
use lmthing_engine::{
    bindings::{
        Exchanges, HostServices,
        inspect::{self, Fault, FaultSeverity, Inspection, NamedModel, NoLimits, NoModels, Rendered, RenderedTool},
    },
    session::{Program, ProgramOptions},
};
use lmthing_node::{ScriptHost, THREAD_STACK_SIZE};
use lmthing_providers::{ProviderContext, Redactor};

/// How much longer than a script a check waits: for what the engine does not interrupt, such as `Atomics.wait`.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes that a script may use: several are looked at at once.
const MAX_MEMORY: usize = 512 << 20;

/// More than that of what a script prints is not kept.
const PRINTED: usize = 1 << 20;

/// What loading and rendering a file gave.
#[derive(Debug, Default)]
pub(super) struct Inspected {
    pub(super) findings: Vec<Finding>,
    pub(super) rendered: Option<Rendered>,
    pub(super) printed: String,
}

/// The same on its way from one thread to another: messages are shared within a thread.
struct Sent {
    faults: Vec<Fault>,
    messages: Option<Value>,
    tools: Vec<RenderedTool>,
    functions: Vec<String>,
    printed: String,
}

/// Loads a prompt file, looks at its exports, and renders it once.
pub(super) fn inspect(file: &Path, options: &CheckOptions) -> Inspected {
    let path = lmthing_system::files::absolute(file);
    let (sender, receiver) = channel();
    let (own, wanted) = (path.clone(), options.clone());
    let thread = thread::Builder::new().name("lmthing-check".into()).stack_size(THREAD_STACK_SIZE);
    let started = thread.spawn(move || drop(sender.send(look(&own, &wanted))));
    let failed = |message: String| Inspected {
        findings: vec![Finding {
            file: file.to_owned(),
            span: None,
            severity: Severity::Error,
            code: "render".to_owned(),
            message,
            hint: None,
            related: Vec::new(),
        }],
        ..Inspected::default()
    };
    if let Err(error) = started {
        return failed(format!("cannot start a thread: {error}"));
    }
    match receiver.recv_timeout(options.limit + PATIENCE) {
        Ok(Sent { faults, messages, tools, functions, printed }) => {
            let findings = faults::findings(file, &path, faults);
            let messages = messages.and_then(|messages| serde_json::from_value(messages).ok());
            let rendered = messages.map(|messages| Rendered { messages, tools, functions, expected_names: Vec::new() });
            Inspected { findings, rendered, printed }
        }
        Err(RecvTimeoutError::Timeout) => {
            failed(format!("the first render did not end within {} s", options.limit.as_secs_f64()))
        }
        Err(RecvTimeoutError::Disconnected) => failed("lmthing failed while it looked at the file".to_owned()),
    }
}

/// On the thread of the engine.
fn look(path: &Path, options: &CheckOptions) -> Sent {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Sent::failed(format!("cannot start the event loop: {error}")),
    };
    let redactor = Redactor::of_variables(options.variables.iter().map(|(name, value)| (name, value)));
    let host = Rc::new(Kept::default());
    let inspection = runtime.block_on(run(path, options, &redactor, &host));
    // Not to wait for a blocking call that nobody needs any more.
    runtime.shutdown_background();
    let warnings = host
        .warnings
        .take()
        .into_iter()
        .map(|(message, location)| Fault { location, ..Fault::error("definition", &[], message) })
        .map(|fault| fault.with_severity(FaultSeverity::Warning));
    let printed = redactor.apply(&host.printed.take());
    inspection.map_or_else(Sent::failed, |mut inspection| {
        let models = std::mem::take(&mut inspection.models);
        inspection.faults.extend(models.into_iter().filter_map(|model| misspelt(model, options.near_model)));
        Sent::of(inspection, warnings, printed, &redactor)
    })
}

/// Says that a model is perhaps spelt wrong.
fn misspelt(model: NamedModel, near_model: fn(&str, &str) -> Option<String>) -> Option<Fault> {
    let NamedModel { place, provider, model_id } = model;
    let meant = near_model(&provider, &model_id)?;
    let message = format!("{provider} is not known to have a model {model_id}");
    let hint = Some(format!("did you mean '{provider}:{meant}'?"));
    Some(Fault { place, ..Fault::error("model", &[], message) }.with_severity(FaultSeverity::Warning).with_hint(hint))
}

impl Sent {
    fn failed(message: String) -> Self {
        let faults = vec![Fault::error("render", &[], message)];
        Sent { faults, messages: None, tools: Vec::new(), functions: Vec::new(), printed: String::new() }
    }

    fn of(inspection: Inspection, warnings: impl Iterator<Item = Fault>, printed: String, redactor: &Redactor) -> Self {
        let redacted = |fault: Fault| Fault {
            message: redactor.apply(&fault.message),
            hint: fault.hint.map(|hint| redactor.apply(&hint)),
            ..fault
        };
        let faults = inspection.faults.into_iter().chain(warnings).map(redacted).collect();
        let Some(Rendered { messages, tools, functions, .. }) = inspection.rendered else {
            return Sent { faults, messages: None, tools: Vec::new(), functions: Vec::new(), printed };
        };
        let messages = serde_json::to_value(messages).ok().map(|mut messages| {
            redactor.apply_texts(&mut messages);
            messages
        });
        let tools = tools.into_iter().map(|tool| without_secrets(tool, redactor)).collect();
        let functions = functions.iter().map(|function| redactor.apply(function)).collect();
        Sent { faults, messages, tools, functions, printed }
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

async fn run(path: &Path, options: &CheckOptions, redactor: &Redactor, host: &Rc<Kept>) -> Result<Inspection, String> {
    let silence = Rc::new(NoModels::default());
    let doors = doors_of_nobody(silence.clone(), &options.variables, redactor);
    let program = ProgramOptions {
        argv: argv(path),
        env: options.variables.clone(),
        permissions: Permissions::reading_only("check renders"),
        max_memory: Some(MAX_MEMORY),
        ..ProgramOptions::new(host.clone(), doors)
    };
    let program = Program::load(path, program).await?;
    let line = command_line(path, options);
    let asked = inspect::InspectOptions {
        path,
        render: options.render,
        line: &line,
        limit: options.limit,
        no_models: &silence,
    };
    Ok(inspect::inspect_file(program.engine(), &asked).await)
}

/// Host services without models and approvals.
pub(super) fn doors_of_nobody(
    silence: Rc<NoModels>,
    variables: &[(String, String)],
    redactor: &Redactor,
) -> HostServices {
    let variables: BTreeMap<String, String> = variables.iter().cloned().collect();
    HostServices {
        step_loop: silence,
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

/// What is typed for the file.
fn command_line(path: &Path, options: &CheckOptions) -> CommandLine {
    CommandLine {
        command: format!("lmthing check {}", path.display()),
        words: Vec::new(),
        whole: options.input.clone(),
        is_call: false,
        own_options: Vec::new,
        sources: Arc::new(Named {
            sources: options.sources.clone(),
            is_stdin: options.input.as_deref().map(str::trim) == Some("-"),
        }),
        taken: None,
    }
}

/// Whether the input that all files are given can be read at all.
pub(super) fn check_input(options: &CheckOptions) -> Result<(), Box<Diagnostic>> {
    check_whole(&command_line(Path::new(""), options)).map_err(|problem| Box::new(problem.into()))
}

pub(super) fn argv(path: &Path) -> Vec<String> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("lmthing"));
    [program.display().to_string(), path.display().to_string()].to_vec()
}

/// Sources of which standard input is read when it is named, and not because something is missing.
struct Named {
    sources: Arc<dyn TextSources>,
    is_stdin: bool,
}

impl TextSources for Named {
    fn file(&self, path: &str) -> Result<String, String> {
        self.sources.file(path)
    }

    fn standard_input(&self) -> Result<String, String> {
        self.sources.standard_input()
    }

    fn is_terminal(&self) -> bool {
        // From a terminal nothing is read that was not asked for.
        !self.is_stdin || self.sources.is_terminal()
    }
}

/// Keeps what a script prints and is warned of.
#[derive(Default)]
struct Kept {
    printed: RefCell<String>,
    warnings: RefCell<Vec<(String, Option<Location>)>>,
}

impl Kept {
    fn print(&self, text: &str) {
        let mut printed = self.printed.borrow_mut();
        let left = PRINTED.saturating_sub(printed.len());
        printed.push_str(&text[..text.floor_char_boundary(left.min(text.len()))]);
    }
}

impl ScriptHost for Kept {
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
        // What is unknown in `config` is found by itself, and is worse here.
        if !message.starts_with("config.") {
            self.warnings.borrow_mut().push((message.to_owned(), place()));
        }
    }

    fn diverts_stdout(&self) -> bool {
        true
    }

    fn has_stdin(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
