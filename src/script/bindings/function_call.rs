//! Running model-written code in the sandbox, and answering its calls of registered functions (SPEC 6).

use std::{cell::RefCell, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};
use rquickjs::{Ctx, Object, Result, Value};
use serde_json::value::RawValue;

use super::{
    agents, functions, services,
    stateful_prompt::{PromptObject, parts},
    tool_call::{Answered, Label, message_of, result_text, run_entry, run_with, validate_input},
    values::{from_json, plain_error},
};
use crate::{
    chat::{Step, ToolCall, ToolOutput},
    prompt::ToolAnswer,
    sandbox::{HostFunctions, LogLine, RunOutcome},
    script::warn,
};

/// Answers a call of `runToolCode`.
pub(super) async fn run_tool_code<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    call: &ToolCall,
    execution: Value<'js>,
) -> ToolAnswer {
    let Some(code) = call.input.value().get("code").and_then(serde_json::Value::as_str) else {
        let message = "Invalid input for tool runToolCode: it takes {code}, a string of TypeScript";
        return ToolAnswer { input: call.input.clone(), output: ToolOutput::error(message), agent_steps: None };
    };
    let (outcome, steps) = run_code(ctx, prompt, "functions", code, execution).await;
    let output = match outcome {
        Ok(outcome) => ToolOutput::Json(outcome.to_value()),
        Err(error) => ToolOutput::error(message_of(ctx, error)),
    };
    let agent_steps = (!steps.is_empty()).then(|| Rc::new(steps));
    ToolAnswer { input: call.input.clone(), output, agent_steps }
}

/// Runs code with the functions of a prompt (`kept_in` is `functions` or `methods`); the steps are those of the agents it
/// called.
pub(super) async fn run_code<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    kept_in: &str,
    code: &str,
    execution: Value<'js>,
) -> (Result<RunOutcome>, Vec<Step>) {
    let (core, bag) = parts(prompt);
    let reachable = Reachable { ctx, prompt, bag: &bag, kept_in, execution, steps: RefCell::default() };
    let outcome = async {
        let declarations = functions::declarations(ctx, &bag, &core, kept_in)?;
        let sandbox = services::sandbox(ctx, &bag)?;
        Ok(sandbox.run(code, &declarations, &reachable).await)
    };
    (outcome.await, reachable.steps.take())
}

/// The functions of a prompt, as code in the sandbox reaches them.
struct Reachable<'a, 'js> {
    ctx: &'a Ctx<'js>,
    prompt: &'a PromptObject<'js>,
    bag: &'a Object<'js>,
    kept_in: &'a str,
    execution: Value<'js>,
    steps: RefCell<Vec<Step>>,
}

impl<'js> Reachable<'_, 'js> {
    async fn answer(&self, name: &str, args: &RawValue) -> std::result::Result<Box<RawValue>, String> {
        let found = functions::find(self.bag, self.kept_in, name).map_err(|error| message_of(self.ctx, error))?;
        let Some((entry, is_agent)) = found else { return Err(format!("{name} is not defined any more")) };
        let label = Label { noun: "function", name };
        let input = self.ctx.json_parse(args.get()).map_err(|error| message_of(self.ctx, error))?;
        let input = validate_input(self.ctx, &entry, label, input).await?;
        let answered = if is_agent {
            run_with(self.ctx, &entry, label, input, async |input| self.ask(&entry, label, input).await).await
        } else {
            run_entry(self.ctx, &entry, label, input, self.execution.clone()).await
        };
        match answered {
            Answered::Value(value) => {
                let text = result_text(self.ctx, label, &value)?;
                RawValue::from_string(text).map_err(|error| format!("the result of {name} is not JSON: {error}"))
            }
            Answered::Failed(message) => Err(message),
        }
    }

    /// Runs a function agent: with a schema its answer is the parsed JSON, without one the text.
    async fn ask(&self, entry: &Object<'js>, label: Label<'_>, input: Value<'js>) -> Result<Value<'js>> {
        let answer = agents::ask_validated(self.ctx, self.prompt, entry, label, input).await?;
        self.steps.borrow_mut().extend(answer.steps);
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
        async move { self.answer(name, &args).await }.boxed_local()
    }

    fn console(&self, line: &LogLine) {
        let text: String = line.text.lines().map(|line| format!("[sandbox] {line}\n")).collect();
        let _ = warn::stderr(self.ctx, &text);
    }

    fn notice(&self, text: &str) {
        let _ = warn::warning(self.ctx, text);
    }
}
