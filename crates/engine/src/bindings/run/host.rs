//! [`PromptHost`] for a prompt written in JavaScript, for one run.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use rquickjs::{Class, Ctx, Error, Result, Value};

use super::{
    answer,
    hooks::{self, run_body},
    tool_call,
};
use crate::{
    bindings::{
        code_mode::{functions, methods, search},
        jobs::{self, RunJob},
        mcp, models,
        plugins::{task_graph, task_list},
        prompt::{
            core::Core,
            effects,
            entry::{Entry, Registry},
            object::PromptObject,
            options,
            run::PromptRun,
            tool_spec::{convert, tools_of},
            unconverted_tool::UnconvertedTool,
        },
        results::throw::run_error,
        resume, services, tools,
        values::{abort, message_of, property, type_error},
    },
    prompt::{
        ANSWER_SECTION, ActiveSet, AnswerCheck, DefinitionKind, MethodAnswer, Prompt, PromptHost, RunError, RunRecord,
        RunSettings, Standing, StepModifications, StepPlan, ToolAnswer, ToolMaker, Turns,
    },
};
use lmthing_base::{
    chat::{Step, ToolCall, ToolSpec},
    checkpoint::{Memory, PromptLog, StoredFuture},
    event::{AgentSpan, EventKind, OutputEvent},
};
use lmthing_node::{WaitingForScript, diagnose, diagnose_error, is_halted, is_name_mentioned};
use lmthing_providers::LanguageModel;

pub(crate) struct ScriptPrompt<'js> {
    pub(super) ctx: Ctx<'js>,
    pub(super) prompt: PromptObject<'js>,
    pub(super) core: Rc<Core>,
    run: Class<'js, PromptRun<'js>>,
    record: Rc<RunRecord>,
    log: Option<Rc<PromptLog>>,
    pub(super) model: RefCell<Rc<dyn LanguageModel + 'js>>,
    settings: RunSettings,
    waiting: RefCell<Option<WaitingForScript>>,
    asked_again: Cell<usize>,
    pub(super) job: RunJob,
    /// The span of the agent in events. For a child prompt it began before, with the callback.
    _span: AgentSpan,
}

impl<'js> ScriptPrompt<'js> {
    /// Prepares a run. Throws for a wrong model or wrong options, and if the prompt is running already: two runs
    /// would mix their steps in one conversation.
    pub(crate) fn new(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Self> {
        let (core, options, model, before) = {
            let prompt = prompt.borrow();
            (prompt.core.clone(), prompt.bag.options(), prompt.bag.model(), prompt.bag.run())
        };
        if let Some(before) = before {
            let before = before.borrow();
            if before.is_in_set_up.get() {
                let why = "prompt.run(): the prompt function is still running; lmthing runs its prompt";
                return Err(type_error(ctx, why));
            }
            if before.record.is_under_way() {
                return Err(type_error(ctx, "prompt.run(): the prompt is running already; await its result first"));
            }
        }
        let mut settings = match options {
            Some(given) => options::read(ctx, &given)?,
            None => RunSettings::default(),
        };
        if let Some(shape) = &*core.answer.borrow() {
            Rc::make_mut(&mut settings.call).response_format = Some(shape.format().clone());
        }
        let model = model.unwrap_or_else(|| Value::new_undefined(ctx.clone()));
        let model = models::resolve::resolve(ctx, &model, core.mock.borrow().clone())?;
        let scope = services::scope(ctx, &core)?;
        let run = PromptRun::create(ctx, scope.clone())?;
        prompt.borrow().bag.set_run(run.clone());
        core.step.set(0);
        let record = run.borrow().record.clone();
        let log = core.log.borrow().clone().filter(|log| log.begin_run());
        core.log.replace(log.clone());
        resume::skip_played(&*model, log.as_deref());
        let job = RunJob::begin(ctx, &core)?;
        Ok(ScriptPrompt {
            ctx: ctx.clone(),
            prompt: prompt.clone(),
            core,
            run,
            record,
            log,
            model: RefCell::new(model),
            settings,
            waiting: RefCell::default(),
            asked_again: Cell::new(0),
            job,
            _span: scope.begin(),
        })
    }

    pub(crate) fn object(&self) -> PromptObject<'js> {
        self.prompt.clone()
    }

    /// Takes over the steps of an earlier process. Must be called after the set-up.
    pub(crate) fn take_over_steps(&self) {
        if let Some(restored) = resume::take_over_steps(&self.prompt, &self.record, &self.settings.call) {
            // A turn that has failed is asked again.
            let is_conversation = restored.has_turns || self.core.turns.borrow().is_some();
            self.asked_again.set(if is_conversation { 0 } else { restored.after.asked_again });
            let run = self.run.borrow();
            run.turn_start.set(restored.turn_start);
            // Tools of these steps are not available; the steps themselves hold their specs.
            restored.steps.iter().for_each(|_| run.keep_specs(Vec::new()));
        }
    }

    pub(crate) fn chosen_model(&self) -> Rc<dyn LanguageModel + 'js> {
        self.model.borrow().clone()
    }

    pub(crate) fn run(&self) -> Class<'js, PromptRun<'js>> {
        self.run.clone()
    }

    /// Converts a JavaScript failure, and stores the thrown value for code that awaits the run.
    pub(super) fn to_run_error(&self, error: Error) -> RunError {
        run_error(match error {
            Error::Exception => {
                let thrown = self.ctx.catch();
                self.run.borrow().set_thrown(thrown.clone());
                diagnose(&self.ctx, thrown)
            }
            other => diagnose_error(&self.ctx, other),
        })
    }

    async fn run_body_again(&self) -> Result<()> {
        let function = self.prompt.borrow().bag.function();
        let Some(function) = function else { return Ok(()) };
        self.core.prompt.borrow_mut().begin_rerun();
        let result = run_body(&self.prompt, &function).await;
        // A body that failed has not defined everything, so nothing is removed.
        if result.is_err() {
            self.core.prompt.borrow_mut().abandon_rerun();
            return result;
        }
        let removed = self.core.prompt.borrow_mut().finish_rerun();
        let prompt = self.prompt.borrow();
        for (kind, name) in removed {
            if kind == DefinitionKind::DefMcp {
                prompt.bag.remove_server(&name);
            }
            if let Some(registry) = Registry::of(kind) {
                prompt.bag.remove_entry(registry, Registry::key(kind, &name));
            }
        }
        Ok(())
    }

    fn sections(&self, active: &ActiveSet) -> Result<Vec<(String, String)>> {
        let answer = self.core.answer.borrow().clone();
        let sections = [
            answer.map(|shape| (ANSWER_SECTION.to_owned(), shape.instruction())),
            task_list::section(&self.ctx, &self.prompt)?,
            task_graph::section(&self.ctx, &self.prompt)?,
            functions::section(&self.ctx, &self.core, active)?,
            methods::section(&self.ctx, &self.core, active)?,
        ];
        Ok(sections.into_iter().flatten().collect())
    }

    fn abort_signal(&self) -> Option<Value<'js>> {
        let options = self.prompt.borrow().bag.options();
        options.and_then(|options| property(&options, "abortSignal").ok().flatten())
    }

    fn unconverted_tools(&self, names: &[String]) -> Vec<UnconvertedTool<'js>> {
        tools_of(&self.prompt, |name| names.iter().any(|active| active == name))
    }

    fn specs(&self, tools: &[UnconvertedTool<'js>]) -> Result<Vec<ToolSpec>> {
        tools.iter().map(|tool| Ok(convert(&self.ctx, &self.prompt, tool)?.spec.clone())).collect()
    }
}

impl<'js> PromptHost for ScriptPrompt<'js> {
    fn prompt(&self) -> &RefCell<Prompt> {
        &self.core.prompt
    }

    fn record(&self) -> &RunRecord {
        &self.record
    }

    fn model(&self) -> Rc<dyn LanguageModel + '_> {
        self.job.begin_request(&self.ctx, self.record.scope().agent().key());
        // Mocks do not use the environment, and their steps are many.
        let model = self.chosen_model();
        if model.reads_request() && services::refresh_environment(&self.ctx).is_err() {
            // A variable without a string value, which is used once it has one.
            self.ctx.catch();
        }
        model
    }

    fn turns(&self) -> Option<Rc<dyn Turns>> {
        self.core.turns.borrow().clone()
    }

    fn begin_turn(&self) {
        self.asked_again.set(0);
        let run = self.run.borrow();
        run.turn_start.set(run.record.steps().len());
    }

    fn turn_answered(&self) -> std::result::Result<(), RunError> {
        let Some(value) = self.run.borrow().output() else { return Ok(()) };
        let value = answer::output_json(&self.ctx, &value).map_err(|error| self.to_run_error(error))?;
        self.record.scope().emit(&EventKind::Output(OutputEvent::Value(value)));
        Ok(())
    }

    fn interrupt_calls(&self) {
        // Without a signal, the results of the calls are dropped all the same.
        let _ = tools::end_signal::interrupt(&self.ctx);
    }

    fn standing(&self) -> Standing {
        self.core.standing.get()
    }

    fn settings(&self) -> RunSettings {
        let mut settings = self.settings.clone();
        if let Some(added) = self.core.turns.borrow().as_ref().and_then(|turns| turns.system()) {
            settings.system = Some(settings.system.into_iter().chain([added]).collect::<Vec<_>>().join("\n\n"));
        }
        settings
    }

    fn log(&self) -> Option<&Rc<PromptLog>> {
        self.log.as_ref()
    }

    fn memory(&self) -> std::result::Result<Memory, RunError> {
        let memory = resume::current_memory(&self.ctx, &self.prompt, self.asked_again.get());
        memory.map_err(|error| self.to_run_error(error))
    }

    fn while_storing(&self, stored: StoredFuture<'static>) -> StoredFuture<'_> {
        jobs::while_storing(&self.ctx, stored).boxed_local()
    }

    fn may_repeat(&self, tool_name: &str) -> bool {
        match self.prompt.borrow().bag.entry(Registry::Tools, tool_name) {
            Some(Entry::Single(callable)) => callable.options.may_repeat(),
            // The members of an array form are decided one by one.
            Some(Entry::Composite(_)) | None => true,
        }
    }

    fn is_plain_tool(&self, tool_name: &str) -> bool {
        let definitions = self.core.prompt.borrow();
        let tool = definitions.tool(tool_name);
        tool.is_none_or(|tool| tool.kind == DefinitionKind::DefTool && tool.maker != ToolMaker::CodeMode)
    }

    fn rerun(&self) -> LocalBoxFuture<'_, std::result::Result<(), RunError>> {
        async {
            let _waiting = WaitingForScript::new(&self.ctx).map_err(|error| self.to_run_error(error))?;
            self.run_body_again().await.map_err(|error| self.to_run_error(error))
        }
        .boxed_local()
    }

    fn run_effects(&self, step: usize) -> LocalBoxFuture<'_, std::result::Result<StepModifications, RunError>> {
        self.core.step.set(step);
        async {
            let _waiting = WaitingForScript::new(&self.ctx).map_err(|error| self.to_run_error(error))?;
            mcp::tools::update_servers(&self.ctx, &self.prompt).await.map_err(|error| self.to_run_error(error))?;
            search::define_if_needed(&self.ctx, &self.prompt).map_err(|error| self.to_run_error(error))?;
            effects::run_due(&self.ctx, &self.prompt).await.map_err(|error| self.to_run_error(error))
        }
        .boxed_local()
    }

    fn plugin_sections(&self, active: &ActiveSet) -> std::result::Result<Vec<(String, String)>, RunError> {
        self.sections(active).map_err(|error| self.to_run_error(error))
    }

    fn tool_specs(&self, names: &[String]) -> std::result::Result<Vec<ToolSpec>, RunError> {
        self.specs(&self.unconverted_tools(names)).map_err(|error| self.to_run_error(error))
    }

    fn keep_tools(&self, names: &[String]) -> std::result::Result<(), RunError> {
        // Only `fullSteps` shows them. A schema that the prompt function makes would be kept for every step.
        if !is_name_mentioned(&self.ctx).map_err(|error| self.to_run_error(error))? {
            self.run.borrow().keep_specs(Vec::new());
            return Ok(());
        }
        let too_many = self.run.borrow().keep_tools(self.unconverted_tools(names));
        let Some(tools) = too_many else { return Ok(()) };
        let specs = self.specs(&tools).map_err(|error| self.to_run_error(error))?;
        self.run.borrow().keep_specs(specs);
        Ok(())
    }

    fn run_method_code<'a>(&'a self, code: &'a str, plan: &'a StepPlan) -> LocalBoxFuture<'a, MethodAnswer> {
        let work = methods::run(&self.ctx, &self.prompt, code, plan).boxed_local();
        self.job.run_text_code(&self.ctx, &self.prompt, work).boxed_local()
    }

    fn call_tool<'a>(&'a self, call: &'a ToolCall, plan: &'a StepPlan) -> LocalBoxFuture<'a, ToolAnswer> {
        async move {
            let answer = tool_call::answer(&self.ctx, &self.prompt, call, plan).boxed_local();
            let answer = jobs::run_call(&self.ctx, &self.prompt, &call.tool_call_id, answer).await;
            answer.unwrap_or_else(|error| ToolAnswer::failed(call, message_of(&self.ctx, error)))
        }
        .boxed_local()
    }

    fn set_waiting_for_tools(&self, waits: bool) {
        self.job.set_asking(&self.ctx, false);
        // Only affects the detection of tools that never answer.
        self.waiting.replace(if waits { WaitingForScript::new(&self.ctx).ok() } else { None });
    }

    fn report_refused_call(&self, message: &str) {
        let function = self.prompt.borrow().bag.function();
        tools::warnings::unanswered(&self.ctx, function.as_ref(), message);
    }

    fn step_finished<'a>(&'a self, step: &'a Rc<Step>) -> LocalBoxFuture<'a, std::result::Result<bool, RunError>> {
        async {
            let _waiting = WaitingForScript::new(&self.ctx).map_err(|error| self.to_run_error(error))?;
            let ended = hooks::step_finished(&self.ctx, &self.prompt, &self.run, step).await;
            ended.map_err(|error| self.to_run_error(error))
        }
        .boxed_local()
    }

    fn check_answer<'a>(
        &'a self,
        step: &'a Rc<Step>,
        may_ask: bool,
    ) -> LocalBoxFuture<'a, std::result::Result<AnswerCheck, RunError>> {
        async move {
            let _waiting = WaitingForScript::new(&self.ctx).map_err(|error| self.to_run_error(error))?;
            let retries = answer::Retries {
                done: self.asked_again.get(),
                limit: self.settings.output_retries,
                may_retry: may_ask,
            };
            let checked = answer::check(&self.prompt, &self.run, step, retries).await;
            let checked = checked.map_err(|error| self.to_run_error(error))??;
            if matches!(checked, AnswerCheck::AskAgain(_)) {
                self.asked_again.set(retries.done + 1);
            }
            Ok(checked)
        }
        .boxed_local()
    }

    fn run_finished(&self, failed: bool) -> LocalBoxFuture<'_, std::result::Result<(), RunError>> {
        async move {
            let _waiting = WaitingForScript::new(&self.ctx).map_err(|error| self.to_run_error(error))?;
            let ended = hooks::run_finished(&self.ctx, &self.prompt, &self.run, failed).await;
            ended.map_err(|error| self.to_run_error(error))
        }
        .boxed_local()
    }

    fn is_aborted(&self) -> bool {
        is_halted(&self.ctx) || self.abort_signal().is_some_and(|signal| abort::is_aborted(&self.ctx, &signal))
    }

    fn aborted(&self) -> LocalBoxFuture<'_, ()> {
        abort::aborted(&self.ctx, self.abort_signal())
    }
}
