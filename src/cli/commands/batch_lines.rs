//! Progress of batches, as text.

use std::{collections::BTreeMap, path::Path};

use crate::cli::readers::{numbers::grouped, shortened};
use lmthing_map::{BatchNews, BatchNewsPhase, Totals};
use lmthing_system::process::shell_quoted;

/// More batches are shown together.
const MAX_SHOWN: usize = 3;

/// The batches that are under way, in the order in which they began.
#[derive(Default)]
pub(super) struct BatchLines {
    open: BTreeMap<u64, BatchNews>,
    begun: u64,
}

impl BatchLines {
    /// Takes the new state of a batch. Returns a line about it if it has reached another phase.
    pub(super) fn add(&mut self, news: &BatchNews) -> Option<String> {
        let known = self.open.iter().find(|(_, batch)| batch.name == news.name).map(|(number, _)| *number);
        let number = known.unwrap_or_else(|| {
            self.begun += 1;
            self.begun
        });
        let is_new = self.open.get(&number).is_none_or(|batch| batch.phase != news.phase);
        match has_ended(&news.phase) {
            true => self.open.remove(&number),
            false => self.open.insert(number, news.clone()),
        };
        is_new.then(|| line(news)).flatten()
    }

    /// Example: `batches 40/100, 0/50`. `None` without batches.
    pub(super) fn progress(&self) -> Option<String> {
        let answered = |batch: &BatchNews| batch.done + batch.failed;
        let figures = |answered: u64, all: u64| format!("{}/{}", grouped(answered), grouped(all));
        match self.open.len() {
            0 => None,
            1..=MAX_SHOWN => {
                let each: Vec<_> = self.open.values().map(|batch| figures(answered(batch), batch.requests)).collect();
                Some(format!("{} {}", if each.len() == 1 { "batch" } else { "batches" }, each.join(", ")))
            }
            count => {
                let (done, all) =
                    (self.open.values().map(answered).sum(), self.open.values().map(|b| b.requests).sum());
                Some(format!("{count} batches {}", figures(done, all)))
            }
        }
    }
}

fn has_ended(phase: &BatchNewsPhase) -> bool {
    use BatchNewsPhase::{Cancelled, Completed, Expired, Failed};
    matches!(phase, Completed | Expired | Cancelled | Failed(_))
}

fn line(news: &BatchNews) -> Option<String> {
    let BatchNews { id, provider, phase, done, failed, requests, .. } = news;
    let (s, requests) = (if *requests == 1 { "" } else { "s" }, grouped(*requests));
    let ended = |how: &str| format!("{how}, {} answered, {} failed", grouped(*done), grouped(*failed));
    let what = match phase {
        BatchNewsPhase::Uploading => format!("{requests} request{s} on the way"),
        BatchNewsPhase::Submitted => format!("{requests} request{s} submitted"),
        BatchNewsPhase::InProgress => return None,
        BatchNewsPhase::Completed => ended("completed"),
        BatchNewsPhase::Expired => ended("expired"),
        BatchNewsPhase::Cancelled => ended("cancelled"),
        BatchNewsPhase::Failed(reason) => format!("failed: {}", shortened(reason)),
    };
    Some(format!("batch {id} ({provider}): {what}"))
}

/// What is under way at the end of the command, and how to continue. `unit` is what waits: a row or a cell.
pub(super) fn under_way(totals: &Totals, unit: &str, out: &Path, is_batched: bool) -> String {
    let Totals { batches, batched_rows: rows, .. } = totals;
    let are = if *batches == 1 { "batch is" } else { "batches are" };
    let s = if *rows == 1 { "" } else { "s" };
    let again = match is_batched {
        true => "The same command again collects what is done by then",
        false => "They are not asked again: the same command with --batch collects what is done",
    };
    let (batches, rows, out) = (grouped(*batches), grouped(*rows), shell_quoted(&out.display().to_string()));
    format!("{batches} {are} under way, with {rows} {unit}{s}. {again}; lmthing map --cancel {out} cancels.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(name: &str, phase: BatchNewsPhase, done: u64) -> BatchNews {
        let (id, provider) = (format!("batch_{name}"), "openai".to_owned());
        BatchNews { name: name.to_owned(), id, provider, phase, done, failed: 0, requests: 1500 }
    }

    #[test]
    fn each_batch_is_shown_until_it_has_ended() {
        let mut lines = BatchLines::default();
        assert_eq!(lines.progress(), None);
        let submitted = lines.add(&news("a", BatchNewsPhase::Submitted, 0)).unwrap();
        assert_eq!(submitted, "batch batch_a (openai): 1,500 requests submitted");
        assert_eq!(lines.add(&news("a", BatchNewsPhase::InProgress, 40)), None);
        assert_eq!(lines.progress().unwrap(), "batch 40/1,500");
        for name in ["b", "c"] {
            lines.add(&news(name, BatchNewsPhase::InProgress, 7));
        }
        assert_eq!(lines.progress().unwrap(), "batches 40/1,500, 7/1,500, 7/1,500");
        lines.add(&news("d", BatchNewsPhase::InProgress, 1));
        assert_eq!(lines.progress().unwrap(), "4 batches 55/6,000");
        let ended = lines.add(&news("a", BatchNewsPhase::Completed, 1500)).unwrap();
        assert_eq!(ended, "batch batch_a (openai): completed, 1,500 answered, 0 failed");
        assert_eq!(lines.progress().unwrap(), "batches 7/1,500, 7/1,500, 1/1,500");
    }
}
