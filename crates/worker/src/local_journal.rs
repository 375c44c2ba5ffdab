//! The journal of this machine, from which an attempt continues a run.

use std::{collections::HashMap, path::Path, rc::Rc, time::Duration};

use super::batch::Entry;
use lmthing_base::{
    checkpoint::{Verdict, call_label, undecided},
    event::RunSummary,
};
use lmthing_store::journal::{EarlierRun, EntryMirror, Journal, JournalError, Recorder, RunStart, SecretFilter};

/// Label of a call and the decision on it.
pub(super) type Decision = (String, Verdict);

pub(super) struct LocalJournal {
    pub(super) recorder: Recorder,
    /// `None` if the run has just begun.
    pub(super) earlier: Option<EarlierProgress>,
}

pub(super) struct EarlierProgress {
    pub(super) agents: HashMap<String, u64>,
    pub(super) requests: usize,
    pub(super) step: usize,
    pub(super) summary: RunSummary,
}

/// Opens the journal for an attempt. The entries of this machine win, as they may be further than those in Restate,
/// unless their history differs.
pub(super) async fn open(
    path: &Path,
    (run, start): (&str, &RunStart),
    stored: &[Entry],
    decisions: &[Decision],
    secrets: Rc<dyn SecretFilter>,
    mirror: Rc<dyn EntryMirror>,
) -> Result<LocalJournal, JournalError> {
    // On another thread, as the file may be locked for some time.
    let (file, named, begun, entries) = (path.to_owned(), run.to_owned(), start.clone(), stored.to_vec());
    let prepared = tokio::task::spawn_blocking(move || prepare(&file, (&named, &begun), &entries)).await;
    let unexpected = |failed| JournalError { message: format!("the journal was not opened: {failed}"), hint: None };
    let (journal, local) = prepared.map_err(unexpected)??;
    let Some(unfinished) = journal.named(run)? else {
        let recorder = Recorder::new(path.to_owned(), secrets).with_mirror(mirror);
        recorder.set_start(start.clone());
        recorder.open_required().await?;
        return Ok(LocalJournal { recorder, earlier: None });
    };
    let mut earlier = EarlierRun::read(&journal, &unfinished, None)?;
    decide(&mut earlier, decisions);
    // Entries that this machine has and Restate does not are stored next.
    local.into_iter().skip(stored.len()).for_each(|(key, text, is_over)| mirror.copy_entry(&key, text, is_over));
    let before = EarlierProgress {
        agents: earlier.agents.clone(),
        requests: earlier.requests,
        step: earlier.progress().step,
        summary: earlier.add_to_summary(RunSummary::with_text()),
    };
    let recorder = Recorder::resuming(journal, unfinished, None, earlier, secrets).with_mirror(mirror);
    recorder.set_start(start.clone());
    Ok(LocalJournal { recorder, earlier: Some(before) })
}

type LocalEntries = Vec<(String, String, bool)>;

/// Brings the journal to where the run continues. Returns its entries.
fn prepare(
    path: &Path,
    (run, start): (&str, &RunStart),
    stored: &[Entry],
) -> Result<(Journal, LocalEntries), JournalError> {
    let journal = Journal::create(path)?;
    if let Some(unfinished) = journal.named(run)? {
        journal.release(&unfinished)?;
    }
    // Fails if another process still runs it.
    if let Some(unfinished) = journal.named(run)? {
        unfinished.check_not_running()?;
    }
    let mut local = entries(&journal, run)?;
    if !begins_with(&local, stored) {
        journal.replace_run(run, start, stored)?;
        local = entries(&journal, run)?;
    }
    Ok((journal, local))
}

fn entries(journal: &Journal, run: &str) -> Result<LocalEntries, JournalError> {
    journal.named(run)?.map_or(Ok(Vec::new()), |run| journal.entries_of(&run))
}

fn begins_with(local: &[(String, String, bool)], stored: &[Entry]) -> bool {
    let mut pairs = local.iter().zip(stored);
    local.len() >= stored.len() && pairs.all(|((key, text, _), (k, t))| key == k && text == t)
}

/// Longer than Restate knows a finished run.
const RUN_LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// Deletes runs that are no longer needed. Failures are ignored: the next call tries again.
pub(super) fn delete_old_runs(path: &Path) {
    let Ok(journal) = Journal::open(path) else { return };
    let age = u64::try_from(RUN_LIFETIME.as_millis()).unwrap_or(u64::MAX);
    if let Ok(old) = journal.older_than(age)
        && !old.is_empty()
    {
        let _ = journal.forget(&old);
    }
}

fn decide(earlier: &mut EarlierRun, decisions: &[Decision]) {
    let named = |(called, verdict): &Decision| {
        let held = undecided(&earlier.held).find(|held| call_label(&held.call, &earlier.held) == *called)?;
        Some((held.call.serial, verdict.clone()))
    };
    let decided: Vec<_> = decisions.iter().filter_map(named).collect();
    decided.into_iter().for_each(|(serial, verdict)| earlier.decide(serial, &verdict));
}
