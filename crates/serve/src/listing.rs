//! The list of callable files at a moment.

use std::{
    collections::{BTreeMap, HashSet},
    path::PathBuf,
    sync::Arc,
};

use serde_json::{Map, Value, json};

use super::{ServedFile, description::Description, names::names};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Listing {
    pub(super) files: Arc<[ServedFile]>,
    /// Names of the files without an `input`.
    without_input: Arc<HashSet<String>>,
}

impl Listing {
    pub(super) fn empty() -> Self {
        Listing { files: Arc::from([]), without_input: Arc::default() }
    }

    /// Lists the files that have a description. The others get names too, so that a broken file does not change the
    /// names of others.
    pub(super) fn of(offers: &BTreeMap<PathBuf, Option<&Description>>) -> Self {
        let paths: Vec<PathBuf> = offers.keys().cloned().collect();
        let mut without_input = HashSet::new();
        let offered = names(&paths).into_iter().zip(offers).filter_map(|(name, (path, offer))| {
            let Description { description, input, output } = offer.cloned()?;
            let input = input.unwrap_or_else(|| {
                without_input.insert(name.clone());
                nothing()
            });
            Some(ServedFile { name, path: path.clone(), description, input, output: output.and_then(of_an_object) })
        });
        let mut files: Vec<ServedFile> = offered.collect();
        files.sort_by(|one, other| one.name.cmp(&other.name));
        Listing { files: files.into(), without_input: Arc::new(without_input) }
    }

    /// Returns the file, and whether it has an `input`.
    pub(super) fn find(&self, name: &str) -> Option<(ServedFile, bool)> {
        let file = self.files.iter().find(|file| file.name == name)?;
        Some((file.clone(), !self.without_input.contains(name)))
    }
}

/// Returns the schema if all its values are objects.
fn of_an_object(schema: Value) -> Option<Map<String, Value>> {
    match schema {
        Value::Object(schema) if schema.get("type").is_some_and(|kind| kind == "object") => Some(schema),
        _ => None,
    }
}

/// The input schema of a file that takes none. `additionalProperties: false` keeps models from inventing arguments.
fn nothing() -> Map<String, Value> {
    let schema = [("type", json!("object")), ("properties", json!({})), ("additionalProperties", json!(false))];
    schema.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
