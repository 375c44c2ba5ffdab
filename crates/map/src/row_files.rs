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

/// Where the files of rows are: paths in rows count from the folder.
#[derive(Clone, Debug, Default)]
pub struct RowFiles {
    folder: PathBuf,
    are_rows: bool,
}

impl RowFiles {
    pub fn within(folder: impl Into<PathBuf>) -> Self {
        RowFiles { folder: folder.into(), are_rows: false }
    }

    pub(crate) fn of(source: &Source) -> Self {
        match source {
            Source::File(path) => RowFiles::within(path.parent().unwrap_or(Path::new(""))),
            Source::StandardInput => RowFiles::default(),
            Source::Each(_) => RowFiles { are_rows: true, ..RowFiles::default() },
        }
    }

    /// The folder for people.
    pub fn shown_folder(&self) -> String {
        match self.folder.as_os_str().is_empty() {
            true => "the working directory".to_owned(),
            false => self.folder.display().to_string(),
        }
    }

    /// Whether each row is a file (`--each`).
    pub(crate) fn are_rows(&self) -> bool {
        self.are_rows
    }

    /// Adds the hashes of files to a row, so that a row with a changed file is another row.
    pub fn add_hashes(&self, declaration: &Declaration, row: &mut Map<String, Value>) -> Result<(), InputProblem> {
        declaration.add_file_hashes(row, &|path| {
            let bytes = user_file::read(&self.folder.join(path), MAX_ATTACHMENT);
            bytes.map(|bytes| hex(&Sha256::digest(bytes))).map_err(|error| UnreadableText(io_error_text(&error)))
        })
    }

    /// The size of the files that a row names, in bytes.
    pub(crate) fn size(&self, declaration: &Declaration, row: &Map<String, Value>) -> u64 {
        declaration
            .file_paths(row)
            .iter()
            .filter_map(|path| self.folder.join(path).metadata().ok())
            .map(|it| it.len())
            .sum()
    }

    /// A row with the files that it names.
    pub fn load(
        &self,
        declaration: &Declaration,
        row: &Map<String, Value>,
    ) -> Result<Map<String, Value>, UnreadableText> {
        let mut row = row.clone();
        declaration.load_files(&mut row, &|path| {
            let file = attachment::input_file(&self.folder.join(path));
            file.map(|file| file.to_json()).map_err(|error| UnreadableText(io_error_text(&error)))
        })?;
        Ok(row)
    }
}
