//! Describes all files once, for a server that does not follow changes.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
};

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value};

use super::{
    description::{DescribeError, Description, describe},
    find::find,
    names::names,
    options::ServeOptions,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_system::files::FileReport;

const MIN_SLOTS: usize = 8;

#[derive(Clone, Debug, PartialEq)]
pub struct DescribedFile {
    pub name: String,
    pub path: PathBuf,
    pub description: Option<String>,
    /// JSON Schema of type object.
    pub input: Option<Map<String, Value>>,
    /// JSON Schema of any type.
    pub output: Option<Value>,
}

#[derive(Debug, Default)]
pub struct DescribedFiles {
    /// Sorted by name.
    pub offers: Vec<DescribedFile>,
    pub problems: Vec<String>,
}

pub async fn describe_files(options: &ServeOptions) -> Result<DescribedFiles, Box<Diagnostic>> {
    let found = find(&options.paths)?;
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let described = stream::iter(&found.files).map(|file| described(options, file));
    let described: Vec<_> = described.buffered(MIN_SLOTS.max(2 * cores)).collect().await;
    let mut result = DescribedFiles { problems: found.problems, ..DescribedFiles::default() };
    // Files that do not load get names too, so that they do not change the names of others.
    for ((file, name), described) in found.files.iter().zip(names(&found.files)).zip(described) {
        match described {
            Ok(Description { description, input, output }) => {
                let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
                result.offers.push(DescribedFile { name, path, description, input, output });
            }
            Err(problem) => result.problems.push(format!("{} is not served: {}", file.display(), problem.shown())),
        }
    }
    result.offers.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(result)
}

async fn described(options: &ServeOptions, file: &Path) -> Result<Description, DescribeError> {
    let report =
        FileReport::new().map_err(|error| DescribeError::new(format!("cannot write a temporary file: {error}")))?;
    describe(options, file, &report).await
}
