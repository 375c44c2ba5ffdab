//! The files as they are now, each described once: for a server that does not follow changes. Must not know who calls them.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
};

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value};

use super::{
    describing::{Description, Problem, describe},
    finding::find,
    naming::names,
    options::ServeOptions,
};
use crate::{diagnostic::Diagnostic, files::FileReport};

/// So many files are described at once in any case.
const MIN_SLOTS: usize = 8;

/// What a file offers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Offer {
    /// What it is called by.
    pub(crate) name: String,
    /// The file, absolute.
    pub(crate) path: PathBuf,
    /// Its `description`.
    pub(crate) description: Option<String>,
    /// Its `input` as a JSON Schema of type object, if it has one.
    pub(crate) input: Option<Map<String, Value>>,
    /// Its `output` as a JSON Schema of any type, if it has one.
    pub(crate) output: Option<Value>,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// What can be called, by name.
    pub(crate) offers: Vec<Offer>,
    /// What is left out, and why, each in words.
    pub(crate) problems: Vec<String>,
}

/// Finds files and has each described.
///
/// # Errors
/// A path leads nowhere, or there is no prompt file.
pub(crate) async fn survey(options: &ServeOptions) -> Result<Survey, Box<Diagnostic>> {
    let found = find(&options.paths)?;
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let described = stream::iter(&found.files).map(|file| described(options, file));
    let described: Vec<_> = described.buffered(MIN_SLOTS.max(2 * cores)).collect().await;
    let mut survey = Survey { problems: found.problems, ..Survey::default() };
    // Names are given to those that do not load as well: what one is called does not depend on another.
    for ((file, name), described) in found.files.iter().zip(names(&found.files)).zip(described) {
        match described {
            Ok(Description { description, input, output }) => {
                let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
                survey.offers.push(Offer { name, path, description, input, output });
            }
            Err(problem) => survey.problems.push(format!("{} is not served: {}", file.display(), problem.shown())),
        }
    }
    survey.offers.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(survey)
}

async fn described(options: &ServeOptions, file: &Path) -> Result<Description, Problem> {
    let report = FileReport::new().map_err(|error| Problem::new(format!("cannot write a temporary file: {error}")))?;
    describe(options, file, &report).await
}
