//! The cells of a running eval: answers as they come, their scores, and OUT.

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    path::Path,
    rc::Rc,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::Duration,
};

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::{
    earlier::sort,
    eval_file::EvalFile,
    line::{AnsweredCell, CellLine, Score, VerdictCost},
    options::EvalListener,
    out::OutFile,
    plan::Plan,
    scores::{ScoreMessage, ScoreRequest, ScoreThread, Verdict},
    state::{KnownCell, NewCell, SharedState, StateResult},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::session::CombinedLimits;
use lmthing_map::{RowOutcome, UnitSink};
use lmthing_providers::Redactor;

/// How many cells the thread of the scores has at once. The others wait in the state.
const SCORED_AT_ONCE: usize = 64;

pub(crate) struct Book {
    pub(crate) plan: Rc<Plan>,
    pub(crate) file: EvalFile,
    pub(crate) state: SharedState,
    /// `None` without `-o`.
    pub(crate) out: Option<OutFile>,
    /// Lines of OUT that are no cells of this command.
    pub(crate) others: Vec<CellLine>,
    pub(crate) limits: Arc<CombinedLimits>,
    redactor: Redactor,
    thread: ScoreThread,
    messages: Receiver<ScoreMessage>,
    /// A message that was waited for.
    held: Option<ScoreMessage>,
    /// With an answer or a failure, by number.
    cells: BTreeMap<u64, BookedCell>,
    /// Cells whose scores are still to be asked for.
    waiting: VecDeque<u64>,
    scoring: usize,
    /// Whether no further judge is asked.
    is_ending: bool,
    totals: ScoreTotals,
    /// Why the eval cannot go on.
    problem: Option<Box<Diagnostic>>,
}

struct BookedCell {
    cell: AnsweredCell,
    /// Whether OUT has a line of it, perhaps with earlier scores.
    is_in_out: bool,
}

/// What the scores of a command amount to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScoreTotals {
    pub(crate) scored: u64,
    pub(crate) to_score: u64,
    pub(crate) judge_cost: f64,
    pub(crate) is_judge_cost_unknown: bool,
}

/// What a book begins with.
pub(crate) struct BookParts {
    pub(crate) plan: Rc<Plan>,
    pub(crate) file: EvalFile,
    pub(crate) state: SharedState,
    pub(crate) limits: Arc<CombinedLimits>,
    pub(crate) redactor: Redactor,
    pub(crate) thread: ScoreThread,
    pub(crate) messages: Receiver<ScoreMessage>,
}

impl Book {
    pub(crate) fn new(parts: BookParts) -> Book {
        let BookParts { plan, file, state, limits, redactor, thread, messages } = parts;
        Book {
            plan,
            file,
            state,
            out: None,
            others: Vec::new(),
            limits,
            redactor,
            thread,
            messages,
            held: None,
            cells: BTreeMap::new(),
            waiting: VecDeque::new(),
            scoring: 0,
            is_ending: false,
            totals: ScoreTotals::default(),
            problem: None,
        }
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    pub(crate) fn thread(&self) -> &ScoreThread {
        &self.thread
    }

    pub(crate) fn totals(&self) -> ScoreTotals {
        self.totals
    }

    /// Takes an answer of an earlier command, which is scored again. Returns whether it can be read.
    pub(crate) fn take_earlier(&mut self, number: u64) -> StateResult<bool> {
        let place = self.plan.place(number);
        let Some(line) = self.state.with(|state| state.line(&self.plan.key(place)))? else { return Ok(false) };
        let names = &self.file.scores;
        let scores = line.scores.into_iter().filter(|(name, _)| names.contains(name)).collect();
        let line = CellLine { row: place.row as u64 + 1, scores, ..line };
        self.add(number, line, false);
        Ok(true)
    }

    fn add(&mut self, number: u64, line: CellLine, is_in_out: bool) {
        let is_scored = line.error.is_none();
        let row = self.plan.columns(self.plan.place(number));
        let cell = AnsweredCell { line, row, verdicts: Vec::new() };
        self.cells.insert(number, BookedCell { cell, is_in_out });
        if is_scored {
            self.totals.to_score += 1;
            self.waiting.push_back(number);
        }
    }

    /// Asks no further judges; those under way are waited for.
    pub(crate) fn end_scoring(&mut self) {
        self.is_ending = true;
        self.thread.end();
    }

    /// Stores an answer, then has it scored.
    fn keep(&mut self, number: u64, outcome: RowOutcome) -> StateResult<()> {
        if let Some(problem) = self.problem.take() {
            return Err(problem);
        }
        let RowOutcome { text, output, finish_reason, usage, cost, took, failure, record, .. } = outcome;
        let mut record = record.unwrap_or_default();
        if output.is_some() {
            record.insert("text".to_owned(), text.clone().into());
        }
        let place = self.plan.place(number);
        let line = CellLine {
            row: place.row as u64 + 1,
            variant: self.plan.variant(place).variant.name.clone(),
            model: self.plan.model(place).to_owned(),
            repeat: place.repeat,
            input: self.plan.row_input(place).clone(),
            text: output.is_none().then_some(text),
            output,
            finish_reason,
            usage,
            cost,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            error: failure,
            scores: IndexMap::new(),
        };
        let known = KnownCell {
            provenance: self.plan.variant(place).provenance.clone(),
            is_failed: line.error.is_some(),
            number,
            identity: self.plan.identity(place),
        };
        let new = NewCell {
            key: &self.plan.key(place),
            known,
            line: &line,
            record: &serde_json::to_string(&record).unwrap_or_default(),
        };
        self.state.with(|state| state.keep(&new))?;
        let is_failed = line.error.is_some();
        if let Some(out) = self.out.as_mut().filter(|_| is_failed) {
            out.append(&line)?;
        }
        self.add(number, line, is_failed);
        self.feed()
    }

    /// Passes cells to the thread of the scores.
    fn feed(&mut self) -> StateResult<()> {
        while self.scoring < SCORED_AT_ONCE
            && let Some(number) = self.waiting.pop_front()
        {
            let Some(BookedCell { cell, .. }) = self.cells.get(&number) else { continue };
            let key = self.plan.key(self.plan.place(number));
            let record = self.state.with(|state| state.record(&key))?;
            let run = run_object(&cell.line, serde_json::from_str(&record).unwrap_or_default());
            self.thread.score(ScoreRequest { number, row: cell.row.clone(), run });
            self.scoring += 1;
        }
        Ok(())
    }

    /// Takes what the thread of the scores has sent.
    pub(crate) fn pump(&mut self, listener: &mut dyn EvalListener) {
        while let Some(message) = self.held.take().or_else(|| self.messages.try_recv().ok()) {
            match message {
                ScoreMessage::Scored { number, scores, verdicts } => {
                    self.scoring = self.scoring.saturating_sub(1);
                    let taken = self.take_scores(number, scores, verdicts);
                    self.note(taken);
                }
                ScoreMessage::Verdict { verdict: Verdict { cost, .. }, .. } => {
                    self.totals.judge_cost += cost.unwrap_or(0.0);
                    self.totals.is_judge_cost_unknown |= cost.is_none();
                }
                ScoreMessage::Printed(text) => listener.printed(None, &text),
                ScoreMessage::Warned(text) => listener.warned(None, &text),
                ScoreMessage::Failed(problem) => self.note(Err(problem)),
            }
        }
        let fed = self.feed();
        self.note(fed);
    }

    fn note(&mut self, result: StateResult<()>) {
        if let Err(problem) = result {
            self.problem.get_or_insert(problem);
        }
    }

    fn take_scores(
        &mut self,
        number: u64,
        mut scores: IndexMap<String, Score>,
        verdicts: Vec<VerdictCost>,
    ) -> StateResult<()> {
        let Some(booked) = self.cells.get_mut(&number) else { return Ok(()) };
        if self.is_ending || self.limits.reached().is_some() {
            // A judge that was refused is asked by the next command.
            scores.retain(|_, score| score.error.is_none());
        }
        let key = self.plan.key(self.plan.place(number));
        self.totals.scored += u64::from(scores.len() == self.file.scores.len());
        if booked.cell.line.scores != scores || !booked.is_in_out {
            self.state.with(|state| state.set_scores(&key, &scores))?;
        }
        booked.cell.line.scores = scores;
        booked.cell.verdicts = verdicts;
        if let Some(out) = self.out.as_mut().filter(|_| !booked.is_in_out) {
            out.append(&booked.cell.line)?;
            booked.is_in_out = true;
        }
        Ok(())
    }

    /// Begins OUT with the lines that are known. `others` are of cells that this command does not ask.
    pub(crate) fn begin_out(&mut self, path: &Path, others: Vec<CellLine>) -> StateResult<()> {
        let scored = self.cells.values().map(|booked| &booked.cell.line).filter(|line| !line.scores.is_empty());
        let mut lines: Vec<CellLine> = others.iter().chain(scored).cloned().collect();
        sort(&mut lines, &self.file, &self.plan.models());
        for booked in self.cells.values_mut() {
            booked.is_in_out = !booked.cell.line.scores.is_empty();
        }
        self.others = others;
        self.out = Some(OutFile::begin(path, lines.iter(), &self.redactor)?);
        Ok(())
    }

    /// Waits for a message of the thread of the scores.
    pub(crate) fn wait(&mut self, most: Duration) {
        match self.messages.recv_timeout(most) {
            Ok(message) => self.held = Some(message),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(problem) = self.thread().blocked() {
                    self.note(Err(problem));
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.note(Err(Box::new(Diagnostic::new("the thread of the scores has ended"))));
            }
        }
    }

    /// Whether an answer has no scores.
    pub(crate) fn lacks_scores(&self) -> bool {
        self.totals.scored < self.totals.to_score
    }

    /// Whether scores are missing that are to come.
    pub(crate) fn is_scoring(&self) -> bool {
        self.problem.is_none() && (self.scoring > 0 || !self.waiting.is_empty())
    }

    pub(crate) fn take_problem(&mut self) -> Option<Box<Diagnostic>> {
        self.problem.take()
    }

    /// Writes OUT in order and closes the state. Returns the cells in order, without secrets.
    pub(crate) fn end(&mut self) -> StateResult<Vec<AnsweredCell>> {
        let cells: Vec<AnsweredCell> = std::mem::take(&mut self.cells).into_values().map(|it| it.cell).collect();
        if let Some(out) = self.out.take() {
            let mut others = std::mem::take(&mut self.others);
            if others.is_empty() {
                out.end(cells.iter().map(|cell| &cell.line))?;
            } else {
                others.extend(cells.iter().map(|cell| cell.line.clone()));
                sort(&mut others, &self.file, &self.plan.models());
                out.end(others.iter())?;
            }
        }
        self.state.close();
        Ok(cells.into_iter().map(|cell| cell.redacted(&self.redactor)).collect())
    }
}

/// `{text, output?, steps, toolCalls, usage, cost, finishReason, durationMs}` of a cell, for its scores.
fn run_object(line: &CellLine, mut record: Map<String, Value>) -> Value {
    let mut run = Map::new();
    let text = record.remove("text").unwrap_or_else(|| json!(line.text));
    run.insert("text".to_owned(), text);
    run.extend(line.output.clone().map(|output| ("output".to_owned(), output)));
    run.extend(record);
    run.insert("usage".to_owned(), json!(line.usage));
    run.insert("cost".to_owned(), json!(line.cost));
    run.insert("finishReason".to_owned(), json!(line.finish_reason));
    run.insert("durationMs".to_owned(), line.duration_ms.into());
    Value::Object(run)
}

/// Passes the results of the pool to the book.
pub(crate) struct CellSink(pub(crate) Rc<RefCell<Book>>);

impl UnitSink for CellSink {
    fn begin(&mut self, _number: u64) {}

    fn keep(
        &mut self,
        number: u64,
        _input: &Map<String, Value>,
        outcome: RowOutcome,
        _print: &mut dyn FnMut(&str),
    ) -> Result<(), Box<Diagnostic>> {
        self.0.borrow_mut().keep(number, outcome)
    }

    fn finish(&mut self, _print: &mut dyn FnMut(&str)) -> Result<(), Box<Diagnostic>> {
        Ok(())
    }

    /// Answers are in the state as soon as they are kept.
    fn sync(&self) -> Result<(), Box<Diagnostic>> {
        Ok(())
    }
}
