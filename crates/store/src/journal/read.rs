//! Reads a run from the journal: its start, events and entries.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Row, params};
use serde::Deserialize;

use super::{
    contents::with_contents,
    error::JournalError,
    file::Journal,
    fork::StoredEntry,
    numbers::{from_sql, position_range, to_sql},
    runs::RunInfo,
    stored::{CHOSEN, RunStart, TO_SAY},
};
use lmthing_base::checkpoint::{Entry, UserSettings, is_log_before};

// How the text of an entry begins.
const ANSWERED: &str = r#"{"answered""#;
const TAKEN_BACK: &str = r#"{"taken-back""#;
const SAID: &str = r#"{"said""#;

pub(super) type PromptLogs = HashMap<String, Vec<Entry>>;

/// What a run has asked, also in turns that were taken back.
#[derive(Default)]
pub(super) struct AskedRequests {
    pub(super) requests: usize,
    /// Turns of mocks, with the number of the mock.
    pub(super) played: Vec<(usize, usize)>,
    pub(super) settings: UserSettings,
    /// What the user has said, and what is to be said.
    pub(super) said: Vec<Entry>,
}

impl AskedRequests {
    fn add(&mut self, entry: &Entry) {
        match entry {
            Entry::Answered(answered) => {
                self.requests += 1;
                self.played.extend(answered.played.and_then(|played| Some((played.mock?, played.turn))));
            }
            Entry::Chosen(settings) => self.settings = settings.clone(),
            Entry::Said { .. } | Entry::ToSay { .. } => self.said.push(entry.clone()),
            _ => {}
        }
    }
}

impl Journal {
    pub fn start(&self, run: &RunInfo) -> Result<RunStart, JournalError> {
        let sql = "SELECT start FROM starts WHERE run = ?1";
        let read =
            |row: &Row<'_>| Ok(with_contents(&self.connection, run.number, row.get_ref(0)?.as_str()?)?.into_owned());
        let text = self.connection.query_row(sql, [run.number], read).optional();
        let start = self.check(text)?.and_then(|text| serde_json::from_str(&text).ok());
        let what = || format!("it does not say how the run {} was started", run.id);
        start.ok_or_else(|| JournalError::damaged(self.path(), &what()))
    }

    /// Passes the lines of a run's events to `take`, in order, until that returns `false`.
    pub fn lines(&self, run: &RunInfo, take: impl FnMut(&str) -> bool) -> Result<(), JournalError> {
        self.lines_until(run, None, take)
    }

    fn lines_until(
        &self,
        run: &RunInfo,
        end: Option<i64>,
        mut take: impl FnMut(&str) -> bool,
    ) -> Result<(), JournalError> {
        let places = position_range(run.number);
        let mut read = || {
            let sql = "SELECT line FROM events WHERE at >= ?1 AND at < ?2 ORDER BY at";
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query(params![places.start, end.unwrap_or(places.end)])?;
            while let Some(row) = rows.next()? {
                let text = String::from_utf8_lossy(row.get_ref(0)?.as_bytes()?);
                if !take(&with_contents(&self.connection, run.number, &text)?) {
                    break;
                }
            }
            Ok(())
        };
        self.check(read())
    }

    /// The logs of a run; with `until`, only the part before that step.
    pub fn logs(&self, run: &RunInfo, until: Option<usize>) -> Result<PromptLogs, JournalError> {
        let entries = match until {
            Some(step) => self.entries_before(run, step)?.0,
            None => self.entries(run.number)?,
        };
        parse_logs(entries.iter().map(|(_, key, text)| (key.clone(), text.as_str()))).map_err(|error| {
            JournalError::damaged(self.path(), &format!("an entry of the run {} cannot be read: {error}", run.id))
        })
    }

    /// What a run has asked; with `until`, only before that step.
    pub(super) fn asked(&self, run: &RunInfo, until: Option<usize>) -> Result<AskedRequests, JournalError> {
        let all = self.all_entries(run.number)?;
        let mut asked = AskedRequests::default();
        let mut read = |entries: &[StoredEntry], beginnings: [&str; 2]| {
            let texts = entries.iter().map(|(_, _, text)| text);
            let texts = texts.filter(|text| beginnings.iter().any(|beginning| text.starts_with(beginning)));
            // What cannot be read is reported with the logs.
            texts.filter_map(|text| serde_json::from_str(text).ok()).for_each(|entry| asked.add(&entry));
        };
        // What was said after that step, or taken back, is not to be said again.
        read(&all, [SAID, TO_SAY]);
        match until {
            Some(step) => read(&self.entries_before(run, step)?.0, [ANSWERED, CHOSEN]),
            None => read(&all, [ANSWERED, CHOSEN]),
        }
        Ok(asked)
    }

    /// How long the processes of a run were active, in milliseconds; with `until`, only before that step.
    pub fn active_ms(&self, run: &RunInfo, until: Option<usize>) -> Result<u64, JournalError> {
        #[derive(Deserialize)]
        struct Line<'a> {
            r#type: &'a str,
            time: u64,
        }
        let end = until.map(|step| self.beginning_of(run, step)).transpose()?.flatten();
        let (mut worked, mut began, mut last) = (0, None, 0);
        self.lines_until(run, end, |line| {
            let Ok(Line { r#type, time }) = serde_json::from_str(line) else { return true };
            match began {
                Some(began) if r#type != "run-start" => worked += time.saturating_sub(last.max(began)),
                _ => began = Some(time),
            }
            last = time;
            true
        })?;
        Ok(worked)
    }

    /// The numbers of the run's agents, by the keys of their runs.
    pub fn agents(&self, run: &RunInfo) -> Result<HashMap<String, u64>, JournalError> {
        let read = || {
            let mut statement = self.connection.prepare("SELECT key, number FROM agents WHERE run = ?1")?;
            let rows = statement.query_map([run.number], |row| Ok((row.get(0)?, from_sql(row.get(1)?))))?;
            rows.collect()
        };
        self.check(read())
    }

    /// The entries of a run, without those that were taken back.
    pub(super) fn entries(&self, number: i64) -> Result<Vec<StoredEntry>, JournalError> {
        Ok(standing_entries(self.all_entries(number)?))
    }

    /// Whether a run has an entry whose text begins like this.
    pub(super) fn has_entries(&self, number: i64, beginning: &str) -> Result<bool, JournalError> {
        let places = position_range(number);
        let sql = "SELECT EXISTS (SELECT 1 FROM entries WHERE at >= ?1 AND at < ?2 AND substr(entry, 1, ?3) = ?4)";
        let values = params![places.start, places.end, to_sql(beginning.len() as u64), beginning];
        self.check(self.connection.query_row(sql, values, |row| row.get(0)))
    }

    pub(super) fn all_entries(&self, number: i64) -> Result<Vec<StoredEntry>, JournalError> {
        let places = position_range(number);
        let read = || {
            let sql = "SELECT at, key, entry FROM entries WHERE at >= ?1 AND at < ?2 ORDER BY at";
            let mut statement = self.connection.prepare(sql)?;
            let rows = statement.query_map(params![places.start, places.end], |row| {
                let text = with_contents(&self.connection, number, row.get_ref(2)?.as_str()?)?;
                Ok((row.get(0)?, row.get(1)?, text.into_owned()))
            })?;
            rows.collect()
        };
        self.check(read())
    }
}

/// Leaves out the entries that were taken back, and those that take them back.
pub(super) fn standing_entries(all: Vec<StoredEntry>) -> Vec<StoredEntry> {
    let mut standing: Vec<StoredEntry> = Vec::with_capacity(all.len());
    for entry in all {
        let Some((entries, step)) = taken_back(&entry) else {
            standing.push(entry);
            continue;
        };
        let mut own = 0;
        standing.retain(|(_, key, _)| {
            own += usize::from(key.is_empty());
            if key.is_empty() { own <= entries } else { is_log_before(key, step) }
        });
    }
    standing
}

fn taken_back((_, key, text): &StoredEntry) -> Option<(usize, usize)> {
    // Most entries are long and of other kinds, and are not parsed.
    if !key.is_empty() || !text.starts_with(TAKEN_BACK) {
        return None;
    }
    match serde_json::from_str(text) {
        Ok(Entry::TakenBack { entries, step }) => Some((entries, step)),
        _ => None,
    }
}

pub(super) fn parse_logs<'a>(entries: impl Iterator<Item = (String, &'a str)>) -> serde_json::Result<PromptLogs> {
    let mut logs = PromptLogs::new();
    for (key, text) in entries {
        logs.entry(key).or_default().push(serde_json::from_str(text)?);
    }
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use lmthing_base::checkpoint::restore;

    fn entries(lines: &[(&str, serde_json::Value)]) -> Vec<StoredEntry> {
        (0..).zip(lines).map(|(at, (key, entry))| (at, (*key).to_owned(), entry.to_string())).collect()
    }

    fn said(text: &str) -> serde_json::Value {
        json!({ "said": { "added": [{ "role": "user", "content": text }], "memory": {} } })
    }

    fn answered(step: usize, count: usize) -> serde_json::Value {
        json!({ "answered": {
            "step": step, "active": {}, "finishReason": "stop", "cost": 0, "provider": "lab", "modelId": "m", "usage": {},
            "message": { "role": "assistant", "content": format!("answer {step}") },
            "memory": { "states": { "count": { "value": count } } },
        } })
    }

    fn ends(step: usize) -> serde_json::Value {
        json!({ "step-ends": { "step": step, "endsTurn": true, "memory": {} } })
    }

    #[test]
    fn turns_that_were_taken_back_are_not_restored() {
        let mut lines = vec![
            ("", said("a")),
            ("", answered(0, 1)),
            ("", ends(0)),
            ("/0:helper@c#0", answered(0, 7)),
            ("", said("b")),
            ("", answered(1, 2)),
            ("", ends(1)),
            ("/1:helper@c#0", answered(0, 8)),
            // Back to the message, without its answer.
            ("", json!({ "taken-back": { "entries": 4, "step": 1 } })),
        ];
        let logs = |lines: &[(&str, serde_json::Value)]| {
            let standing = standing_entries(entries(lines));
            parse_logs(standing.iter().map(|(_, key, text)| (key.clone(), text.as_str()))).unwrap()
        };
        let mut kept = logs(&lines);
        assert!(kept.len() == 2 && kept.contains_key("/0:helper@c#0"), "{:?}", kept.keys());
        let restored = restore(kept.remove("").unwrap(), None);
        assert_eq!((restored.next_step(), restored.history.len(), restored.is_turn_over), (1, 3, false));
        assert_eq!(serde_json::to_value(&restored.before.states).unwrap(), json!({ "count": { "value": 1 } }));
        // Asked again, then the message itself is taken back, and then the first.
        lines.extend([("", answered(1, 3)), ("", ends(1)), ("", json!({ "taken-back": { "entries": 3, "step": 1 } }))]);
        let restored = restore(logs(&lines).remove("").unwrap(), None);
        assert_eq!((restored.next_step(), restored.history.len(), restored.is_turn_over), (1, 2, true));
        lines.push(("", json!({ "taken-back": { "entries": 0, "step": 0 } })));
        assert!(logs(&lines).is_empty());
    }
}
