//! One run of a prompt: its record and its JavaScript values.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use rquickjs::{
    Array, Class, Ctx, JsLifetime, Result, Value,
    class::{Trace, Tracer},
};

use tokio::sync::Mutex;

use super::{trace_cell::trace_cell, unconverted_tool::UnconvertedTool};
use crate::prompt::RunRecord;
use lmthing_base::{chat::ToolSpec, event::AgentScope};
use lmthing_node::is_name_mentioned;

/// Number of schemas that a run keeps unconverted for `fullSteps`. Beyond it, schemas are converted at once, which
/// takes time but little memory. Enough for a thousand steps with one tool.
const MAX_UNCONVERTED_SCHEMAS: usize = 1_000;

#[derive(Clone, Trace, JsLifetime)]
pub enum StepTools<'js> {
    Unconverted(Vec<UnconvertedTool<'js>>),
    Converted(#[qjs(skip_trace)] Rc<[ToolSpec]>),
}

#[derive(Default, Trace, JsLifetime)]
struct ToolLog<'js> {
    lists: Vec<StepTools<'js>>,
    by_step: Vec<usize>,
    schema_count: usize,
}

/// The elements of a list that are validated. All readers of the answer share them with `result.output`.
#[derive(Default, Trace, JsLifetime)]
struct ValidElements<'js> {
    values: Vec<Value<'js>>,
    #[qjs(skip_trace)]
    places: HashMap<ElementKey, usize>,
}

/// A hash of an element's JSON, and how often the list has such elements up to this one.
pub(crate) type ElementKey = (u64, usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepList {
    Steps,
    FullSteps,
    /// For hooks and stop conditions.
    Results,
}

#[derive(JsLifetime)]
#[rquickjs::class]
pub struct PromptRun<'js> {
    pub record: Rc<RunRecord>,
    /// Whether the prompt function runs for the first time. The step loop has not begun, but no other run may begin.
    pub is_in_set_up: Cell<bool>,
    /// The number of steps before the turn of the user that is being answered.
    pub turn_start: Cell<usize>,
    /// What the prompt's code threw to end the run. It is rethrown to code that awaits the run.
    thrown: RefCell<Option<Value<'js>>>,
    output: RefCell<Option<Value<'js>>>,
    /// `None` unless elements are read while the answer comes.
    elements: RefCell<Option<ValidElements<'js>>>,
    /// Held while an element is validated.
    pub element_turn: Rc<Mutex<()>>,
    lists: RefCell<Vec<Array<'js>>>,
    tools: RefCell<ToolLog<'js>>,
}

impl<'js> Trace<'js> for PromptRun<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        trace_cell(&self.thrown, tracer);
        trace_cell(&self.output, tracer);
        trace_cell(&self.elements, tracer);
        trace_cell(&self.lists, tracer);
        trace_cell(&self.tools, tracer);
    }
}

impl<'js> PromptRun<'js> {
    pub fn create(ctx: &Ctx<'js>, scope: AgentScope) -> Result<Class<'js, Self>> {
        let lists = [(); 3].map(|()| Array::new(ctx.clone())).into_iter().collect::<Result<_>>()?;
        let record = RunRecord::new(scope);
        if is_name_mentioned(ctx)? {
            record.keep_answers();
        }
        let run = PromptRun {
            record: Rc::new(record),
            is_in_set_up: Cell::new(false),
            turn_start: Cell::new(0),
            thrown: RefCell::default(),
            output: RefCell::default(),
            elements: RefCell::default(),
            element_turn: Rc::default(),
            lists: RefCell::new(lists),
            tools: RefCell::default(),
        };
        Class::instance(ctx.clone(), run)
    }

    pub fn thrown(&self) -> Option<Value<'js>> {
        self.thrown.borrow().clone()
    }

    pub fn set_thrown(&self, thrown: Value<'js>) {
        self.thrown.replace(Some(thrown));
    }

    pub fn output(&self) -> Option<Value<'js>> {
        self.output.borrow().clone()
    }

    pub fn set_output(&self, value: Value<'js>) {
        self.output.replace(Some(value));
    }

    /// Keeps validated elements from now on.
    pub fn share_elements(&self) {
        self.elements.borrow_mut().get_or_insert_default();
    }

    pub fn shares_elements(&self) -> bool {
        self.elements.borrow().is_some()
    }

    pub fn valid_element(&self, key: ElementKey) -> Option<Value<'js>> {
        let elements = self.elements.borrow();
        let elements = elements.as_ref()?;
        elements.places.get(&key).map(|place| elements.values[*place].clone())
    }

    pub fn keep_element(&self, key: ElementKey, value: Value<'js>) {
        if let Some(elements) = &mut *self.elements.borrow_mut() {
            elements.places.insert(key, elements.values.len());
            elements.values.push(value);
        }
    }

    pub fn list(&self, list: StepList) -> Array<'js> {
        self.lists.borrow()[list as usize].clone()
    }

    /// Stores the tools of the next step. Returns them if there are too many schemas; the caller then stores their
    /// conversion with [`PromptRun::keep_specs`].
    pub fn keep_tools(&self, tools: Vec<UnconvertedTool<'js>>) -> Option<Vec<UnconvertedTool<'js>>> {
        let mut log = self.tools.borrow_mut();
        let is_unchanged = match log.lists.last() {
            Some(StepTools::Unconverted(last)) => {
                last.len() == tools.len() && last.iter().zip(&tools).all(|(last, now)| last.converts_as(now))
            }
            _ => false,
        };
        if !is_unchanged {
            let schema_count: usize = tools.iter().map(UnconvertedTool::schema_count).sum();
            if log.schema_count + schema_count > MAX_UNCONVERTED_SCHEMAS {
                return Some(tools);
            }
            log.schema_count += schema_count;
            log.lists.push(StepTools::Unconverted(tools));
        }
        let index = log.lists.len() - 1;
        log.by_step.push(index);
        None
    }

    pub fn keep_specs(&self, specs: Vec<ToolSpec>) {
        let mut log = self.tools.borrow_mut();
        let is_unchanged = matches!(log.lists.last(), Some(StepTools::Converted(last)) if **last == *specs);
        if !is_unchanged {
            log.lists.push(StepTools::Converted(specs.into()));
        }
        let index = log.lists.len() - 1;
        log.by_step.push(index);
    }

    pub fn kept_tools(&self, step: usize) -> StepTools<'js> {
        let log = self.tools.borrow();
        let list = log.by_step.get(step).and_then(|index| log.lists.get(*index)).cloned();
        list.unwrap_or_else(|| StepTools::Unconverted(Vec::new()))
    }
}
