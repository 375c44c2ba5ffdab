//! Running model-written code in the sandbox, and answering its calls of registered functions (docs/reference.md, "Code
//! mode"). Must not know the sandbox's process: a call comes as name and JSON, an answer goes as JSON or a message.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use rquickjs::{Ctx, Result, Value};
use serde_json::value::RawValue;

use super::declare::{declared, sandbox};
use crate::{
    chat::AgentRun,
    checkpoint::CallPartName,
    code::{CodeDiagnostic, Declarations, search},
    event::EventKind,
    prompt::DefinitionKind,
    sandbox::{HostFunctions, LogLine, RunOutcome},
    script::{
        KeepAlive,
        bindings::{
            agents::child::ask_validated,
            going_on::{self, PartOfCall, asked, hash},
            jobs,
            prompt::{
                entry::{Callable, Entry, Shelf},
                object::PromptObject,
            },
            services,
            tools::call::{Answered, Label, result_text, run_callable, run_with, validate_input},
            values::{from_json, message_of, plain_error, type_error},
        },
        warn,
    },
};

/// What a piece of code came to.
pub(crate) struct CodeRun {
    /// What the code returned, or why not; an error when it could not be tried.
    pub(crate) outcome: Result<RunOutcome>,
    /// The agents it called.
    pub(crate) agents: Vec<AgentRun>,
}

/// A piece of code, and where it came from.
#[derive(Clone, Copy)]
pub(crate) struct Code<'a> {
    /// TypeScript.
    pub(crate) text: &'a str,
    /// The tool call that it came with; none for code in a model's text.
    pub(crate) tool_call_id: Option<&'a str>,
}

impl Code<'_> {
    /// Names it within its step.
    fn name(self) -> String {
        self.tool_call_id.map_or_else(|| format!("code:{:016x}", hash(self.text)), str::to_owned)
    }
}

/// Runs code that reaches the functions of a prompt that `active` names.
pub(crate) async fn run_code<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    shelf: Shelf,
    active: &[String],
    code: Code<'_>,
    execution: Value<'js>,
) -> CodeRun {
    let reachable = Reachable {
        ctx,
        prompt,
        shelf,
        code,
        name: code.name(),
        execution,
        calls: RefCell::default(),
        agents: RefCell::default(),
        is_checked: Cell::new(false),
        is_first_try: Cell::new(false),
    };
    let kind = if shelf == Shelf::Methods { DefinitionKind::DefMethod } else { DefinitionKind::DefFunction };
    let outcome = async {
        let core = prompt.borrow().core.clone();
        let declared = declared(&core, kind, |name| active.iter().any(|active| active == name));
        // What is waited for is another process, not the script.
        let _alive = KeepAlive::new(ctx)?;
        let sandbox = sandbox(ctx, prompt)?;
        if let Some(mentioned) = search::mentioned(&declared.list, code.text) {
            let few = Declarations::new(&mentioned).map_err(|error| type_error(ctx, error.to_string()))?;
            reachable.is_first_try.set(true);
            let outcome = sandbox.run(code.text, &few, &reachable).await;
            reachable.is_first_try.set(false);
            // What is wrong is said in full when everything is known: what was meant may be a function that is not mentioned.
            if !matches!(outcome, RunOutcome::Refused { .. }) {
                return Ok(outcome);
            }
        }
        Ok(sandbox.run(code.text, declared.declarations(ctx)?, &reachable).await)
    };
    let outcome = outcome.await;
    if outcome.is_ok() {
        // Of code whose check was killed, or that no worker took up, nobody has been told.
        reachable.checked(false, &[]);
    }
    CodeRun { outcome, agents: reachable.agents.take() }
}

/// The functions of a prompt, as code in the sandbox reaches them.
struct Reachable<'a, 'js> {
    ctx: &'a Ctx<'js>,
    prompt: &'a PromptObject<'js>,
    shelf: Shelf,
    code: Code<'a>,
    /// Names the code within its step.
    name: String,
    execution: Value<'js>,
    /// How many calls have asked for what.
    calls: RefCell<HashMap<String, usize>>,
    agents: RefCell<Vec<AgentRun>>,
    /// It was told what the check came to.
    is_checked: Cell<bool>,
    /// The check knows some of the functions only: nobody is told that it failed.
    is_first_try: Cell<bool>,
}

impl<'js> Reachable<'_, 'js> {
    /// Answers a call, unless it was answered in another process.
    async fn answer_part(&self, name: &str, args: &RawValue) -> std::result::Result<Box<RawValue>, String> {
        let asked = asked(name, args);
        let number = {
            let mut calls = self.calls.borrow_mut();
            let before = calls.entry(asked.clone()).or_insert(0);
            *before += 1;
            *before - 1
        };
        // What runs at the same time begins in another order in every process: what is asked for tells calls apart.
        let call = format!("{}#{asked}#{number}", self.name);
        let may_repeat = self.find(name).is_none_or(|(callable, _)| callable.options.may_repeat());
        let part = PartOfCall { of: &self.name, number, name, args, may_repeat };
        let answer = self.answer(hash(&call), name, args);
        let answer = going_on::within_call(self.ctx, self.prompt, &call, answer);
        let part_name = CallPartName { of: self.name.clone(), asked, number };
        let answer = jobs::of_part(self.ctx, self.prompt, part_name, answer.boxed_local());
        going_on::part(self.ctx, self.prompt, part, answer).await
    }

    async fn answer(&self, part: u64, name: &str, args: &RawValue) -> std::result::Result<Box<RawValue>, String> {
        let Some((callable, is_agent)) = self.find(name) else { return Err(format!("{name} is not defined any more")) };
        let label = Label { noun: "function", name, of: None, tool_call_id: None, part: Some(part) };
        // From text to text: a plain value in between would lose half surrogate pairs and endless numbers.
        let input = self.ctx.json_parse(args.get()).map_err(|error| message_of(self.ctx, error))?;
        let input = validate_input(self.ctx, &callable, label, input).await?;
        let answered = if is_agent {
            let ask = async |input| self.ask(&callable, label, input).await;
            run_with(self.ctx, &callable, label, input, ask).await
        } else {
            run_callable(self.ctx, &callable, label, input, self.execution.clone()).await
        };
        match answered {
            Answered::Value(value) => {
                let text = result_text(self.ctx, label, &value)?;
                RawValue::from_string(text).map_err(|error| format!("the result of {name} is not JSON: {error}"))
            }
            Answered::Failed(message) => Err(message),
        }
    }

    fn tool_call_id(&self) -> Option<String> {
        self.code.tool_call_id.map(str::to_owned)
    }

    /// What code calls `name` or `namespace.name`, and whether a child prompt answers it.
    fn find(&self, name: &str) -> Option<(Callable<'js>, bool)> {
        let (top, member) = name.split_once('.').map_or((name, None), |(top, member)| (top, Some(member)));
        let prompt = self.prompt.borrow();
        let entry = prompt.bag.entry(self.shelf, top)?;
        let callable = match (&entry, member) {
            (Entry::Single(callable), None) => callable,
            (entry, Some(member)) => &entry.item(member)?.callable,
            (Entry::Composite(_), None) => return None,
        };
        let definitions = prompt.core.prompt.borrow();
        let is_agent = self.shelf == Shelf::Functions
            && definitions
                .functions(DefinitionKind::DefFunction)
                .any(|(name, function)| name == top && function.kind == DefinitionKind::DefFunctionAgent);
        Some((callable.clone(), is_agent))
    }

    /// Runs a function agent: with a schema its answer is the parsed JSON, without one the text.
    async fn ask(&self, callable: &Callable<'js>, label: Label<'_>, input: Value<'js>) -> Result<Value<'js>> {
        let answer = ask_validated(self.ctx, self.prompt, callable, label, input).await?;
        // Also of an answer that is refused: the child's work was done, and the steps show what it said.
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

impl HostFunctions for Reachable<'_, '_> {
    fn call<'a>(
        &'a self,
        name: &'a str,
        args: Box<RawValue>,
    ) -> LocalBoxFuture<'a, std::result::Result<Box<RawValue>, String>> {
        async move { self.answer_part(name, &args).await }.boxed_local()
    }

    fn checked(&self, runs: bool, diagnostics: &[CodeDiagnostic]) {
        if self.is_first_try.get() && !runs {
            return;
        }
        // Once: what comes after the first is from a worker in which the code runs.
        if self.is_checked.replace(true) {
            return;
        }
        let diagnostics = serde_json::json!(diagnostics);
        let (tool_call_id, code) = (self.tool_call_id(), self.code.text.into());
        let told = EventKind::CodeCheck { tool_call_id, code, ok: runs, diagnostics };
        services::scope(self.ctx, &self.prompt.borrow().core).map(|scope| scope.emit(&told)).ok();
    }

    fn console(&self, line: &LogLine) {
        // Code sees what the functions that it calls throw and return, and there may be a key in that.
        let Ok(redactor) = services::redactor(self.ctx) else { return };
        let text = redactor.apply(&line.text);
        let shown: String = text.lines().map(|line| format!("[sandbox] {line}\n")).collect();
        let told = EventKind::CodeConsole { tool_call_id: self.tool_call_id(), text };
        services::scope(self.ctx, &self.prompt.borrow().core).map(|scope| scope.emit(&told)).ok();
        // The code's run must not depend on whether its console can be shown.
        let _ = warn::write_foreign(self.ctx, &shown);
    }

    fn notice(&self, text: &str) {
        let _ = warn::warning(self.ctx, text);
    }
}
