//! The list of files as it is at a moment. Must not know how it came about.

use std::{
    collections::{BTreeMap, HashSet},
    path::PathBuf,
    sync::Arc,
};

use serde_json::{Map, Value, json};

use super::{ServedFile, describing::Description, naming::names};

/// The files that can be called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Listing {
    /// By name.
    pub(super) files: Arc<[ServedFile]>,
    /// The names of those that have no `input`.
    without_input: Arc<HashSet<String>>,
}

impl Listing {
    /// Nothing.
    pub(super) fn empty() -> Self {
        Listing { files: Arc::from([]), without_input: Arc::default() }
    }

    /// Of the files that there are, those that offer something. Names are given to the others as well: one that breaks does not
    /// change what another is called.
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

    /// The file of this name, and whether it has an `input`.
    pub(super) fn find(&self, name: &str) -> Option<(ServedFile, bool)> {
        let file = self.files.iter().find(|file| file.name == name)?;
        Some((file.clone(), !self.without_input.contains(name)))
    }
}

/// A schema of what is an object for sure.
fn of_an_object(schema: Value) -> Option<Map<String, Value>> {
    match schema {
        Value::Object(schema) if schema.get("type").is_some_and(|kind| kind == "object") => Some(schema),
        _ => None,
    }
}

/// The input of a file that takes none; a model that is told so does not make anything up.
fn nothing() -> Map<String, Value> {
    let schema = [("type", json!("object")), ("properties", json!({})), ("additionalProperties", json!(false))];
    schema.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
