//! One run of a prompt, as JavaScript sees it: its record and the values that belong to it.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use rquickjs::{
    Array, Class, Ctx, JsLifetime, Result, Value,
    class::{Trace, Tracer},
};

use super::{told_tool::ToldTool, trace::trace_cell};
use crate::{chat::ToolSpec, event::AgentScope, prompt::RunRecord, script::is_name_mentioned};

/// How many schemas a run keeps as they are, for whoever looks at `fullSteps` later. From then on they are converted at
/// once, which takes time but hardly any memory: enough for a thousand steps with one tool.
const MAX_KEPT_SCHEMAS: usize = 1_000;

/// The tools of a request that nobody read.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) enum KeptTools<'js> {
    /// To be converted when somebody looks.
    Told(Vec<ToldTool<'js>>),
    Converted(#[qjs(skip_trace)] Rc<[ToolSpec]>),
}

/// The tools of each step, each list once.
#[derive(Default, Trace, JsLifetime)]
struct ToolLog<'js> {
    lists: Vec<KeptTools<'js>>,
    /// The list of each step.
    by_step: Vec<usize>,
    schemas: usize,
}

/// A list of step objects that grows with the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepList {
    /// `prompt.steps`.
    Steps,
    /// `prompt.fullSteps`.
    FullSteps,
    /// The steps that hooks and stop conditions are given.
    Results,
}

/// See the module. Results, streams and the prompt share it; it goes when none of them is left.
#[derive(JsLifetime)]
#[rquickjs::class]
pub(crate) struct PromptRun<'js> {
    /// What has happened, as plain data.
    pub(crate) record: Rc<RunRecord>,
    /// The prompt function runs for the first time: the step loop has not begun, but nobody else may begin one.
    pub(crate) is_in_set_up: Cell<bool>,
    /// What the prompt's code threw to end the run: whoever awaits the run gets that very value.
    thrown: RefCell<Option<Value<'js>>>,
    /// The answer as the prompt's `output` has it.
    output: RefCell<Option<Value<'js>>>,
    /// Step objects made so far, a list for each [`StepList`].
    lists: RefCell<Vec<Array<'js>>>,
    /// By step: the tools of requests that nobody read, should somebody look at them in `fullSteps`.
    tools: RefCell<ToolLog<'js>>,
}

impl<'js> Trace<'js> for PromptRun<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        trace_cell(&self.thrown, tracer);
        trace_cell(&self.output, tracer);
        trace_cell(&self.lists, tracer);
        trace_cell(&self.tools, tracer);
    }
}

impl<'js> PromptRun<'js> {
    /// A run that has not begun, whose events are told through `scope`.
    pub(crate) fn create(ctx: &Ctx<'js>, scope: AgentScope) -> Result<Class<'js, Self>> {
        // One for each `StepList`, which is its place.
        let lists = [(); 3].map(|()| Array::new(ctx.clone())).into_iter().collect::<Result<_>>()?;
        let record = RunRecord::new(scope);
        if is_name_mentioned(ctx)? {
            record.keep_answers();
        }
        let run = PromptRun {
            record: Rc::new(record),
            is_in_set_up: Cell::new(false),
            thrown: RefCell::default(),
            output: RefCell::default(),
            lists: RefCell::new(lists),
            tools: RefCell::default(),
        };
        Class::instance(ctx.clone(), run)
    }

    /// The value that ended the run, when the prompt's code threw one.
    pub(crate) fn thrown(&self) -> Option<Value<'js>> {
        self.thrown.borrow().clone()
    }

    /// Notes the value that ends the run.
    pub(crate) fn set_thrown(&self, thrown: Value<'js>) {
        self.thrown.replace(Some(thrown));
    }

    /// The answer as the prompt's `output` has it; none without one, and before it has come.
    pub(crate) fn output(&self) -> Option<Value<'js>> {
        self.output.borrow().clone()
    }

    /// Keeps the answer.
    pub(crate) fn set_output(&self, value: Value<'js>) {
        self.output.replace(Some(value));
    }

    /// The step objects of one kind that were made so far.
    pub(crate) fn list(&self, list: StepList) -> Array<'js> {
        self.lists.borrow()[list as usize].clone()
    }

    /// Keeps the tools of the next step. Hands them back when there are too many schemas by now: then what they convert to
    /// is kept, with [`PromptRun::keep_specs`].
    pub(crate) fn keep_tools(&self, tools: Vec<ToldTool<'js>>) -> Option<Vec<ToldTool<'js>>> {
        let mut log = self.tools.borrow_mut();
        let same_as_before = match log.lists.last() {
            Some(KeptTools::Told(last)) => {
                last.len() == tools.len() && last.iter().zip(&tools).all(|(last, now)| last.tells_the_same(now))
            }
            _ => false,
        };
        if !same_as_before {
            let schemas: usize = tools.iter().map(ToldTool::weight).sum();
            if log.schemas + schemas > MAX_KEPT_SCHEMAS {
                return Some(tools);
            }
            log.schemas += schemas;
            log.lists.push(KeptTools::Told(tools));
        }
        let place = log.lists.len() - 1;
        log.by_step.push(place);
        None
    }

    /// Keeps what the model would have been told on the next step.
    pub(crate) fn keep_specs(&self, specs: Vec<ToolSpec>) {
        let mut log = self.tools.borrow_mut();
        let same_as_before = matches!(log.lists.last(), Some(KeptTools::Converted(last)) if **last == *specs);
        if !same_as_before {
            log.lists.push(KeptTools::Converted(specs.into()));
        }
        let place = log.lists.len() - 1;
        log.by_step.push(place);
    }

    /// The tools that were kept of step `step`.
    pub(crate) fn kept_tools(&self, step: usize) -> KeptTools<'js> {
        let log = self.tools.borrow();
        let list = log.by_step.get(step).and_then(|place| log.lists.get(*place)).cloned();
        list.unwrap_or_else(|| KeptTools::Told(Vec::new()))
    }
}
