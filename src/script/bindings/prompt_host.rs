//! The step loop's view of a prompt written in JavaScript.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use rquickjs::{Array, Ctx, Error, Function, Object, Result, Value};

use super::{
    abort, agents, effects, execution, function_call, functions, methods, models, options,
    stateful_prompt::{Core, PromptObject, area, parts},
    steps, tool_call, tools,
    values::{apply_async, call_async, elements, property},
};
use crate::{
    chat::{PromptMessages, Step, ToolCall, ToolOutput, ToolSpec},
    prompt::{
        DefinitionKind, MethodAnswer, Prompt, PromptHost, RunError, RunRecord, RunSettings, StepModifications,
        ToolAnswer,
    },
    provider::LanguageModel,
    script::{diagnose, diagnose_error},
};

/// A prompt object as the step loop drives it, for one run.
pub(super) struct ScriptPrompt<'js> {
    ctx: Ctx<'js>,
    prompt: PromptObject<'js>,
    core: Rc<Core>,
    bag: Object<'js>,
    record: Rc<RunRecord>,
    model: OnceCell<Rc<dyn LanguageModel + 'js>>,
    settings: RunSettings,
}

impl<'js> ScriptPrompt<'js> {
    /// Prepares a run: resolves the model and reads the options. Throws when either is wrong.
    pub(super) fn new(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Self> {
        let (core, bag) = parts(prompt);
        let settings = match property(&bag, "options")?.and_then(Value::into_object) {
            Some(given) => options::read(ctx, &given, "config.options")?,
            None => RunSettings::default(),
        };
        let model = OnceCell::new();
        let _ = model.set(models::resolve(ctx, &bag.get("model")?)?);
        let record = Rc::new(RunRecord::default());
        *core.record.borrow_mut() = record.clone();
        core.step.set(0);
        for kept in ["stepObjects", "fullStepObjects", "resultSteps", "thrown"] {
            bag.remove(kept)?;
        }
        Ok(ScriptPrompt { ctx: ctx.clone(), prompt: prompt.clone(), core, bag, record, model, settings })
    }

    /// The record of this run.
    pub(super) fn run_record(&self) -> Rc<RunRecord> {
        self.record.clone()
    }

    /// A JavaScript failure as the run's error; keeps the thrown value.
    fn failed(&self, error: Error) -> RunError {
        let thrown = match error {
            Error::Exception => {
                let thrown = self.ctx.catch();
                // Whoever awaits the run gets the very value that was thrown. Setting a property of our own bag cannot fail
                // but for memory, and then the message is all there is.
                let _ = self.bag.set("thrown", thrown.clone());
                diagnose(&self.ctx, thrown)
            }
            other => diagnose_error(&self.ctx, other),
        };
        RunError::Script(Box::new(thrown.diagnostic))
    }

    fn option(&self, name: &str) -> Result<Option<Value<'js>>> {
        match property(&self.bag, "options")?.and_then(Value::into_object) {
            Some(options) => property(&options, name),
            None => Ok(None),
        }
    }

    async fn run_body_again(&self) -> Result<()> {
        let Some(function) = property(&self.bag, "fn")?.and_then(Value::into_function) else { return Ok(()) };
        self.core.prompt.borrow_mut().begin_rerun();
        let ran = run_body(&self.prompt, &function).await;
        if ran.is_err() {
            self.core.prompt.borrow_mut().abandon_rerun();
            return ran;
        }
        let removed = self.core.prompt.borrow_mut().finish_rerun();
        for (kind, name) in removed {
            let kept_in = match kind {
                DefinitionKind::DefTool | DefinitionKind::DefAgent => "tools",
                DefinitionKind::DefFunction | DefinitionKind::DefFunctionAgent => "functions",
                DefinitionKind::DefMethod => "methods",
                DefinitionKind::Def | DefinitionKind::DefData | DefinitionKind::DefSystem => continue,
            };
            area(&self.bag, kept_in)?.remove(&name)?;
        }
        Ok(())
    }

    fn specs(&self, names: &[String]) -> Result<Vec<ToolSpec>> {
        let entries = area(&self.bag, "tools")?;
        let prompt = self.core.prompt.borrow();
        let active = prompt.tools().filter(|(name, _)| names.iter().any(|active| active == name));
        active
            .map(|(name, tool)| {
                let entry: Object = entries.get(name)?;
                if functions::is_run_tool_code(&entry)? {
                    return Ok(functions::tool_spec(tool));
                }
                tools::tool_spec(&self.ctx, name, tool, &entry)
            })
            .collect()
    }

    async fn answer(&self, call: &ToolCall, messages: &PromptMessages) -> Result<ToolAnswer> {
        let entry: Object = area(&self.bag, "tools")?.get(&call.tool_name)?;
        let execution = execution::create(&self.ctx, &self.bag, &call.tool_call_id, messages)?;
        let kind =
            self.core.prompt.borrow().tools().find(|(name, _)| *name == call.tool_name).map(|(_, tool)| tool.kind);
        Ok(match kind {
            _ if functions::is_run_tool_code(&entry)? => {
                function_call::run_tool_code(&self.ctx, &self.prompt, call, execution).await
            }
            Some(DefinitionKind::DefAgent) => agents::call_agent(&self.ctx, &self.prompt, &entry, call).await,
            _ => tool_call::call_tool(&self.ctx, &entry, call, execution).await,
        })
    }

    async fn after_step(&self, step: &Step) -> Result<bool> {
        let number = self.record.steps().len() - 1;
        if let Some(hook) = self.option("onStepFinish")?.and_then(Value::into_function) {
            call_async(&hook, (steps::step_result(&self.ctx, number, step)?,)).await?;
        }
        let Some(conditions) = self.option("stopWhen")? else { return Ok(false) };
        let conditions = match conditions.as_array() {
            Some(list) => elements(list)?,
            None => vec![conditions],
        };
        let argument = Object::new(self.ctx.clone())?;
        argument.set("steps", self.result_steps()?)?;
        for condition in conditions {
            let Some(condition) = condition.as_function() else { continue };
            let answer = call_async(condition, (argument.clone(),)).await?;
            if super::values::is_truthy(&answer)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The steps as `stopWhen` and `onFinish` see them; made once each.
    fn result_steps(&self) -> Result<Array<'js>> {
        let kept = match property(&self.bag, "resultSteps")?.and_then(Value::into_array) {
            Some(kept) if kept.len() <= self.record.steps().len() => kept,
            _ => {
                let kept = Array::new(self.ctx.clone())?;
                self.bag.set("resultSteps", kept.clone())?;
                kept
            }
        };
        let new: Vec<Rc<Step>> = self.record.steps().iter().skip(kept.len()).cloned().collect();
        for step in new {
            kept.set(kept.len(), steps::step_result(&self.ctx, kept.len(), &step)?)?;
        }
        Ok(kept)
    }

    async fn after_run(&self, failed: bool) -> Result<()> {
        effects::clean_up_all(&self.bag).await?;
        let hook = if failed { None } else { self.option("onFinish")?.and_then(Value::into_function) };
        if let Some(hook) = hook {
            let last = self.record.steps().last().cloned();
            let event = match last {
                Some(step) => steps::step_result(&self.ctx, self.record.steps().len() - 1, &step)?,
                None => Object::new(self.ctx.clone())?,
            };
            event.set("steps", self.result_steps()?)?;
            event.set("totalUsage", super::values::from_serde(&self.ctx, &self.record.total_usage())?)?;
            call_async(&hook, (event,)).await?;
        }
        Ok(())
    }
}

/// Calls a prompt function with its prompt, from the first effect on.
pub(super) async fn run_body<'js>(prompt: &PromptObject<'js>, function: &Function<'js>) -> Result<()> {
    parts(prompt).0.next_effect.set(0);
    let this = Value::new_undefined(prompt.ctx().clone());
    apply_async(function, this, vec![prompt.as_value().clone()]).await.map(drop)
}

impl<'js> PromptHost for ScriptPrompt<'js> {
    fn prompt(&self) -> &RefCell<Prompt> {
        &self.core.prompt
    }

    fn record(&self) -> &RunRecord {
        &self.record
    }

    fn model(&self) -> Rc<dyn LanguageModel + '_> {
        self.model.get().expect("the model is set when the run is made").clone()
    }

    fn settings(&self) -> RunSettings {
        self.settings.clone()
    }

    fn rerun(&self) -> LocalBoxFuture<'_, std::result::Result<(), RunError>> {
        async { self.run_body_again().await.map_err(|error| self.failed(error)) }.boxed_local()
    }

    fn run_effects(&self, step: usize) -> LocalBoxFuture<'_, std::result::Result<StepModifications, RunError>> {
        self.core.step.set(step);
        async { effects::run_due(&self.ctx, &self.bag, &self.core).await.map_err(|error| self.failed(error)) }
            .boxed_local()
    }

    fn plugin_sections(&self) -> std::result::Result<Vec<(String, String)>, RunError> {
        super::plugin_sections(&self.ctx, &self.bag, &self.core).map_err(|error| self.failed(error))
    }

    fn tool_specs(&self, names: &[String]) -> std::result::Result<Vec<ToolSpec>, RunError> {
        self.specs(names).map_err(|error| self.failed(error))
    }

    fn has_methods(&self) -> std::result::Result<bool, RunError> {
        methods::any(&self.bag, &self.core).map_err(|error| self.failed(error))
    }

    fn run_method_code<'a>(&'a self, code: &'a str) -> LocalBoxFuture<'a, MethodAnswer> {
        methods::run(&self.ctx, &self.prompt, code).boxed_local()
    }

    fn call_tool<'a>(&'a self, call: &'a ToolCall, messages: &'a PromptMessages) -> LocalBoxFuture<'a, ToolAnswer> {
        async move {
            self.answer(call, messages).await.unwrap_or_else(|error| ToolAnswer {
                input: call.input.clone(),
                output: ToolOutput::error(tool_call::message_of(&self.ctx, error)),
                agent_steps: None,
            })
        }
        .boxed_local()
    }

    fn step_finished<'a>(&'a self, step: &'a Rc<Step>) -> LocalBoxFuture<'a, std::result::Result<bool, RunError>> {
        async { self.after_step(step).await.map_err(|error| self.failed(error)) }.boxed_local()
    }

    fn run_finished(&self, failed: bool) -> LocalBoxFuture<'_, std::result::Result<(), RunError>> {
        async move { self.after_run(failed).await.map_err(|error| self.failed(error)) }.boxed_local()
    }

    fn aborted(&self) -> LocalBoxFuture<'_, ()> {
        let signal = self.option("abortSignal").ok().flatten();
        abort::aborted(&self.ctx, signal)
    }
}
