//! Files that rows name: the hashes of their contents, and the contents when a row runs.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{hashes::hex, rows::Source};
use lmthing_base::input::{Declaration, InputProblem, UnreadableText};
use lmthing_system::{
    attachment::{self, MAX_ATTACHMENT},
    files::io_error_text,
    user_file,
};

/// The folder that paths in rows count from.
#[derive(Clone, Debug, Default)]
pub struct RowFiles(PathBuf);

impl RowFiles {
    pub fn within(folder: impl Into<PathBuf>) -> Self {
        RowFiles(folder.into())
    }

    pub(crate) fn of(source: &Source) -> Self {
        match source {
            Source::File(path) => RowFiles(path.parent().map(Path::to_owned).unwrap_or_default()),
            Source::StandardInput | Source::Each(_) => RowFiles::default(),
        }
    }

    /// Adds the hashes of files to a row, so that a row with a changed file is another row.
    pub fn add_hashes(&self, declaration: &Declaration, row: &mut Map<String, Value>) -> Result<(), InputProblem> {
        declaration.add_file_hashes(row, &|path| {
            let bytes = user_file::read(&self.0.join(path), MAX_ATTACHMENT);
            bytes.map(|bytes| hex(&Sha256::digest(bytes))).map_err(|error| UnreadableText(io_error_text(&error)))
        })
    }

    /// A row with the files that it names.
    pub fn load(
        &self,
        declaration: &Declaration,
        row: &Map<String, Value>,
    ) -> Result<Map<String, Value>, UnreadableText> {
        let mut row = row.clone();
        declaration.load_files(&mut row, &|path| {
            let file = attachment::input_file(&self.0.join(path));
            file.map(|file| file.to_json())
                .map_err(|error| UnreadableText(format!("cannot read the file {path}: {}", io_error_text(&error))))
        })?;
        Ok(row)
    }
}
