//! Contents of files, each stored once for a run. The texts of its start, events and entries refer to them.

use std::borrow::Cow;

use rusqlite::{Connection, OptionalExtension, params};

use lmthing_base::chat::base64_runs;

use super::numbers::count_to_sql;

/// Stands before and after the number of a content in a stored text. JSON has no such character.
const MARK: char = '\u{1}';

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS contents (\
    run INTEGER NOT NULL, length INTEGER NOT NULL, number INTEGER NOT NULL, content TEXT NOT NULL, \
    PRIMARY KEY (run, length, number)) STRICT";

/// Stores the contents in a text of a run, and returns the text that refers to them.
pub(super) fn store_contents<'a>(connection: &Connection, run: i64, text: &'a str) -> rusqlite::Result<Cow<'a, str>> {
    let runs = base64_runs(text);
    if runs.is_empty() {
        return Ok(Cow::Borrowed(text));
    }
    let (mut short, mut end) = (String::new(), 0);
    for found in runs {
        let reference = store(connection, run, &text[found.clone()])?;
        short.extend([&text[end..found.start], &reference]);
        end = found.end;
    }
    short.push_str(&text[end..]);
    Ok(Cow::Owned(short))
}

/// Returns the reference to a content, which may be stored already.
fn store(connection: &Connection, run: i64, content: &str) -> rusqlite::Result<String> {
    let length = count_to_sql(content.len());
    let reference = |number: i64| format!("{MARK}{length}/{number}{MARK}");
    let known = "SELECT number FROM contents WHERE run = ?1 AND length = ?2 AND content = ?3";
    let mut known = connection.prepare_cached(known)?;
    if let Some(number) = known.query_row(params![run, length, content], |row| row.get(0)).optional()? {
        return Ok(reference(number));
    }
    // It has a copy of the content.
    drop(known);
    let new = "INSERT INTO contents (run, length, number, content) \
               SELECT ?1, ?2, count(*), ?3 FROM contents WHERE run = ?1 AND length = ?2 RETURNING number";
    connection.prepare_cached(new)?.query_row(params![run, length, content], |row| Ok(reference(row.get(0)?)))
}

/// A stored text of a run, with the contents that it refers to.
pub(super) fn with_contents<'a>(connection: &Connection, run: i64, text: &'a str) -> rusqlite::Result<Cow<'a, str>> {
    let mut parts = text.split(MARK);
    let Some(first) = parts.next().filter(|first| first.len() < text.len()) else { return Ok(Cow::Borrowed(text)) };
    let mut whole = first.to_owned();
    while let (Some(reference), after) = (parts.next(), parts.next()) {
        let sql = "SELECT content FROM contents WHERE run = ?1 AND length = ?2 AND number = ?3";
        let (length, number) = reference.split_once('/').unwrap_or_default();
        connection.prepare_cached(sql)?.query_row(params![run, length, number], |row| {
            whole.push_str(row.get_ref(0)?.as_str()?);
            Ok(())
        })?;
        whole.push_str(after.unwrap_or_default());
    }
    Ok(Cow::Owned(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_stored_once_for_a_run() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLE).unwrap();
        let content = |letter: &str| letter.repeat(20_000);
        let texts = [
            format!(r#"{{"a":"{}","b":"data:x;base64,{}=="}}"#, content("A"), content("B")),
            format!(r#"["{}"]"#, content("A")),
            content("A"),
            "short \\u0001".to_owned(),
        ];
        for run in [1, 2] {
            for text in &texts {
                let short = store_contents(&connection, run, text).unwrap();
                assert!(short.len() < 100, "{short}");
                assert_eq!(with_contents(&connection, run, &short).unwrap(), *text);
            }
        }
        let count = connection.query_row("SELECT count(*) FROM contents", (), |row| row.get::<_, i64>(0));
        assert_eq!(count, Ok(4));
        let short = store_contents(&connection, 1, &texts[2]).unwrap();
        assert!(with_contents(&connection, 3, &short).is_err());
    }
}
