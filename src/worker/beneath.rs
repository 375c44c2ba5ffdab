//! The journal of this machine beneath what Restate has: where a run goes on from. Must not know how it runs.

use std::{collections::HashMap, path::Path, rc::Rc, time::Duration};

use super::batch::Entry;
use crate::{
    checkpoint::{Verdict, call_label, undecided},
    event::RunSummary,
    journal::{EarlierRun, EntryMirror, Journal, JournalError, Recorder, RunStart, SecretFilter},
};

/// What was decided: what the call is called, and how.
pub(super) type Decision = (String, Verdict);

/// The journal of a run, ready to be written, and what was done of the run before.
pub(super) struct Beneath {
    pub(super) recorder: Recorder,
    /// `None` for a run that begins.
    pub(super) earlier: Option<Before>,
}

/// What was done of a run before this attempt.
pub(super) struct Before {
    pub(super) agents: HashMap<String, u64>,
    pub(super) requests: usize,
    /// The step that it goes on at.
    pub(super) step: usize,
    pub(super) summary: RunSummary,
}

/// Opens the journal for the attempt of a run of this name. What this machine has counts, as it may have come further, unless it
/// is another history than what is stored at Restate.
///
/// # Errors
/// The journal cannot be used.
pub(super) fn open(
    path: &Path,
    (run, start): (&str, &RunStart),
    stored: &[Entry],
    decisions: &[Decision],
    secrets: Rc<dyn SecretFilter>,
    mirror: Rc<dyn EntryMirror>,
) -> Result<Beneath, JournalError> {
    let journal = Journal::create(path)?;
    if let Some(left) = journal.named(run)? {
        journal.release(&left)?;
    }
    // Another process may be at work on it: before anything is asked that it asks as well.
    if let Some(left) = journal.named(run)? {
        left.check_not_running()?;
    }
    let mut here = entries(&journal, run)?;
    if !begins_with(&here, stored) {
        journal.replace_run(run, start, stored)?;
        here = entries(&journal, run)?;
    }
    let Some(left) = journal.named(run)? else {
        let recorder = Recorder::new(path.to_owned(), secrets).with_mirror(mirror);
        recorder.set_start(start.clone());
        recorder.open_required()?;
        return Ok(Beneath { recorder, earlier: None });
    };
    let mut earlier = EarlierRun::read(&journal, &left, None)?;
    decide(&mut earlier, decisions);
    // What this machine has beyond what is stored is still to be stored.
    here.into_iter().skip(stored.len()).for_each(|(key, text, is_over)| mirror.copy_entry(&key, text, is_over));
    let before = Before {
        agents: earlier.agents.clone(),
        requests: earlier.requests,
        step: earlier.progress().step,
        summary: earlier.add_to_summary(RunSummary::with_text()),
    };
    let recorder = Recorder::resuming(journal, left, None, earlier, secrets).with_mirror(mirror);
    recorder.set_start(start.clone());
    Ok(Beneath { recorder, earlier: Some(before) })
}

fn entries(journal: &Journal, run: &str) -> Result<Vec<(String, String, bool)>, JournalError> {
    journal.named(run)?.map_or(Ok(Vec::new()), |run| journal.entries_of(&run))
}

fn begins_with(here: &[(String, String, bool)], stored: &[Entry]) -> bool {
    let mut pairs = here.iter().zip(stored);
    here.len() >= stored.len() && pairs.all(|((key, text, _), (k, t))| key == k && text == t)
}

/// How long a run is kept that is over, or that has gone on elsewhere: longer than Restate knows of it.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Forgets runs that nobody needs here any more. What cannot be forgotten now may be another time.
pub(super) fn forget_old(path: &Path) {
    let Ok(journal) = Journal::open(path) else { return };
    let age = u64::try_from(KEPT.as_millis()).unwrap_or(u64::MAX);
    if let Ok(old) = journal.older_than(age)
        && !old.is_empty()
    {
        let _ = journal.forget(&old);
    }
}

/// Enters what was decided on calls that wait.
fn decide(earlier: &mut EarlierRun, decisions: &[Decision]) {
    let named = |(called, verdict): &Decision| {
        let held = undecided(&earlier.held).find(|held| call_label(&held.call, &earlier.held) == *called)?;
        Some((held.call.serial, verdict.clone()))
    };
    let decided: Vec<_> = decisions.iter().filter_map(named).collect();
    decided.into_iter().for_each(|(serial, verdict)| earlier.decide(serial, &verdict));
}
