//! The changes of a run's states as lines, between those of its events.

use rusqlite::params;
use serde::Serialize;
use serde_json::Value;

use super::{contents::with_contents, error::JournalError, file::Journal, numbers::position_range, runs::RunInfo};
use lmthing_base::checkpoint::{Entry, MemoryChange};

/// In the text of every entry with changed states; most entries have none, and are not parsed.
const STATES: &str = r#""states":{"#;

/// The states that an agent has changed. `agentNumber` is 0 for the file's own prompt.
#[derive(Serialize)]
#[serde(tag = "type", rename = "states", rename_all = "camelCase")]
struct StatesLine<'a> {
    agent_number: u64,
    /// By name: `{value}` in the notation of the journal, `{lost}` with the reason why it is not stored, `null` when removed.
    states: &'a Value,
}

impl Journal {
    /// Like [`Journal::lines`], with a line for each change of states: `{type: "states", agentNumber, states}`.
    pub fn lines_with_states(&self, run: &RunInfo, mut take: impl FnMut(&str)) -> Result<(), JournalError> {
        let places = position_range(run.number);
        let agents = self.agents(run)?;
        let mut read = || {
            let sql = "SELECT at, NULL AS key, line FROM events WHERE at >= ?1 AND at < ?2
                UNION ALL SELECT at, key, entry FROM entries WHERE at >= ?1 AND at < ?2 ORDER BY at";
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query(params![places.start, places.end])?;
            while let Some(row) = rows.next()? {
                let text = String::from_utf8_lossy(row.get_ref(2)?.as_bytes()?);
                let text = with_contents(&self.connection, run.number, &text)?;
                let Some(key) = row.get::<_, Option<String>>(1)? else {
                    take(&text);
                    continue;
                };
                let number = if key.is_empty() { Some(0) } else { agents.get(&key).copied() };
                if let Some(line) = number.and_then(|number| states_line(number, &text)) {
                    take(&line);
                }
            }
            Ok(())
        };
        self.check(read())
    }
}

fn states_line(agent_number: u64, text: &str) -> Option<String> {
    if !text.contains(STATES) {
        return None;
    }
    let mut entry: Entry = serde_json::from_str(text).ok()?;
    let MemoryChange { states, .. } = entry.memory_mut().filter(|memory| !memory.states.is_empty())?;
    let states = &serde_json::to_value(states).ok()?;
    serde_json::to_string(&StatesLine { agent_number, states }).ok()
}
