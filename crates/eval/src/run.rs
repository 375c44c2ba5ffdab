//! Runs an eval: asks what has no answer yet, scores all answers (docs/reference/eval.md).

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};

use super::{
    book::{Book, BookParts, CellSink},
    earlier::Earlier,
    eval_file::{EvalFile, EvalRows},
    forward::Forward,
    line::redact_columns,
    load::{Loaded, load},
    options::{EvalListener, EvalOptions},
    outcome::{CellFailure, EvalOutcome},
    plan::{CellKey, Plan, PlanOptions},
    recordings::EvalRecordings,
    state::{KnownCell, SharedState, Source, State, StateResult},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::prompt::RunError;
use lmthing_map::{
    BatchPlace, EarlyEnd, MapListener, PoolOptions, Provenance, RowBatches, Totals, Unit, Units, check_written,
    hash_files, hash_of, run_units, with_suffix,
};
use lmthing_providers::{Redactor, Servers};

/// How long scores under way may take when the time is up.
const END_TIMEOUT: Duration = Duration::from_secs(1);

const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// An eval whose file and rows are checked. Nothing was asked yet.
pub struct PreparedEval {
    command: Command,
    book: Book,
    plan: Rc<Plan>,
}

impl PreparedEval {
    /// Loads an eval file, checks its rows and plans its cells. `None` if the user has interrupted it.
    pub fn new(options: EvalOptions, listener: &mut dyn EvalListener) -> Result<Option<Self>, Rc<RunError>> {
        let failed = |problem: Box<Diagnostic>| Rc::new(RunError::from(*problem));
        let recordings = EvalRecordings::new(&options.file, &options.shown_file, options.recordings);
        let (state, servers) = (SharedState::default(), Arc::<Servers>::default());
        let loaded = load(&options, recordings.as_ref(), (&state, &servers), listener)?;
        let Some(Loaded { file, thread, messages }) = loaded else { return Ok(None) };
        let pool = pool_options(&options, recordings.is_some());
        let plan_options = PlanOptions { eval: &options, pool: &pool };
        let mut forward = Forward { listener, plan: None, book: None, recordings: None };
        let plan = Rc::new(Plan::new(&file, &plan_options, &mut forward)?);
        if forward.interrupted().is_some() {
            return Ok(None);
        }
        let limits = options.limits.clone();
        let redactor = Redactor::of_variables(options.variables.iter().map(|(name, value)| (name, value)));
        let book = Book::new(BookParts { plan: plan.clone(), file, state, limits, redactor, thread, messages });
        let command = Command { options, pool: Arc::new(pool), recordings, servers };
        command.check_out(&book).map_err(|problem| Rc::new(RunError::Usage(problem)))?;
        if command.uses_no_answers() {
            command.check_models(&book, |_| true).map_err(failed)?;
        }
        Ok(Some(PreparedEval { command, book, plan }))
    }

    pub fn file(&self) -> &EvalFile {
        &self.book.file
    }

    /// The number of variants with their models, which the report compares.
    pub fn group_count(&self) -> usize {
        self.plan.group_count()
    }

    /// The inputs of all rows for all variants, as lines of OUT have them.
    pub fn row_inputs(&self) -> Vec<Map<String, Value>> {
        let redacted = |input: &Map<String, Value>| {
            let mut input = input.clone();
            redact_columns(&mut input, self.book.redactor());
            input
        };
        self.plan.row_inputs().into_iter().map(redacted).collect()
    }

    /// Asks what has no answer yet and scores all answers. On an error nothing was asked, or what was answered could
    /// not be kept.
    pub fn run(self, listener: &mut dyn EvalListener) -> Result<EvalOutcome, Rc<RunError>> {
        let PreparedEval { command, mut book, plan } = self;
        let failed = |problem: Box<Diagnostic>| Rc::new(RunError::from(*problem));
        let recordings = command.recordings.clone();
        let mut forward = Forward { listener, plan: Some(plan), book: None, recordings };
        let (asked, batches) = command.open(&mut book, &mut forward).map_err(failed)?;
        command.run(book, (asked, batches), forward).map_err(failed)
    }
}

fn pool_options(options: &EvalOptions, is_recorded: bool) -> PoolOptions {
    PoolOptions {
        unit: Unit::Cell,
        jobs: options.jobs,
        max_errors: options.max_errors,
        retries: options.retries,
        limits: options.limits.clone(),
        own_prices: options.own_prices.clone(),
        variables: options.variables.clone(),
        permissions: options.permissions.clone(),
        mcp_config: options.mcp_config.clone(),
        approve: options.approve.clone(),
        // A recording answers at once.
        batch: options.batch.clone().filter(|_| !is_recorded),
        keeps_records: true,
    }
}

struct Command {
    options: EvalOptions,
    pool: Arc<PoolOptions>,
    recordings: Option<Arc<EvalRecordings>>,
    servers: Arc<Servers>,
}

impl Command {
    fn is_recording(&self) -> bool {
        self.recordings.as_ref().is_some_and(|recordings| recordings.is_recording())
    }

    fn source(&self) -> Source {
        if self.recordings.is_some() { Source::Recording } else { Source::Models }
    }

    fn other_source_note(&self, out: &Path) -> String {
        let out = out.display();
        match self.source() {
            Source::Recording => format!(
                "{out} has had answers of models, and gets those of the recording; {out}.lmthing keeps the others for --live"
            ),
            Source::Models => format!("{out} has had answers of the recording, and gets those of models"),
        }
    }

    /// Whether no earlier answers are used.
    fn uses_no_answers(&self) -> bool {
        self.options.fresh || self.options.out.as_ref().is_none_or(|out| !out.exists())
    }

    /// Opens OUT with its state. Returns the numbers of the cells that are to be asked, and their batches.
    fn open(&self, book: &mut Book, forward: &mut Forward<'_>) -> StateResult<(BTreeSet<u64>, RowBatches)> {
        let Some(out) = &self.options.out else {
            book.state.set(State::temporary()?);
            return Ok(((1..=book.plan.count()).collect(), RowBatches::default()));
        };
        let locked = State::lock(out, self.options.fresh)?;
        let forget_new = || {
            if !out.exists() {
                let _ = std::fs::remove_file(with_suffix(out, ".lmthing"));
            }
        };
        // What can fail comes before earlier answers are forgotten.
        let fresh_batches = match self.options.fresh {
            true => Some(self.batches(book, &HashMap::new(), forward).inspect_err(|_| forget_new())?),
            false => None,
        };
        let state = State::open(locked, self.source())?;
        let known = state.cells()?;
        let batches = match fresh_batches {
            Some(batches) => batches,
            None => self.batches(book, &known, forward).inspect_err(|_| forget_new())?,
        };
        // Those of a recording cost nothing, and change with it.
        let earlier = Earlier::of(&book.plan, &book.file, &state, &known, self.recordings.is_some())?;
        if (earlier.reused.len() as u64) < book.plan.count() {
            self.check_models(book, |number| !earlier.reused.contains(&number))?;
        }
        if let Some(note) = earlier.settle((out, &book.file, book.redactor()), &state, &known)? {
            forward.warned(None, &note);
        }
        if known.is_empty() && state.has_other_source()? {
            forward.warned(None, &self.other_source_note(out));
        }
        if self.recordings.is_none() {
            book.thread().set_verdicts(state.verdicts()?);
        }
        book.state.set(state);
        let mut asked = BTreeSet::new();
        for number in 1..=book.plan.count() {
            if !earlier.reused.contains(&number) || !book.take_earlier(number)? {
                asked.insert(number);
            }
        }
        book.begin_out(out, earlier.others)?;
        Ok((asked, batches))
    }

    /// Fails if a model or a judge could not be asked, before answers are paid for.
    fn check_models(&self, book: &Book, is_asked: impl Fn(u64) -> bool) -> StateResult<()> {
        let is_replayed = self.recordings.is_some() && !self.is_recording();
        // A recording that is renewed may have the answers.
        let model = || book.plan.unusable_model(is_asked).filter(|_| self.recordings.is_none());
        match book.thread().unusable_judge().filter(|_| !is_replayed).or_else(model) {
            Some(problem) => Err(Box::new(problem.clone())),
            None => Ok(()),
        }
    }

    /// Fails if a file that is read would be written.
    fn check_out(&self, book: &Book) -> StateResult<()> {
        let Some(out) = &self.options.out else { return Ok(()) };
        let written = [out.to_owned(), with_suffix(out, ".lmthing"), with_suffix(out, ".new")];
        let rows = match &book.file.rows {
            EvalRows::File(path) => Some(path),
            EvalRows::Objects(_) => None,
        };
        let files = book.plan.variants().iter().flat_map(|planned| &planned.files);
        let read = files.chain(rows).chain([&book.file.path]).chain(self.options.mcp_config.as_ref());
        check_written(out, &written, read.map(PathBuf::as_path), |_| false)
    }

    fn batches(
        &self,
        book: &Book,
        known: &HashMap<CellKey, KnownCell>,
        forward: &mut Forward<'_>,
    ) -> StateResult<RowBatches> {
        let Some(out) = &self.options.out else { return Ok(RowBatches::default()) };
        let variants = &book.file.variants;
        let files = variants.iter().map(|variant| variant.file.clone()).collect();
        let definitions: Vec<_> =
            variants.iter().map(|it| json!([it.name, it.model, it.options, it.input, it.limits])).collect();
        let hash = hash_of(&json!([hash_files(&files), definitions]).to_string());
        let file = match &variants[..] {
            [one] => one.shown_file.clone(),
            _ => format!("a variant of {}", book.file.shown_path),
        };
        let provenance = Provenance { file, hash, model: None };
        let place = BatchPlace { out, shown_out: out, provenance: &provenance, is_fresh: self.options.fresh };
        let written = known.values().filter(|cell| !cell.is_failed).map(|cell| (cell.number, cell.identity.clone()));
        RowBatches::open(&place, &self.pool, written, forward)
    }

    fn run(
        self,
        book: Book,
        (asked, batches): (BTreeSet<u64>, RowBatches),
        mut forward: Forward<'_>,
    ) -> StateResult<EvalOutcome> {
        let plan = book.plan.clone();
        let book = Rc::new(RefCell::new(book));
        forward.book = Some(book.clone());
        let EvalOptions { sample, variants, models, .. } = &self.options;
        let is_whole = sample.is_none() && variants.is_none() && models.is_empty();
        if let Some(recordings) = &self.recordings {
            recordings.set_turns(plan.turns());
        }
        let asks_all = asked.len() as u64 == plan.count() && is_whole;
        let units = Units {
            inputs: Box::new(plan.inputs()),
            targets: plan.targets(),
            total: plan.count(),
            todo: asked,
            is_whole,
            batches,
            answers: self.recordings.clone().map(|recordings| recordings as _),
            servers: self.servers.clone(),
        };
        let ran = run_units(&self.pool, units, Box::new(CellSink(book.clone())), &mut forward);
        let mut totals = ran.inspect_err(|_| drop(book.borrow_mut().end()))?;
        self.finish_scores(&book, &mut totals, &mut forward);
        let problem = book.borrow_mut().take_problem();
        let cells = book.borrow_mut().end()?;
        if let Some(problem) = problem {
            return Err(problem);
        }
        let mut notes = Vec::new();
        if let Some(recordings) = &self.recordings {
            let finished = recordings.finish(asks_all && totals.early.is_none() && totals.progress.failed == 0);
            notes = finished.notes;
            if !finished.errors.is_empty() {
                totals.early.get_or_insert(EarlyEnd::Errors(finished.errors.join("\n")));
            }
        }
        let failures = totals.errors.groups().into_iter().map(|group| CellFailure {
            kind: group.kind.clone(),
            message: group.message.clone(),
            hint: group.hint.clone(),
            cell: plan.name(group.row),
            count: group.count,
        });
        let (failures, scores) = (failures.collect(), book.borrow().totals());
        Ok(EvalOutcome {
            file: book.borrow().file.clone(),
            rows: plan.row_count(),
            cells,
            totals,
            failures,
            judge_cost: scores.judge_cost,
            is_judge_cost_unknown: scores.is_judge_cost_unknown,
            notes,
        })
    }

    /// Waits for the scores of all answers. At an early end no further judge is asked, and those under way are waited
    /// for until the next signal, or the limit on time.
    fn finish_scores(&self, book: &Rc<RefCell<Book>>, totals: &mut Totals, forward: &mut Forward<'_>) {
        let (mut interrupted_at, mut is_notified, mut late_since) = (None, false, None);
        totals.progress.running = 0;
        loop {
            forward.progress(&totals.progress);
            if let Some(signal) = forward.interrupted() {
                totals.early.get_or_insert(EarlyEnd::Interrupted(signal));
                let since = *interrupted_at.get_or_insert_with(Instant::now);
                if !is_notified && since.elapsed() >= END_TIMEOUT {
                    is_notified = true;
                    forward.warned(None, "waiting for judges that were asked; Ctrl-C again ends at once");
                }
            }
            if totals.early.is_some() || self.options.limits.reached().is_some() {
                book.borrow_mut().end_scoring();
            }
            let is_late = self.options.limits.time_left() == Some(Duration::ZERO);
            let since = is_late.then(|| *late_since.get_or_insert_with(Instant::now));
            if !book.borrow().is_scoring() || since.is_some_and(|since| since.elapsed() >= END_TIMEOUT) {
                break;
            }
            book.borrow_mut().wait(CHECK_INTERVAL);
        }
        // Judges may have reached it.
        if totals.early.is_none()
            && let Some(reached) = self.options.limits.reached()
            && book.borrow().lacks_scores()
        {
            totals.early = Some(EarlyEnd::Limit(reached.message));
        }
    }
}
