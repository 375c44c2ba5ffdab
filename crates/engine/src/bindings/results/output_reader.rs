//! Reads the values of an answer while it comes, for `result.partialOutputStream` and `result.elementStream`
//! (docs/reference/results.md).

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, VecDeque},
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{Class, Ctx, Result, Value};
use serde_json::Value as Json;

use super::{
    elements::{ElementCount, validated},
    throw::throw_run_error,
};
use crate::{
    bindings::{
        prompt::run::{ElementKey, PromptRun},
        values::{schema::Schema, type_error},
    },
    prompt::{AnswerShape, RunOutcome},
};
use lmthing_base::{
    answer::{ElementCheck, PartialAnswer, PartialElement, SizeBudget},
    chat::{FinishReason, StreamPart, read_json},
    event::EventKind,
};

/// Values are whole each time, so there is one for every piece of an answer only up to this sum of their sizes. Beyond that
/// a reader gets the newest one, at a pace that leaves most of the time to the run.
const BUDGET: SizeBudget = SizeBudget::new(4 << 20, 16);

/// The part of the time that the values of a long answer may take is one of these.
const TIME_SHARES: u32 = 4;

/// How long a reader may be behind the answer before it gets the newest value.
const MAX_LAG: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    Values,
    Elements,
}

impl OutputKind {
    fn property(self) -> &'static str {
        match self {
            OutputKind::Values => "partialOutputStream",
            OutputKind::Elements => "elementStream",
        }
    }
}

pub(super) struct OutputReader {
    answer: RefCell<PartialAnswer>,
    values: ValuePace,
    /// `None` for values.
    elements: Option<ElementReader>,
    /// The value of an answer that is complete.
    last: RefCell<Option<String>>,
    is_finished: Cell<bool>,
}

struct ValuePace {
    budget: Cell<SizeBudget>,
    began: Instant,
    /// When the reader had read all that was there.
    caught_up: Cell<Option<Instant>>,
    /// The time spent on values.
    spent: Cell<Duration>,
}

struct ElementReader {
    check: ElementCheck,
    /// What is left of an answer whose JSON was found when it was complete.
    found: RefCell<VecDeque<PartialElement>>,
    /// How often each element was given.
    given: RefCell<HashMap<u64, usize>>,
    /// Those of the answer that is read.
    seen: RefCell<ElementCount>,
}

impl OutputReader {
    /// `None` if there is nothing to read; see [`no_output`].
    pub(super) fn new(kind: OutputKind, shape: &Rc<AnswerShape>) -> Option<Self> {
        let elements = match kind {
            OutputKind::Values => None,
            OutputKind::Elements => Some(ElementReader {
                check: ElementCheck::new(&shape.format().schema)?,
                found: RefCell::default(),
                given: RefCell::default(),
                seen: RefCell::default(),
            }),
        };
        Some(OutputReader {
            answer: RefCell::new(PartialAnswer::new(shape.clone())),
            values: ValuePace {
                budget: Cell::new(BUDGET),
                began: Instant::now(),
                caught_up: Cell::default(),
                spent: Cell::default(),
            },
            elements,
            last: RefCell::default(),
            is_finished: Cell::new(true),
        })
    }

    pub(super) async fn next<'js>(
        &self,
        ctx: &Ctx<'js>,
        (run, schema): (&Class<'js, PromptRun<'js>>, &Schema<'js>),
        position: &Cell<usize>,
    ) -> Result<Option<Value<'js>>> {
        let record = run.borrow().record.clone();
        loop {
            let change = record.changed();
            if position.get() == usize::MAX {
                return Ok(None);
            }
            let part = record.part(position.get());
            let ready = match &self.elements {
                None => self.next_value(ctx, part.is_none())?,
                Some(elements) => self.next_element(ctx, elements, (run, schema)).await?,
            };
            if ready.is_some() {
                return Ok(ready);
            }
            if let Some(part) = part {
                position.set(position.get() + 1);
                self.read(&part);
                continue;
            }
            match record.outcome() {
                None => change.await,
                // A run that was restored has no events of the ends of its steps.
                Some(RunOutcome::Done) if !self.is_finished.get() => self.finish(record.finish_reason()),
                Some(RunOutcome::Done) => position.set(usize::MAX),
                Some(RunOutcome::Failed(error)) => {
                    position.set(usize::MAX);
                    return Err(throw_run_error(ctx, run, &error));
                }
            }
        }
    }

    fn read(&self, part: &EventKind) {
        match part {
            EventKind::StepStart { .. } => {
                self.answer.borrow_mut().begin();
                self.is_finished.set(false);
            }
            EventKind::Stream(part) => {
                if let StreamPart::TextDelta { delta, .. } = &**part {
                    self.answer.borrow_mut().push(delta);
                }
            }
            // Text before calls of tools is no answer.
            EventKind::StepFinish { step, .. } if !step.tool_results.is_empty() => self.is_finished.set(true),
            EventKind::StepFinish { step, .. } => self.finish(step.output.finish_reason),
            _ => {}
        }
    }

    fn finish(&self, reason: FinishReason) {
        self.is_finished.set(true);
        let mut answer = self.answer.borrow_mut();
        let is_cut = reason == FinishReason::Length;
        match &self.elements {
            None => *self.last.borrow_mut() = answer.finish(is_cut).map(|value| value.text.clone()),
            Some(elements) => {
                let found = answer.other_json(is_cut).map(|found| found.value);
                let list = found.as_ref().and_then(Json::as_array).into_iter().flatten().enumerate();
                elements
                    .found
                    .borrow_mut()
                    .extend(list.map(|(index, element)| PartialElement { index, text: element.to_string() }));
            }
        }
    }

    fn next_value<'js>(&self, ctx: &Ctx<'js>, is_newest: bool) -> Result<Option<Value<'js>>> {
        if let Some(last) = self.last.take() {
            return ctx.json_parse(last).map(Some);
        }
        let mut answer = self.answer.borrow_mut();
        let Some(size) = answer.next_size().filter(|size| self.values.allows(*size, is_newest)) else {
            return Ok(None);
        };
        let began = Instant::now();
        let value = answer.take_value().map(|value| ctx.json_parse(value.text.as_str())).transpose();
        self.values.spend(size, began.elapsed());
        value
    }

    async fn next_element<'js>(
        &self,
        ctx: &Ctx<'js>,
        elements: &ElementReader,
        (run, schema): (&Class<'js, PromptRun<'js>>, &Schema<'js>),
    ) -> Result<Option<Value<'js>>> {
        loop {
            let read = self.answer.borrow_mut().take_element();
            let Some(element) = read.or_else(|| elements.found.borrow_mut().pop_front()) else { return Ok(None) };
            let Ok(json) = read_json::<Json>(&element.text) else { continue };
            let Some(key) = elements.count(element.index, &json) else { continue };
            let accepted = match schema {
                Schema::Json(_) | Schema::Plain(_) if !elements.check.accepts(element.index, &json) => None,
                _ => validated(ctx, run, schema, (key, element.index, ctx.json_parse(element.text)?)).await?,
            };
            if accepted.is_some() {
                elements.given.borrow_mut().insert(key.0, key.1);
                return Ok(accepted);
            }
            // The model will be asked again, and what follows would come before the element that replaces this one.
            self.answer.borrow_mut().refuse();
            elements.found.borrow_mut().clear();
        }
    }
}

impl ElementReader {
    /// Counts an element of the answer. `None` if it was given already, by an answer before.
    fn count(&self, index: usize, element: &Json) -> Option<ElementKey> {
        let mut seen = self.seen.borrow_mut();
        if index == 0 {
            *seen = ElementCount::default();
        }
        let key = seen.add(element);
        let given = self.given.borrow().get(&key.0).copied().unwrap_or(0);
        (key.1 > given).then_some(key)
    }
}

impl ValuePace {
    fn allows(&self, size: usize, is_newest: bool) -> bool {
        let now = Instant::now();
        let caught_up = self.caught_up.get().filter(|_| !is_newest).unwrap_or(now);
        self.caught_up.set(Some(caught_up));
        let is_small = self.budget.get().allows(size);
        match is_newest {
            true => is_small || self.spent.get() * TIME_SHARES <= now - self.began,
            false => is_small && now - caught_up <= MAX_LAG,
        }
    }

    fn spend(&self, size: usize, time: Duration) {
        let mut budget = self.budget.get();
        budget.spend(size);
        self.budget.set(budget);
        self.spent.set(self.spent.get() + time);
    }
}

/// The error of a stream without an answer that it could read.
pub(super) fn no_output(ctx: &Ctx<'_>, kind: OutputKind, has_output: bool) -> rquickjs::Error {
    let property = kind.property();
    let why = match has_output {
        true => {
            "it gives the elements of a list, and the output of this prompt is none: it needs z.array(…), or JSON \
                 Schema of type 'array'"
        }
        false => "the prompt has no output; runPrompt(fn, {output}) and the export output of a file give it a schema",
    };
    type_error(ctx, format!("result.{property}: {why}"))
}
