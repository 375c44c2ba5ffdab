//! Running model-written code in the sandbox, and its calls of registered functions (docs/reference/code-mode.md).

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use rquickjs::{Ctx, Result, Value};
use serde_json::value::RawValue;
use tokio::sync::Mutex;

use super::declare::{declared_functions, sandbox};
use crate::{
    bindings::{
        agents::child::run_validated,
        jobs,
        prompt::{
            entry::{Callable, Entry, Registry},
            object::PromptObject,
        },
        resume::{self, PartOfCall, call_hash, stable_hash},
        services,
        tools::{
            Label,
            call::{CallOutcome, result_text, run_callable, run_with, validate_input},
        },
        values::{from_json, message_of, plain_error, type_error},
    },
    prompt::DefinitionKind,
};
use lmthing_base::{
    chat::AgentRun,
    checkpoint::{CallError, CallPartName},
    event::EventKind,
};
use lmthing_node::{KeepAlive, warn};
use lmthing_typescript::{
    code::{CodeDiagnostic, Declarations, search},
    sandbox::{HostFunctions, LogLine, RunOutcome},
};

pub(crate) struct CodeRun {
    pub outcome: Result<RunOutcome>,
    pub agents: Vec<AgentRun>,
}

#[derive(Clone, Copy)]
pub(crate) struct CodeSnippet<'a> {
    pub text: &'a str,
    /// `None` for code in a model's text.
    pub tool_call_id: Option<&'a str>,
}

impl CodeSnippet<'_> {
    fn name(self) -> String {
        self.tool_call_id.map_or_else(|| format!("code:{:016x}", stable_hash(self.text)), str::to_owned)
    }
}

pub(crate) async fn run_code<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    registry: Registry,
    active: &[String],
    code: CodeSnippet<'_>,
    execution: Value<'js>,
) -> CodeRun {
    let host = SandboxHost {
        ctx,
        prompt,
        registry,
        code,
        name: code.name(),
        execution,
        calls: RefCell::default(),
        starting: Mutex::default(),
        agents: RefCell::default(),
        is_checked: Cell::new(false),
        is_first_try: Cell::new(false),
    };
    let kind = if registry == Registry::Methods { DefinitionKind::DefMethod } else { DefinitionKind::DefFunction };
    let outcome = async {
        let core = prompt.borrow().core.clone();
        let declared = declared_functions(&core, kind, |name| active.iter().any(|active| active == name));
        // The script is idle meanwhile, and that is not a deadlock.
        let (_alive, _running) = (KeepAlive::new(ctx)?, services::jobs(ctx)?.begin_code());
        let sandbox = sandbox(ctx, prompt)?;
        if let Some(mentioned) = search::mentioned(&declared.list, code.text) {
            let mentioned = Declarations::new(&mentioned).map_err(|error| type_error(ctx, error.to_string()))?;
            host.is_first_try.set(true);
            let outcome = sandbox.run(code.text, &mentioned, &host).await;
            host.is_first_try.set(false);
            // The second try, with all functions declared, reports the errors: the code may use a function that it does not name.
            if !matches!(outcome, RunOutcome::Refused { .. }) {
                return Ok(outcome);
            }
        }
        Ok(sandbox.run(code.text, declared.declarations(ctx)?, &host).await)
    };
    let outcome = outcome.await;
    if outcome.is_ok() {
        // The check was killed, or no worker ran it, so no check event was emitted yet.
        host.checked(false, &[]);
    }
    CodeRun { outcome, agents: host.agents.take() }
}

struct SandboxHost<'a, 'js> {
    ctx: &'a Ctx<'js>,
    prompt: &'a PromptObject<'js>,
    registry: Registry,
    code: CodeSnippet<'a>,
    name: String,
    execution: Value<'js>,
    calls: RefCell<HashMap<String, usize>>,
    /// Held by a call until it starts.
    starting: Mutex<()>,
    agents: RefCell<Vec<AgentRun>>,
    is_checked: Cell<bool>,
    /// The check knows only some of the functions, so a failure is not reported.
    is_first_try: Cell<bool>,
}

impl<'js> SandboxHost<'_, 'js> {
    /// Answers a call, or returns the answer of an earlier process.
    async fn answer_part(&self, name: &str, given: Option<&RawValue>) -> std::result::Result<Box<RawValue>, CallError> {
        let args = given.unwrap_or(RawValue::NULL);
        let asked = call_hash(name, args);
        let number = {
            let mut calls = self.calls.borrow_mut();
            let before = calls.entry(asked.clone()).or_insert(0);
            *before += 1;
            *before - 1
        };
        // Concurrent calls begin in another order in every process, so calls are identified by name and arguments.
        let call = format!("{}#{asked}#{number}", self.name);
        let may_repeat = self.find(name).is_none_or(|(callable, _)| callable.options.may_repeat());
        let turn = Some(self.starting.lock().await);
        let part = PartOfCall { of: &self.name, number, name, args, may_repeat, turn };
        let answer = self.answer(stable_hash(&call), name, given);
        let answer = resume::within_call(self.ctx, self.prompt, &call, answer);
        let part_name = CallPartName { of: self.name.clone(), asked, number };
        let answer = jobs::run_part(self.ctx, self.prompt, part_name, answer.boxed_local());
        resume::run_part(self.ctx, self.prompt, part, answer).await
    }

    async fn answer(
        &self,
        part: u64,
        name: &str,
        given: Option<&RawValue>,
    ) -> std::result::Result<Box<RawValue>, CallError> {
        let Some((callable, is_agent)) = self.find(name) else {
            return Err(CallError(format!("{name} is not defined any more")));
        };
        let label = Label { noun: "function", name, of: None, tool_call_id: None, part: Some(part) };
        // Text to text: a `serde_json::Value` in between would lose lone surrogates and non-finite numbers.
        let json = match given {
            Some(args) => args.get(),
            None if self.takes_null(&callable).await => "null",
            None => "{}",
        };
        let input = self.ctx.json_parse(json).map_err(|error| CallError(message_of(self.ctx, error)))?;
        let input = validate_input(self.ctx, &callable, label, input).await?;
        let outcome = if is_agent {
            let run = async |input| self.run_agent(&callable, label, input).await;
            run_with(self.ctx, &callable, label, input, run).await
        } else {
            run_callable(self.ctx, &callable, label, input, self.execution.clone()).await
        };
        match outcome {
            CallOutcome::Value(value) => {
                let text = result_text(self.ctx, label, &value)?;
                RawValue::from_string(text)
                    .map_err(|error| CallError(format!("the result of {name} is not JSON: {error}")))
            }
            CallOutcome::Failed(message) => Err(CallError(message)),
        }
    }

    async fn takes_null(&self, callable: &Callable<'js>) -> bool {
        let null = Value::new_null(self.ctx.clone());
        matches!(callable.input_schema.validate(self.ctx, null).await, Ok(Ok(_)))
    }

    fn tool_call_id(&self) -> Option<String> {
        self.code.tool_call_id.map(str::to_owned)
    }

    fn find(&self, name: &str) -> Option<(Callable<'js>, bool)> {
        let (top, member) = name.split_once('.').map_or((name, None), |(top, member)| (top, Some(member)));
        let prompt = self.prompt.borrow();
        let entry = prompt.bag.entry(self.registry, top)?;
        let callable = match (&entry, member) {
            (Entry::Single(callable), None) => callable,
            (entry, Some(member)) => &entry.item(member)?.callable,
            (Entry::Composite(_), None) => return None,
        };
        let definitions = prompt.core.prompt.borrow();
        let is_agent = self.registry == Registry::Functions
            && definitions
                .functions(DefinitionKind::DefFunction)
                .any(|(name, function)| name == top && function.kind == DefinitionKind::DefFunctionAgent);
        Some((callable.clone(), is_agent))
    }

    /// Runs a function agent. Returns the parsed JSON with a schema, the text without.
    async fn run_agent(&self, callable: &Callable<'js>, label: Label<'_>, input: Value<'js>) -> Result<Value<'js>> {
        let answer = run_validated(self.ctx, self.prompt, callable, label, input).await?;
        // Recorded even if the answer is rejected: the steps of the child did run.
        self.agents.borrow_mut().push(AgentRun { result: None, steps: answer.steps, key: answer.key });
        if let Some(problem) = answer.validation_error {
            let message = format!("the answer of {} does not match its responseSchema: {problem}", label.name);
            return Err(plain_error(self.ctx, message));
        }
        match answer.parsed {
            Some(parsed) => from_json(self.ctx, &parsed),
            None => Ok(rquickjs::String::from_str(self.ctx.clone(), &answer.response)?.into_value()),
        }
    }
}

impl HostFunctions for SandboxHost<'_, '_> {
    fn call<'a>(
        &'a self,
        name: &'a str,
        args: Option<Box<RawValue>>,
    ) -> LocalBoxFuture<'a, std::result::Result<Box<RawValue>, CallError>> {
        async move { self.answer_part(name, args.as_deref()).await }.boxed_local()
    }

    fn checked(&self, runs: bool, diagnostics: &[CodeDiagnostic]) {
        if self.is_first_try.get() && !runs {
            return;
        }
        // Only once: a later report is from the worker that runs the code.
        if self.is_checked.replace(true) {
            return;
        }
        let diagnostics = serde_json::json!(diagnostics);
        let (tool_call_id, code) = (self.tool_call_id(), self.code.text.into());
        let event = EventKind::CodeCheck { tool_call_id, code, ok: runs, diagnostics };
        services::scope(self.ctx, &self.prompt.borrow().core).map(|scope| scope.emit(&event)).ok();
    }

    fn console(&self, line: &LogLine) {
        // Code sees what its functions throw and return, which may contain a key.
        let Ok(redactor) = services::redactor(self.ctx) else { return };
        let text = redactor.apply(&line.text);
        let shown: String = text.lines().map(|line| format!("[sandbox] {line}\n")).collect();
        let event = EventKind::CodeConsole { tool_call_id: self.tool_call_id(), text };
        services::scope(self.ctx, &self.prompt.borrow().core).map(|scope| scope.emit(&event)).ok();
        // Failing to print the console must not fail the code.
        let _ = warn::write_foreign(self.ctx, &shown);
    }

    fn notice(&self, text: &str) {
        let _ = warn::warning(self.ctx, text);
    }
}
