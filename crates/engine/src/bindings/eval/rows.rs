//! Reads the export `rows` of an eval file: a path, an array, or a function that gives either.

use std::path::Path;

use rquickjs::{Array, Function, Value};
use serde_json::{Map, Value as Json};

use super::{
    outcome::EvalRows,
    readers::{WRONG, shown},
};
use crate::bindings::{
    inspect::exports::{Faults, at_index, path},
    run::module::path_of,
    values::{blob::input_json, kind_of, property},
};
use lmthing_base::diagnostic::did_you_mean;

const EXAMPLE: &str = "export const rows = [{ city: 'Rome', expected: 'Italy' }];";

pub(super) enum RowsExport<'js> {
    Read(EvalRows),
    Function(Function<'js>),
}

pub(super) fn read<'js>(faults: &mut Faults<'_, 'js>, value: &Value<'js>, file: &Path) -> Option<RowsExport<'js>> {
    match value.as_function() {
        Some(function) => Some(RowsExport::Function(function.clone())),
        None => read_value(faults, value, file).map(RowsExport::Read),
    }
}

/// Reads what the export is, or what the function has returned.
pub(super) fn read_value<'js>(faults: &mut Faults<'_, 'js>, value: &Value<'js>, file: &Path) -> Option<EvalRows> {
    if let Some(array) = value.as_array() {
        return objects(faults, array).map(EvalRows::Objects);
    }
    let is_url = value.as_object().is_some_and(|object| property(object, "href").is_ok_and(|href| href.is_some()));
    if value.is_string() || is_url {
        return rows_file(faults, value, file);
    }
    let message =
        format!("rows must be a file, an array of objects, or a function that gives one, got {}", kind_of(value));
    faults.add(WRONG, path(&["rows"]), message, Some(EXAMPLE.to_owned()));
    None
}

fn rows_file<'js>(faults: &mut Faults<'_, 'js>, value: &Value<'js>, file: &Path) -> Option<EvalRows> {
    let place = path(&["rows"]);
    let rows = faults.read("export", &place, path_of(value.ctx(), value, Some(file), "rows"))?;
    let problem = match () {
        () if rows.is_dir() => format!("{} is a directory, not a file of rows", shown(&rows).display()),
        () if !rows.exists() => format!("cannot find the file of rows {}", shown(&rows).display()),
        () => return Some(EvalRows::File(rows)),
    };
    let is_rows = |path: &Path| {
        path.extension().is_some_and(|ending| ["csv", "tsv", "jsonl", "ndjson"].iter().any(|known| ending == *known))
    };
    faults.add(WRONG, place, problem, did_you_mean(shown(&rows), is_rows));
    None
}

fn objects<'js>(faults: &mut Faults<'_, 'js>, array: &Array<'js>) -> Option<Vec<Map<String, Json>>> {
    let place = path(&["rows"]);
    let mut rows = Vec::new();
    for (index, value) in array.iter::<Value>().enumerate() {
        let place = at_index(&place, index);
        let value = faults.read("export", &place, value)?;
        match faults.read("export", &place, input_json(value.ctx(), &value))? {
            Json::Object(row) => rows.push(row),
            _ => {
                let message = format!("row {} must be an object of columns, got {}", index + 1, kind_of(&value));
                faults.add(WRONG, place, message, Some(EXAMPLE.to_owned()));
                return None;
            }
        }
    }
    if rows.is_empty() {
        faults.add(WRONG, place, "there are no rows, so that there is nothing to ask", Some(EXAMPLE.to_owned()));
        return None;
    }
    Some(rows)
}
