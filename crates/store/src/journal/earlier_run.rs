//! What earlier processes did of a run.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap, VecDeque},
    rc::Rc,
};

use super::{error::JournalError, file::Journal, read::PromptLogs, runs::RunInfo};
use lmthing_base::{
    chat::{Source, StepCache},
    checkpoint::{
        AnswerEntry, Entry, HeldCall, Progress, Restored, StoredAnswer, UserSettings, Verdict, held_calls,
        is_current_at, restore,
    },
    event::{EventRecorder, KnownRequests, LastAnswer, RunSummary, RunTotals},
};

/// The state left by earlier processes; empty for a new run.
#[derive(Default)]
pub struct EarlierRun {
    pub sums: RunTotals,
    pub requests: usize,
    /// How long the processes were active, in milliseconds.
    pub active_ms: u64,
    pub agents: HashMap<String, u64>,
    logs: RefCell<PromptLogs>,
    restored: RefCell<HashMap<String, Rc<Restored>>>,
    played: Vec<(usize, usize)>,
    /// What its user has set for a conversation.
    pub settings: UserSettings,
    /// What the user has said and what is to be said, also in turns that were taken back.
    said: Vec<Entry>,
    pub held: Vec<HeldCall>,
    pub(super) last_serial: usize,
    /// Decisions for the resumed run, which are not written yet.
    pub(super) decided: RefCell<Vec<(String, Entry)>>,
}

impl EarlierRun {
    /// Reads a run; with `until`, only the part before that step.
    ///
    /// # Errors
    /// The journal is damaged, or the run has not reached that step.
    pub fn read(journal: &Journal, run: &RunInfo, until: Option<usize>) -> Result<Self, JournalError> {
        let (logs, agents) = (journal.logs(run, until)?, journal.agents(run)?);
        let asked = journal.asked(run, until)?;
        // The run's own totals include requests without a stored answer, which belong to no step.
        let sums = until.map_or_else(|| run.sums.clone(), |_| total_usage(&logs));
        Ok(EarlierRun {
            sums: RunTotals {
                steps: logs.get("").map_or(0, |log| finished_steps(log)),
                all_steps: logs.values().map(|log| finished_steps(log)).sum(),
                cache: cache_sums(&logs),
                ..sums
            },
            held: current_held_calls(&logs),
            last_serial: waiting_serials(&logs).max().unwrap_or(0),
            decided: RefCell::default(),
            requests: asked.requests,
            active_ms: journal.active_ms(run, until)?,
            played: asked.played,
            settings: asked.settings,
            said: asked.said,
            agents,
            logs: RefCell::new(logs),
            restored: RefCell::default(),
        })
    }

    pub fn add_to_summary(&self, summary: RunSummary) -> RunSummary {
        let mut summary = summary.resuming(&self.sums);
        summary.sources = sources(self.logs.borrow().get("").map_or(&[], Vec::as_slice));
        let last = self.progress().last;
        let last = last.map(|StoredAnswer { text, finish_reason, model }| LastAnswer { text, finish_reason, model });
        summary.add_earlier(self.active_ms, last);
        summary
    }

    pub fn progress(&self) -> Progress {
        Progress::of(self.logs.borrow().get("").map_or(&[], Vec::as_slice))
    }

    /// The texts that are still to be said. The run was started with `first`. What was taken back is not said again.
    pub fn texts_to_say(&self, first: Vec<String>) -> Vec<String> {
        let mut left = VecDeque::from(first);
        for entry in &self.said {
            match entry {
                Entry::ToSay { texts } => left.extend(texts.iter().cloned()),
                Entry::Said { added, .. } => {
                    left.pop_front_if(|next| added.last().is_some_and(|message| message.plain_text() == *next));
                }
                _ => {}
            }
        }
        left.into()
    }

    /// Adds a decision on a waiting call; it is written when the run is resumed.
    pub fn decide(&mut self, serial: usize, verdict: &Verdict) {
        let Some(held) = self.held.iter_mut().find(|held| held.call.serial == serial) else { return };
        held.verdict = Some(verdict.clone());
        self.decided.get_mut().push((held.key.clone(), Entry::Decided { serial, verdict: verdict.clone() }));
    }

    pub fn names(&self) -> BTreeSet<String> {
        let logs = self.logs.borrow();
        let active = answer_entries(&logs).map(|answered| &answered.active);
        let names = active.flat_map(|active| active.tools.iter().chain(&active.functions).chain(&active.methods));
        names.cloned().collect()
    }

    pub(super) fn played(&self, mock: usize) -> Vec<usize> {
        self.played.iter().filter(|(of, _)| *of == mock).map(|(_, turn)| *turn).collect()
    }

    /// Restores one prompt's run. `record` receives what earlier lines contain about its requests.
    pub(super) fn restored(&self, key: &str, record: &mut EventRecorder) -> Option<Rc<Restored>> {
        if let Some(known) = self.restored.borrow().get(key) {
            return Some(known.clone());
        }
        let restored = Rc::new(restore(self.logs.borrow_mut().remove(key)?, None));
        let number = if key.is_empty() { Some(0) } else { self.agents.get(key).copied() };
        if let Some(number) = number {
            record.set_seen(number, known_requests(&restored));
        }
        self.restored.borrow_mut().insert(key.to_owned(), restored.clone());
        Some(restored)
    }
}

fn waiting_serials(logs: &PromptLogs) -> impl Iterator<Item = usize> {
    logs.values().flatten().filter_map(|entry| match entry {
        Entry::Waits(call) => Some(call.serial),
        _ => None,
    })
}

/// The calls of the current step that wait or waited, in the order they began to.
fn current_held_calls(logs: &PromptLogs) -> Vec<HeldCall> {
    if waiting_serials(logs).next().is_none() {
        return Vec::new();
    }
    let step = Progress::of(logs.get("").map_or(&[], Vec::as_slice)).step;
    let of_step = logs.iter().filter(|(key, _)| is_current_at(key, step));
    let mut held: Vec<_> = of_step.flat_map(|(key, log)| held_calls(log, key)).collect();
    held.sort_by_key(|held| held.call.serial);
    held
}

fn answer_entries(logs: &PromptLogs) -> impl Iterator<Item = &AnswerEntry> {
    logs.values().flatten().filter_map(|entry| match entry {
        Entry::Answered(answered) => Some(&**answered),
        _ => None,
    })
}

pub(super) fn total_usage(logs: &PromptLogs) -> RunTotals {
    let totals = RunTotals { cache: cache_sums(logs), ..RunTotals::default() };
    answer_entries(logs).fold(totals, |sums, answered| RunTotals {
        usage: sums.usage.plus(answered.usage),
        known_cost: sums.known_cost + answered.cost.unwrap_or(0.0),
        is_cost_unknown: sums.is_cost_unknown || answered.cost.is_none(),
        ..sums
    })
}

/// The sums of the finished steps: an unfinished one counts when it is finished.
fn cache_sums(logs: &PromptLogs) -> Option<StepCache> {
    let mut sums = None;
    for log in logs.values() {
        let mut answered = None;
        for entry in log {
            match entry {
                Entry::Answered(answer) => answered = answer.cache.as_ref(),
                Entry::StepEnds { .. } | Entry::Said { .. } | Entry::Ends => {
                    answered
                        .take()
                        .into_iter()
                        .for_each(|cache| sums.get_or_insert_with(StepCache::default).add(cache));
                }
                _ => {}
            }
        }
    }
    sums
}

/// The sources of a prompt's run since its last restart.
fn sources(log: &[Entry]) -> Vec<Source> {
    let mut sources = Vec::new();
    for entry in log {
        if let Entry::Answered(answered) = entry {
            if answered.step == 0 {
                sources.clear();
            }
            Source::merge(&mut sources, &answered.sources);
        }
    }
    sources
}

/// The number of finished steps of a prompt's run since its last restart. The last one ends with the run.
fn finished_steps(log: &[Entry]) -> usize {
    let (mut steps, mut is_answered) = (0, false);
    for entry in log {
        match entry {
            Entry::Answered(answered) => {
                steps = if answered.step == 0 { 0 } else { steps };
                is_answered = true;
            }
            Entry::StepEnds { .. } | Entry::Said { .. } | Entry::Ends => {
                steps += usize::from(std::mem::take(&mut is_answered));
            }
            _ => {}
        }
    }
    steps
}

fn known_requests(restored: &Restored) -> KnownRequests {
    let last = restored.unfinished.as_ref().map(|unfinished| &unfinished.step).or(restored.steps.last());
    let tools = last.map(|step| step.tools.clone());
    let history = restored.history.len() - restored.unanswered;
    KnownRequests::before(last.and_then(|step| step.system.clone()), history, tools)
}
