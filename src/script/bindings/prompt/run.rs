//! One run of a prompt, as JavaScript sees it: its record and the values that belong to it.

use std::{cell::RefCell, rc::Rc};

use rquickjs::{
    Array, Class, Ctx, JsLifetime, Result, Value,
    class::{Trace, Tracer},
};

use super::{told_tool::ToldTool, trace::trace_cell};
use crate::prompt::RunRecord;

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
    /// What the prompt's code threw to end the run: whoever awaits the run gets that very value.
    thrown: RefCell<Option<Value<'js>>>,
    /// Step objects made so far, a list for each [`StepList`].
    lists: RefCell<Vec<Array<'js>>>,
    /// By step: the tools of requests that nobody read, should somebody look at them in `fullSteps`.
    tools: RefCell<Vec<Vec<ToldTool<'js>>>>,
}

impl<'js> Trace<'js> for PromptRun<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        trace_cell(&self.thrown, tracer);
        trace_cell(&self.lists, tracer);
        trace_cell(&self.tools, tracer);
    }
}

impl<'js> PromptRun<'js> {
    /// A run that has not begun.
    pub(crate) fn create(ctx: &Ctx<'js>) -> Result<Class<'js, Self>> {
        // One for each `StepList`, which is its place.
        let lists = [(); 3].map(|()| Array::new(ctx.clone())).into_iter().collect::<Result<_>>()?;
        let run = PromptRun {
            record: Rc::default(),
            thrown: RefCell::default(),
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

    /// The step objects of one kind that were made so far.
    pub(crate) fn list(&self, list: StepList) -> Array<'js> {
        self.lists.borrow()[list as usize].clone()
    }

    /// Keeps the tools of step `step`.
    pub(crate) fn keep_tools(&self, step: usize, tools: Vec<ToldTool<'js>>) {
        let mut kept = self.tools.borrow_mut();
        // Steps whose model read its request have their tools in the step, and nothing here.
        kept.resize_with(step, Vec::new);
        kept.push(tools);
    }

    /// The tools that were kept of step `step`.
    pub(crate) fn kept_tools(&self, step: usize) -> Vec<ToldTool<'js>> {
        self.tools.borrow().get(step).cloned().unwrap_or_default()
    }
}
