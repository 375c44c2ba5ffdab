//! What an earlier process has done of a run. Must not know where it was kept.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use super::{error::JournalError, file::Journal, read::Logs, runs::RunInfo};
use crate::{
    checkpoint::{Answered, Entry, Held, Progress, Restored, Said, Verdict, held_in, is_of_step, restore},
    event::{LastAnswer, Record, Seen, Summary, Sums},
};

/// What an earlier process has done; nothing for a run that begins.
#[derive(Default)]
pub(crate) struct Earlier {
    /// What it has used.
    pub(crate) sums: Sums,
    /// How many requests were answered for good.
    pub(crate) requests: usize,
    /// How long its processes were at work, in milliseconds.
    pub(crate) worked_ms: u64,
    /// The numbers of its agents, by the keys of their runs.
    pub(crate) agents: HashMap<String, u64>,
    /// Logs that nobody has asked for yet.
    logs: RefCell<Logs>,
    /// The others, put together.
    restored: RefCell<HashMap<String, Rc<Restored>>>,
    /// Which turns of which mocks were answered for good.
    played: Vec<(usize, usize)>,
    /// The calls of the step under way that somebody has to decide on, or has.
    pub(crate) held: Vec<Held>,
    /// The highest number of a call that has waited.
    pub(super) last_waited: usize,
    /// What was decided for the process that goes on, as entries that are not written yet.
    pub(super) decided: RefCell<Vec<(String, Entry)>>,
}

impl Earlier {
    /// What was done of a run; with `until` only before that step.
    ///
    /// # Errors
    /// The journal is damaged, or the run has not come so far.
    pub(crate) fn read(journal: &Journal, run: &RunInfo, until: Option<usize>) -> Result<Self, JournalError> {
        let (logs, agents) = (journal.logs(run, until)?, journal.agents(run)?);
        let played = |answered: &Answered| answered.played.and_then(|played| Some((played.mock?, played.turn)));
        // What was asked for and not kept was paid as well; but it belongs to no step.
        let sums = until.map_or(run.sums, |_| used(&logs));
        Ok(Earlier {
            sums: Sums {
                steps: logs.get("").map_or(0, |log| steps(log)),
                all_steps: logs.values().map(|log| steps(log)).sum(),
                ..sums
            },
            held: held(&logs),
            last_waited: waited(&logs).max().unwrap_or(0),
            decided: RefCell::default(),
            requests: answers(&logs).count(),
            worked_ms: journal.worked_ms(run, until)?,
            played: answers(&logs).filter_map(played).collect(),
            agents,
            logs: RefCell::new(logs),
            restored: RefCell::default(),
        })
    }

    /// A summary that goes on from it.
    pub(crate) fn goes_on_in(&self, summary: Summary) -> Summary {
        let mut summary = summary.going_on(&self.sums);
        let last = self.progress().last;
        let last = last.map(|Said { text, finish_reason, model }| LastAnswer { text, finish_reason, model });
        summary.take_up(self.worked_ms, last);
        summary
    }

    /// How far the file's own prompt has come.
    pub(crate) fn progress(&self) -> Progress {
        Progress::of(self.logs.borrow().get("").map_or(&[], Vec::as_slice))
    }

    /// Takes in what was decided on a call that waits; it is written as soon as the run goes on.
    pub(crate) fn decide(&mut self, serial: usize, verdict: &Verdict) {
        let Some(held) = self.held.iter_mut().find(|held| held.call.serial == serial) else { return };
        held.verdict = Some(verdict.clone());
        self.decided.get_mut().push((held.key.clone(), Entry::Decided { serial, verdict: verdict.clone() }));
    }

    /// The names of all tools, functions and methods that were active in it.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let logs = self.logs.borrow();
        let active = answers(&logs).map(|answered| &answered.active);
        let names = active.flat_map(|active| active.tools.iter().chain(&active.functions).chain(&active.methods));
        names.cloned().collect()
    }

    pub(super) fn played(&self, mock: usize) -> Vec<usize> {
        self.played.iter().filter(|(of, _)| *of == mock).map(|(_, turn)| *turn).collect()
    }

    /// What was done of one prompt's run. `record` is told what lines have said of its requests.
    pub(super) fn restored(&self, key: &str, record: &mut Record) -> Option<Rc<Restored>> {
        if let Some(known) = self.restored.borrow().get(key) {
            return Some(known.clone());
        }
        let restored = Rc::new(restore(self.logs.borrow_mut().remove(key)?, None));
        let number = if key.is_empty() { Some(0) } else { self.agents.get(key).copied() };
        if let Some(number) = number {
            record.set_seen(number, seen(&restored));
        }
        self.restored.borrow_mut().insert(key.to_owned(), restored.clone());
        Some(restored)
    }
}

/// The numbers of the calls that have waited.
fn waited(logs: &Logs) -> impl Iterator<Item = usize> {
    logs.values().flatten().filter_map(|entry| match entry {
        Entry::Waits(call) => Some(call.serial),
        _ => None,
    })
}

/// The calls that wait or have waited in the step under way, in the order they began to.
fn held(logs: &Logs) -> Vec<Held> {
    if waited(logs).next().is_none() {
        return Vec::new();
    }
    let step = Progress::of(logs.get("").map_or(&[], Vec::as_slice)).step;
    let of_step = logs.iter().filter(|(key, _)| is_of_step(key, step));
    let mut held: Vec<_> = of_step.flat_map(|(key, log)| held_in(log, key)).collect();
    held.sort_by_key(|held| held.call.serial);
    held
}

fn answers(logs: &Logs) -> impl Iterator<Item = &Answered> {
    logs.values().flatten().filter_map(|entry| match entry {
        Entry::Answered(answered) => Some(&**answered),
        _ => None,
    })
}

/// What the answers have used.
pub(super) fn used(logs: &Logs) -> Sums {
    answers(logs).fold(Sums::default(), |sums, answered| Sums {
        usage: sums.usage.plus(answered.usage),
        known_cost: sums.known_cost + answered.cost.unwrap_or(0.0),
        is_cost_unknown: sums.is_cost_unknown || answered.cost.is_none(),
        ..sums
    })
}

/// The steps of a prompt's run that are over; of what was begun once more those since then. The last one ends with the run.
fn steps(log: &[Entry]) -> usize {
    log.iter().fold(0, |steps, entry| match entry {
        Entry::Answered(answered) if answered.step == 0 => 0,
        Entry::StepEnds { .. } | Entry::Ends => steps + 1,
        _ => steps,
    })
}

/// What lines have said of the requests of a prompt's run.
fn seen(restored: &Restored) -> Seen {
    let last = restored.half.as_ref().map(|half| &half.step).or(restored.steps.last());
    let tools = last.map(|step| step.tools.clone());
    Seen::before(last.and_then(|step| step.system.clone()), restored.history.len(), tools)
}
