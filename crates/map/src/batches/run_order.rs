//! Runs within a row that differ only in the order in which they begin, which may change from one run of the row to the
//! next (docs/reference/batches.md#steps).

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use super::known::{KnownRequest, Outcome};
use lmthing_base::checkpoint::{Entry, MemoryChange};

/// The logs of a row by the keys of its runs.
pub(super) type Logs = HashMap<String, Vec<Entry>>;

/// Requests that belong to another run now, with its key.
pub(crate) type Moved = Rc<RefCell<Vec<(i64, String)>>>;

/// The key of a run without its number among runs of the same function and input. Empty for the file's own prompt.
pub(super) fn family(key: &str) -> &str {
    key.rsplit_once('#').map_or(key, |(family, _)| family)
}

/// The key after the runs `one` and `other` have changed places, if it is of one of them, or of a run within it.
pub(super) fn exchanged(key: &str, one: &str, other: &str) -> Option<String> {
    let within = |run: &str| key.strip_prefix(run).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let (rest, run) = within(one).map(|rest| (rest, other)).or_else(|| within(other).map(|rest| (rest, one)))?;
    Some(format!("{run}{rest}"))
}

/// Leaves out logs of runs of which the text of their requests must say which is which. These runs begin again, and get
/// the same answers.
pub(super) fn leave_out_replayable(logs: &mut Logs, requests: &[KnownRequest]) {
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

impl KnownRequest {
    fn is_well_answered(&self) -> bool {
        matches!(&self.outcome, Some(Outcome::Answered(answer)) if answer.status < 300)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_change_places_with_all_that_is_in_them() {
        let of = |key| exchanged(key, "/-:p#0", "/-:p#1");
        assert_eq!(of("/-:p#0").as_deref(), Some("/-:p#1"));
        assert_eq!(of("/-:p#1/0:a@c#0").as_deref(), Some("/-:p#0/0:a@c#0"));
        assert_eq!((of("/-:p#10"), of("")), (None, None));
    }
}
