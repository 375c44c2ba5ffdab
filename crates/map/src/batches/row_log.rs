//! The logs of a row, from which a later run of it goes on.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
    time::Duration,
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::sync::oneshot;

use super::{
    known::{KnownRequest, LostState, RowRecord},
    run_order::{Moved, family},
};
use lmthing_base::{
    checkpoint::{
        Checkpoints, Entry, MemoryChange, Progress, Restored, StateText, StoreError, StoredAnswer, StoredFuture,
        restore,
    },
    cost::RunUsage,
    event::{LastAnswer, RunSummary, RunTotals},
};
use lmthing_engine::session::used_before;

/// The logs of a row by the keys of its runs.
type Logs = HashMap<String, Vec<Entry>>;

/// An entry to be stored, and the channel that says when it is.
pub(crate) struct NewEntry {
    pub key: String,
    pub text: String,
    pub moved: Vec<(i64, String)>,
    pub stored: oneshot::Sender<()>,
}

pub(crate) struct RowLog {
    restored: HashMap<String, Rc<Restored>>,
    last: Option<StoredAnswer>,
    send: Box<dyn Fn(NewEntry)>,
    lost: LostState,
    moved: Moved,
    /// Why nothing can be stored any more.
    failed: RefCell<Option<String>>,
}

fn lost_state(entry: &Entry) -> Option<String> {
    entry.memory()?.states.iter().find_map(|(name, text)| match text {
        Some(StateText::Lost(reason)) => Some(format!("the state {name:?} cannot be stored: {reason}")),
        _ => None,
    })
}

impl RowLog {
    pub(crate) fn new(
        record: &RowRecord,
        (lost, moved): (LostState, Moved),
        send: impl Fn(NewEntry) + 'static,
    ) -> Self {
        let mut logs = Logs::new();
        for (key, text) in &record.entries {
            // An entry of another version: the run repeats what it records.
            let Ok(entry) = serde_json::from_str(text) else { continue };
            logs.entry(key.clone()).or_default().push(entry);
        }
        leave_out_replayable(&mut logs, &record.requests);
        let last = logs.get("").and_then(|log| Progress::of(log).last);
        let restored = logs.into_iter().map(|(key, log)| (key, Rc::new(restore(log, None)))).collect();
        RowLog { restored, last, send: Box::new(send), lost, moved, failed: RefCell::default() }
    }

    /// How many steps of each run are restored.
    pub(crate) fn answered(&self) -> HashMap<String, usize> {
        let resumable = self.restored.iter().filter(|(_, restored)| can_resume(restored));
        resumable.map(|(key, restored)| (key.clone(), restored.answers().count())).collect()
    }

    /// A summary that goes on from what the logs have, as these answers are not asked for again, and what they have used
    /// of the limits of the row. `worked` is how long the runs were at work that have written the logs.
    pub(crate) fn summary(&self, worked: Duration) -> (RunSummary, RunUsage) {
        let mut totals = RunTotals::default();
        let mut answers = 0;
        for restored in self.restored.values().filter(|restored| can_resume(restored)) {
            for step in restored.answers() {
                answers += 1;
                totals.usage = totals.usage.plus(step.answer.usage);
                totals.known_cost += step.answer.cost.unwrap_or(0.0);
                totals.is_cost_unknown |= step.answer.cost.is_none();
            }
        }
        let mut summary = RunSummary::with_text().resuming(&totals);
        let last = self.last.clone();
        let last = last.map(|StoredAnswer { text, finish_reason, model }| LastAnswer { text, finish_reason, model });
        summary.add_earlier(0, last);
        let used = RunUsage { time: worked, ..used_before(&summary, answers) };
        (summary, used)
    }
}

/// A log with a state that could not be stored counts as empty.
fn can_resume(restored: &Restored) -> bool {
    restored.is_done || restored.before.lost().chain(restored.after.lost()).next().is_none()
}

/// Leaves out logs of runs of which the text of their requests must say which is which. These runs begin again, and get
/// the same answers.
fn leave_out_replayable(logs: &mut Logs, requests: &[KnownRequest]) {
    let runs: BTreeSet<&str> =
        logs.keys().map(String::as_str).chain(requests.iter().map(|known| known.place.key.as_str())).collect();
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    runs.iter().for_each(|key| *sizes.entry(family(key)).or_default() += 1);
    let has_runs = |key: &str| runs.iter().any(|run| run.strip_prefix(key).is_some_and(|rest| rest.starts_with('/')));
    let left_out = |(key, log): (&String, &Vec<Entry>)| {
        let is_it =
            sizes[family(key)] > 1 && is_replayable(log) && !has_runs(key) && has_answers(key, log, requests, logs);
        is_it.then(|| key.clone())
    };
    let left_out: Vec<String> = logs.iter().filter_map(left_out).collect();
    left_out.iter().for_each(|key| drop(logs.remove(key)));
}

/// Whether the run of a log can begin again without it when its requests get the same answers: it has no states, and
/// none of its calls has begun.
fn is_replayable(log: &[Entry]) -> bool {
    log.iter().all(|entry| match entry {
        Entry::Answered(_) | Entry::StepEnds { .. } => entry.memory().is_none_or(MemoryChange::is_empty),
        Entry::Ends => true,
        _ => false,
    })
}

/// Whether the answers of all steps of the log, and of those of its siblings, are stored.
fn has_answers(key: &str, log: &[Entry], requests: &[KnownRequest], logs: &Logs) -> bool {
    steps(log).all(|step| {
        let is_step = |known: &&KnownRequest| known.place.step == step && known.is_well_answered();
        let of_family = requests.iter().filter(is_step).filter(|known| family(&known.place.key) == family(key));
        let answered: BTreeSet<&str> = of_family.map(|known| known.place.key.as_str()).collect();
        let siblings = logs.iter().filter(|(other, _)| family(other) == family(key));
        siblings.filter(|(_, log)| steps(log).any(|other| other == step)).count() <= answered.len()
    })
}

fn steps(log: &[Entry]) -> impl Iterator<Item = usize> {
    log.iter().filter_map(|entry| match entry {
        Entry::Answered(answer) => Some(answer.step),
        _ => None,
    })
}

impl Checkpoints for RowLog {
    fn is_on(&self) -> bool {
        true
    }

    fn append(&self, key: &str, entry: Entry) -> StoredFuture<'static> {
        if let Some(lost) = lost_state(&entry) {
            self.lost.borrow_mut().get_or_insert(lost);
        }
        let failed = |message: String| StoreError { message, hint: None };
        let text = match serde_json::to_string(&entry) {
            Ok(text) => text,
            Err(error) => {
                let message = format!("the progress of the row cannot be stored: {error}");
                self.failed.borrow_mut().get_or_insert(message);
                String::new()
            }
        };
        if let Some(message) = self.failed.borrow().clone() {
            return async move { Err(failed(message)) }.boxed_local();
        }
        let (stored, wait) = oneshot::channel();
        (self.send)(NewEntry { key: key.to_owned(), text, moved: self.moved.borrow().clone(), stored });
        // The map ends when it cannot store an entry, and says why.
        let ended = move || failed("the progress of the row was not stored".to_owned());
        async move { wait.await.map_err(|_| ended()) }.boxed_local()
    }

    fn restored(&self, key: &str) -> Option<Rc<Restored>> {
        self.restored.get(key).cloned()
    }

    fn configure(&self, _asked: Option<bool>) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        std::future::ready(Ok(())).boxed_local()
    }

    /// Only rows with a further step are concerned.
    fn warns_of_lost_states(&self) -> bool {
        false
    }

    fn why_not_resumable(&self) -> Option<String> {
        None
    }

    fn played(&self, _mock: usize) -> Vec<usize> {
        Vec::new()
    }
}
