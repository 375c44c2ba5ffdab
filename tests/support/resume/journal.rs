//! Journals of interrupted runs, read from a copy: opening the file itself could change it before the run is resumed.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use super::provider::who;

/// The entries of all logs, in the order in which they were appended.
pub(crate) struct Journal {
    /// Run and log, and the entry.
    pub entries: Vec<(String, Value)>,
}

impl Journal {
    /// Reads a copy of the file and its write-ahead log; `None` if there is no journal yet.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("journal.db");
        fs::copy(path, &copy).ok()?;
        let _ = fs::copy(path.with_extension("db-wal"), copy.with_extension("db-wal"));
        let connection = rusqlite::Connection::open(&copy).unwrap();
        let mut statement = connection.prepare("SELECT (at >> 32) || key, entry FROM entries ORDER BY at").ok()?;
        let entries = statement.query_map([], |row| {
            let (key, text): (String, String) = (row.get(0)?, row.get(1)?);
            Ok((key, serde_json::from_str(&text).unwrap()))
        });
        let entries = entries.unwrap().map(Result::unwrap).collect();
        Some(Journal { entries })
    }

    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.entries.iter().filter_map(move |(key, entry)| Some((key.as_str(), entry.get(kind)?)))
    }

    /// The names of the requests whose answers are stored.
    pub(crate) fn answered(&self) -> Vec<String> {
        let mut names = BTreeMap::new();
        let answered = self.of_kind("answered").filter_map(|(key, entry)| {
            if let Some(name) = who(&entry["added"].to_string()) {
                names.entry(key).or_insert(name);
            }
            Some(format!("{} {}", names.get(key)?, entry["step"]))
        });
        answered.collect()
    }

    /// The ids of the tool calls whose results are stored.
    pub(crate) fn called(&self) -> Vec<String> {
        let ids = self.of_kind("call-ends").map(|(_, entry)| entry["toolCallId"].as_str().unwrap().to_owned());
        ids.collect()
    }
}
