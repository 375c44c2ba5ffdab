//! Files that rows of a map or an eval name by their paths (docs/reference/map.md#files).
//!
//! Only the schema says where a path stands. Nothing in a row can ask for a file elsewhere.

use serde_json::{Map, Value};

use super::{
    command_line::UnreadableText, file::is_resource, kind::ValueKind, problem::InputProblem, property::Declaration,
};

/// The key of a row for the hashes of its files, by JSON pointer. Hashes are `null` for files that cannot be read. Rows
/// that are given cannot have it.
const HASHES: &str = "lmthing:files";

/// Is called with the place of a path as a JSON pointer, the path, and the value that stands for the file.
type Visitor<'a, E> = &'a mut dyn FnMut(&str, &str, &mut Value) -> Result<(), E>;

impl Declaration {
    /// Whether any part of the input is a file.
    pub fn takes_files(&self) -> bool {
        self.fields.properties.iter().any(|property| property.kind.has_file())
            || self.fields.others.as_ref().is_some_and(|kind| kind.has_file())
    }

    /// The name of the only property that is a file.
    pub fn only_file(&self) -> Option<&str> {
        let mut files = self
            .fields
            .properties
            .iter()
            .filter(|property| *property.kind.inner() == ValueKind::File)
            .map(|it| &*it.name);
        files.next().filter(|_| files.next().is_none())
    }

    /// Adds the hashes of the files of a row to it, also if it is refused because one cannot be read.
    pub fn add_file_hashes(
        &self,
        row: &mut Map<String, Value>,
        hash: &dyn Fn(&str) -> Result<String, UnreadableText>,
    ) -> Result<(), InputProblem> {
        if row.remove(HASHES).is_some() {
            return Err(InputProblem::new(format!("{HASHES}: this name is reserved")));
        }
        let (mut hashes, mut missing) = (Map::new(), None);
        self.visit_files(row, &mut |place, path, _| {
            let hash = hash(path).map_err(|why| {
                missing.get_or_insert(InputProblem::new(unreadable(place, path, &why)));
            });
            hashes.insert(place.to_owned(), hash.map_or(Value::Null, Value::String));
            Ok::<_, InputProblem>(())
        })?;
        put_file_hashes(row, hashes);
        missing.map_or(Ok(()), Err)
    }

    /// The paths of the files that a row names.
    pub fn file_paths(&self, row: &Map<String, Value>) -> Vec<String> {
        let mut paths = Vec::new();
        if self.takes_files() {
            let _ = self.visit_files::<()>(&mut row.clone(), &mut |_, path, _| {
                paths.push(path.to_owned());
                Ok(())
            });
        }
        paths
    }

    /// Replaces the paths of files in a row by what `load` gives for them.
    pub fn load_files(
        &self,
        row: &mut Map<String, Value>,
        load: &dyn Fn(&str) -> Result<Value, UnreadableText>,
    ) -> Result<(), UnreadableText> {
        row.remove(HASHES);
        self.visit_files(row, &mut |place, path, value| {
            *value = load(path).map_err(|why| UnreadableText(unreadable(place, path, &why)))?;
            Ok(())
        })
    }

    fn visit_files<E>(&self, row: &mut Map<String, Value>, visit: Visitor<'_, E>) -> Result<(), E> {
        if !self.takes_files() {
            return Ok(());
        }
        row.iter_mut().try_for_each(|(key, value)| visit_part(value, self.fields.kind_of(key), &within("", key), visit))
    }
}

fn visit_part<E>(value: &mut Value, kind: &ValueKind, place: &str, visit: Visitor<'_, E>) -> Result<(), E> {
    match value {
        Value::String(text) if kind.takes_file() => {
            let is_only_file = *kind.inner() == ValueKind::File;
            let path = text.strip_prefix('@').or_else(|| is_only_file.then_some(text)).map(str::to_owned);
            path.map_or(Ok(()), |path| visit(place, &path, value))
        }
        Value::Array(items) => items
            .iter_mut()
            .enumerate()
            .try_for_each(|(index, item)| visit_part(item, kind.item(index), &format!("{place}/{index}"), visit)),
        value if is_resource(value) => Ok(()),
        Value::Object(fields) => fields
            .iter_mut()
            .try_for_each(|(key, field)| visit_part(field, kind.field(key), &within(place, key), visit)),
        _ => Ok(()),
    }
}

/// The message about the file at a place of a row.
fn unreadable(place: &str, path: &str, why: &UnreadableText) -> String {
    let property = place.split('/').nth(1).unwrap_or_default();
    match path {
        "" => format!("{property}: expected the path of a file, got ''"),
        path => format!("{property}: cannot read the file {path}: {why}"),
    }
}

fn within(place: &str, key: &str) -> String {
    format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Takes the hashes out of a row.
pub fn take_file_hashes(row: &mut Map<String, Value>) -> Map<String, Value> {
    match row.shift_remove(HASHES) {
        Some(Value::Object(hashes)) => hashes,
        _ => Map::new(),
    }
}

pub fn put_file_hashes(row: &mut Map<String, Value>, hashes: Map<String, Value>) {
    if !hashes.is_empty() {
        row.insert(HASHES.to_owned(), hashes.into());
    }
}

/// Whether a file that the row names cannot be read.
pub fn lacks_file(row: &Map<String, Value>) -> bool {
    row.get(HASHES).and_then(Value::as_object).is_some_and(|hashes| hashes.values().any(Value::is_null))
}

/// Whether `row` is the row of an earlier command. A file that cannot be read counts as unchanged.
pub fn is_same_row(earlier: &Map<String, Value>, row: &Map<String, Value>) -> bool {
    let (mut earlier, mut row) = (earlier.clone(), row.clone());
    let (before, now) = (take_file_hashes(&mut earlier), take_file_hashes(&mut row));
    earlier == row
        && before.len() == now.len()
        && now.iter().all(|(place, hash)| before.get(place).is_some_and(|before| hash.is_null() || hash == before))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn declaration() -> Declaration {
        let file = json!({ "tsType": "File" });
        let schema = json!({ "type": "object", "properties": {
            "one": file, "all": { "type": "array", "items": file }, "in": { "type": "object", "properties": { "a/b": file } },
            "either": { "anyOf": [file, { "type": "string" }] }, "name": { "type": "string" }, "any": {},
            "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "allOf": [file, {}] }] } } });
        Declaration::new(Some(&schema), None).unwrap()
    }

    fn row(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn files_are_where_the_schema_has_them() {
        let written = json!({ "one": "a.png", "all": ["@b.png", "c"], "in": { "a/b": "d" }, "either": "e", "name": "@f",
            "pair": ["g", "h"], "any": { "lmthing:file": "/etc/passwd", "x": "@y" } });
        let mut hashed = row(written.clone());
        declaration().add_file_hashes(&mut hashed, &|path| Ok(format!("hash of {path}"))).unwrap();
        let mut loaded = hashed.clone();
        declaration().load_files(&mut loaded, &|path| Ok(json!([path]))).unwrap();
        let mut expected = written.clone();
        (expected["one"], expected["all"]) = (json!(["a.png"]), json!([["b.png"], ["c"]]));
        (expected["in"], expected["pair"]) = (json!({ "a/b": ["d"] }), json!(["g", ["h"]]));
        assert_eq!(Value::Object(loaded), expected);
        let hashes = take_file_hashes(&mut hashed);
        assert_eq!((Value::Object(hashed), hashes.len()), (written, 5));
        assert_eq!(hashes["/in/a~1b"], "hash of d");
    }

    #[test]
    fn a_row_with_a_changed_file_is_another_one() {
        let with = |hash: &dyn Fn(&str) -> Result<String, UnreadableText>| {
            let mut row = row(json!({ "one": "a", "all": ["b"] }));
            let added = declaration().add_file_hashes(&mut row, hash);
            (row, added.map_err(|problem| problem.message().to_owned()))
        };
        let (first, _) = with(&|path| Ok(path.to_owned()));
        let (changed, _) = with(&|_| Ok("a".to_owned()));
        let (gone, problem) = with(&|path| match path {
            "a" => Err(UnreadableText("gone".into())),
            path => Ok(path.to_owned()),
        });
        assert_eq!(problem, Err("one: cannot read the file a: gone".to_owned()));
        assert!(lacks_file(&gone) && !lacks_file(&first));
        assert!(is_same_row(&first, &first) && is_same_row(&first, &gone) && !is_same_row(&first, &changed));
        let mut forged = row(json!({ "lmthing:files": { "/one": "b" } }));
        assert!(declaration().add_file_hashes(&mut forged, &|_| Ok(String::new())).is_err());
    }
}
