//! Passes what happens in the pool to the listener of the eval, with the names of cells.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use super::{
    book::Book,
    options::{CellName, EvalListener, EvalProgress},
    plan::Plan,
    recordings::EvalRecordings,
};
use lmthing_map::{BatchNews, MapListener, Progress, RowEnd};

pub(crate) struct Forward<'a> {
    pub(crate) listener: &'a mut dyn EvalListener,
    /// Unset until the cells are known.
    pub(crate) plan: Option<Rc<Plan>>,
    /// Unset until cells are asked.
    pub(crate) book: Option<Rc<RefCell<Book>>>,
    pub(crate) recordings: Option<Arc<EvalRecordings>>,
}

impl Forward<'_> {
    fn name(&self, number: Option<u64>) -> Option<CellName> {
        Some(self.plan.as_ref()?.name(number?))
    }
}

impl MapListener for Forward<'_> {
    fn result(&mut self, _line: &str) {}

    fn printed(&mut self, number: Option<u64>, text: &str) {
        let name = self.name(number);
        self.listener.printed(name.as_ref(), text);
    }

    fn warned(&mut self, number: Option<u64>, message: &str) {
        let name = self.name(number);
        self.listener.warned(name.as_ref(), message);
    }

    fn ended(&mut self, end: &RowEnd<'_>) {
        if let Some(name) = self.name(Some(end.row)) {
            self.listener.ended(&name, end);
        }
    }

    fn batch(&mut self, news: &BatchNews) {
        self.listener.batch(news);
    }

    fn progress(&mut self, cells: &Progress) {
        self.recordings.iter().for_each(|recordings| recordings.keep());
        let Some(book) = &self.book else { return };
        let mut book = book.borrow_mut();
        book.pump(self.listener);
        let totals = book.totals();
        drop(book);
        self.listener.progress(&EvalProgress {
            cells: cells.clone(),
            scored: totals.scored,
            to_score: totals.to_score,
            judge_cost: totals.judge_cost,
            is_judge_cost_unknown: totals.is_judge_cost_unknown,
        });
    }

    fn interrupted(&mut self) -> Option<i32> {
        let signal = self.listener.interrupted()?;
        self.book.iter().for_each(|book| book.borrow_mut().end_scoring());
        Some(signal)
    }

    fn is_unread(&self) -> bool {
        false
    }
}
