//! What an engine keeps while it scores answers: the scores, verdicts, and which cells are being scored.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::Instant,
};

use rquickjs::{Ctx, Function, JsLifetime, Result, Value};

use super::outcome::Verdict;
use crate::bindings::values::plain_error;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::{async_value, enable_async_values};

/// The key of the number of the cell among the values that asynchronous calls inherit.
pub(super) const CELL: &str = "lmthing.cell";

pub trait ScoreHost {
    /// A judge has given a verdict. With a `key`, later commands should know it.
    fn judged(&self, key: Option<&str>, verdict: &Verdict);

    /// Something has failed that no score waits for, such as a rejection that is not handled.
    fn stray_failure(&self, diagnostic: Diagnostic);
}

#[derive(Clone, JsLifetime)]
pub(super) struct NamedScore<'js> {
    pub(super) name: String,
    pub(super) function: Function<'js>,
}

/// In the engine's user data.
#[derive(JsLifetime)]
pub(super) struct Scoring<'js> {
    pub(super) host: Rc<dyn ScoreHost>,
    pub(super) scores: RefCell<Vec<NamedScore<'js>>>,
    pub(super) known: RefCell<HashMap<String, Verdict>>,
    /// The promises of verdicts that are being asked for, by their keys.
    pub(super) under_way: RefCell<HashMap<String, Value<'js>>>,
    /// Judges whose settings are not known, in the order in which they were first asked.
    models: RefCell<Vec<Value<'js>>>,
    pub(super) cells: RefCell<HashMap<u64, Rc<CellUse>>>,
}

impl<'js> Scoring<'js> {
    /// The number of a model object, the same each time.
    pub(super) fn number_of(&self, model: &Value<'js>) -> usize {
        let mut models = self.models.borrow_mut();
        models.iter().position(|known| known == model).unwrap_or_else(|| {
            models.push(model.clone());
            models.len() - 1
        })
    }
}

/// Prepares an engine for an eval file. Must be called once, before loading the file.
pub fn install(ctx: &Ctx<'_>, host: Rc<dyn ScoreHost>) -> Result<()> {
    enable_async_values(ctx)?;
    let scoring = Scoring {
        host,
        scores: RefCell::default(),
        known: RefCell::default(),
        under_way: RefCell::default(),
        models: RefCell::default(),
        cells: RefCell::default(),
    };
    ctx.store_userdata(scoring).map(drop).map_err(|_| plain_error(ctx, "user data is in use"))
}

/// `None` in engines that run no eval file.
pub(super) fn with<'js, T>(ctx: &Ctx<'js>, read: impl FnOnce(&Scoring<'js>) -> T) -> Option<T> {
    ctx.userdata::<Scoring>().map(|scoring| read(&scoring))
}

/// Keeps the scores of the file.
pub(super) fn keep_scores<'js>(ctx: &Ctx<'js>, scores: Vec<NamedScore<'js>>) -> Result<()> {
    let kept = with(ctx, |scoring| scoring.scores.replace(scores));
    kept.map(drop).ok_or_else(|| plain_error(ctx, "the engine is not prepared for an eval file"))
}

/// The cell whose score makes the running call.
pub(super) fn current_cell(ctx: &Ctx<'_>) -> Result<Option<Rc<CellUse>>> {
    let Some(number) = async_value(ctx, CELL)?.and_then(|number| number.as_number()) else { return Ok(None) };
    Ok(with(ctx, |scoring| scoring.cells.borrow().get(&(number as u64)).cloned()).flatten())
}

/// What the scores of a cell do.
pub(super) struct CellUse {
    verdicts: RefCell<Vec<(String, Option<f64>)>>,
    judges_under_way: Cell<usize>,
    /// When the cell began to wait for something other than a judge.
    waits_since: Cell<Instant>,
}

impl CellUse {
    pub(super) fn new() -> Rc<Self> {
        Rc::new(CellUse {
            verdicts: RefCell::default(),
            judges_under_way: Cell::new(0),
            waits_since: Cell::new(Instant::now()),
        })
    }

    /// Notes a verdict, once.
    pub(super) fn add(&self, key: &str, cost: Option<f64>) {
        let mut verdicts = self.verdicts.borrow_mut();
        if verdicts.iter().all(|(known, _)| known != key) {
            verdicts.push((key.to_owned(), cost));
        }
    }

    pub(super) fn take_verdicts(&self) -> Vec<(String, Option<f64>)> {
        self.verdicts.take()
    }

    /// Marks that a judge is asked, until the guard is dropped.
    pub(super) fn ask(self: &Rc<Self>) -> AskedJudge {
        self.judges_under_way.set(self.judges_under_way.get() + 1);
        AskedJudge(self.clone())
    }

    /// When the cell began to wait for something other than a judge; now while a judge is asked.
    pub(super) fn waits_since(&self) -> Instant {
        if self.judges_under_way.get() > 0 { Instant::now() } else { self.waits_since.get() }
    }
}

pub(super) struct AskedJudge(Rc<CellUse>);

impl Drop for AskedJudge {
    fn drop(&mut self) {
        self.0.judges_under_way.set(self.0.judges_under_way.get() - 1);
        self.0.waits_since.set(Instant::now());
    }
}
