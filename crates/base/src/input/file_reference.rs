//! Files in the rows of a map: references with hashes, so that a row takes no more memory than its path
//! (docs/reference/map.md#files).

use serde_json::{Map, Value, json};

use super::{command_line::UnreadableText, kind::ValueKind, problem::InputProblem, property::Declaration};

/// The key of a reference; its value is the path as it stands in the row.
const REFERENCE: &str = "lmthing:file";

impl Declaration {
    /// Whether any part of the input is a file.
    pub fn takes_files(&self) -> bool {
        self.fields.properties.iter().any(|property| property.kind.has_file())
            || self.fields.others.as_ref().is_some_and(|kind| kind.has_file())
    }

    /// Replaces the paths of files in a row by references with the hash of their content.
    pub fn refer_files(
        &self,
        row: &mut Map<String, Value>,
        hash: &dyn Fn(&str) -> Result<String, UnreadableText>,
    ) -> Result<(), InputProblem> {
        for (key, value) in row {
            let kind = self.fields.kind_of(key);
            refer(value, kind, key, hash)?;
        }
        Ok(())
    }
}

fn refer(
    value: &mut Value,
    kind: &ValueKind,
    place: &str,
    hash: &dyn Fn(&str) -> Result<String, UnreadableText>,
) -> Result<(), InputProblem> {
    match value {
        Value::String(text) if kind.takes_file() => {
            let is_file_only = matches!(kind.inner(), ValueKind::File);
            let path = match text.strip_prefix('@') {
                Some(path) => path,
                None if is_file_only => text,
                None => return Ok(()),
            };
            let hash =
                hash(path).map_err(|why| InputProblem::new(format!("{place}: cannot read the file {path}: {why}")))?;
            *value = json!({ REFERENCE: text, "sha256": hash });
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| refer(item, kind.item(), place, hash)),
        Value::Object(fields) if !is_file_like(fields) => {
            fields.iter_mut().try_for_each(|(key, value)| refer(value, kind.field(key), place, hash))
        }
        _ => Ok(()),
    }
}

fn is_file_like(fields: &Map<String, Value>) -> bool {
    fields.contains_key(REFERENCE) || fields.get("type").is_some_and(|kind| kind == "resource")
}

/// Replaces references by what `load` gives for their paths.
pub fn load_references<E>(value: &mut Value, load: &mut dyn FnMut(&str) -> Result<Value, E>) -> Result<(), E> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| load_references(item, load)),
        Value::Object(fields) => match fields.get(REFERENCE).and_then(Value::as_str) {
            Some(path) => {
                *value = load(path.strip_prefix('@').unwrap_or(path))?;
                Ok(())
            }
            None => fields.values_mut().try_for_each(|field| load_references(field, load)),
        },
        _ => Ok(()),
    }
}

/// Replaces references by their paths. Returns their hashes by JSON pointer, for [`put_references`].
pub fn take_references(input: &mut Map<String, Value>) -> Map<String, Value> {
    let mut hashes = Map::new();
    for (key, value) in input {
        take(value, &format!("/{}", escaped(key)), &mut hashes);
    }
    hashes
}

fn take(value: &mut Value, pointer: &str, hashes: &mut Map<String, Value>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                take(item, &format!("{pointer}/{index}"), hashes);
            }
        }
        Value::Object(fields) => match (fields.get(REFERENCE).cloned(), fields.get("sha256").cloned()) {
            (Some(path), Some(hash)) => {
                hashes.insert(pointer.to_owned(), hash);
                *value = path;
            }
            _ => {
                for (key, field) in fields {
                    take(field, &format!("{pointer}/{}", escaped(key)), hashes);
                }
            }
        },
        _ => {}
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Makes references of paths again.
pub fn put_references(input: Map<String, Value>, hashes: &Map<String, Value>) -> Map<String, Value> {
    if hashes.is_empty() {
        return input;
    }
    let mut input = Value::Object(input);
    for (pointer, hash) in hashes {
        if let Some(place) = input.pointer_mut(pointer) {
            *place = json!({ REFERENCE: place.take(), "sha256": hash });
        }
    }
    match input {
        Value::Object(input) => input,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_paths_and_are_found_again() {
        let file = json!({ "tsType": "File" });
        let schema = json!({ "type": "object", "properties": {
            "one": file, "all": { "type": "array", "items": file }, "in": { "type": "object", "properties": { "a/b": file } },
            "either": { "anyOf": [file, { "type": "string" }] }, "name": { "type": "string" } } });
        let declaration = Declaration::new(Some(&schema), None).unwrap();
        let written =
            json!({ "one": "a.png", "all": ["@b.png", "c"], "in": { "a/b": "d" }, "either": "e", "name": "@f" });
        let mut row = written.as_object().cloned().unwrap();
        declaration.refer_files(&mut row, &|path| Ok(format!("hash of {path}"))).unwrap();
        assert_eq!(row["all"][0], json!({ REFERENCE: "@b.png", "sha256": "hash of b.png" }));
        let mut shown = row.clone();
        let hashes = take_references(&mut shown);
        assert_eq!((Value::Object(shown.clone()), hashes.len()), (written, 4));
        assert_eq!(put_references(shown, &hashes), row);
        let mut loaded = Value::Object(row);
        load_references(&mut loaded, &mut |path| Ok::<_, ()>(json!({ "content of": path }))).unwrap();
        assert_eq!(loaded["in"], json!({ "a/b": { "content of": "d" } }));
        let missing = declaration.refer_files(loaded.as_object_mut().unwrap(), &|_| Err(UnreadableText("gone".into())));
        assert_eq!(missing, Ok(()));
        let mut row = Map::from_iter([("one".to_owned(), json!("a"))]);
        let missing = declaration.refer_files(&mut row, &|_| Err(UnreadableText("gone".into()))).unwrap_err();
        assert_eq!(missing.message(), "one: cannot read the file a: gone");
    }
}
