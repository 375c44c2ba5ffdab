//! Rows of JSON Lines files: an object on each line.

use std::{
    fs::File,
    io::{BufRead, BufReader},
};

use serde_json::Value;

use super::record::{Fault, Record, Values};
use lmthing_base::{chat::read_json, diagnostic::json_kind};
use lmthing_system::files::io_error_text;

/// Empty lines are skipped.
pub(super) fn records(file: File) -> impl Iterator<Item = Result<Record, Fault>> {
    let (mut reader, mut line, mut number, mut is_over) = (BufReader::new(file), Vec::new(), 0_u64, false);
    std::iter::from_fn(move || {
        while !is_over {
            line.clear();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) => number += 1,
                Err(error) => {
                    is_over = true;
                    return Some(Err(Fault::End(io_error_text(&error))));
                }
            }
            let text = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| number == 1).unwrap_or(&line);
            if !text.trim_ascii().is_empty() {
                return Some(record(text, number));
            }
        }
        None
    })
}

fn record(line: &[u8], number: u64) -> Result<Record, Fault> {
    let wrong = |what: &str| Fault::Row(format!("line {number} {what}"));
    let text = str::from_utf8(line).map_err(|_| wrong("is not UTF-8 text"))?;
    match read_json::<Value>(text.trim()) {
        Ok(Value::Object(object)) => Ok(Record { line: Some(number), values: Values::Object(object) }),
        Ok(other) => Err(wrong(&format!("is no JSON object, but {}", json_kind(&other)))),
        Err(error) => Err(wrong(&format!("is not JSON: {error}"))),
    }
}
