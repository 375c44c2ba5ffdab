//! OUT: a line of JSON for each cell, in the order of row, variant, model and repetition.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::line::CellLine;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_map::{free_name, with_suffix};
use lmthing_providers::Redactor;
use lmthing_system::files::io_error_text;

/// It is only appended to, or replaced as a whole.
pub(crate) struct OutFile {
    path: PathBuf,
    file: File,
    redactor: Redactor,
}

impl OutFile {
    /// Replaces OUT by these lines.
    pub(crate) fn begin<'a>(
        path: &Path,
        lines: impl Iterator<Item = &'a CellLine>,
        redactor: &Redactor,
    ) -> Result<Self, Box<Diagnostic>> {
        let replaced = replace(path, lines, redactor).and_then(|()| OpenOptions::new().append(true).open(path));
        let file = replaced.map_err(|error| cannot_write(path, &error))?;
        Ok(OutFile { path: path.to_owned(), file, redactor: redactor.clone() })
    }

    pub(crate) fn append(&mut self, line: &CellLine) -> Result<(), Box<Diagnostic>> {
        self.file.write_all(json(line, &self.redactor).as_bytes()).map_err(|error| cannot_write(&self.path, &error))
    }

    /// Replaces it by all lines, in order.
    pub(crate) fn end<'a>(self, lines: impl Iterator<Item = &'a CellLine>) -> Result<(), Box<Diagnostic>> {
        replace(&self.path, lines, &self.redactor).map_err(|error| cannot_write(&self.path, &error))
    }
}

/// Writes lines that OUT will not have any more to `OUT.before`, or the first free name like it, which is returned.
pub(crate) fn keep_before<'a>(
    path: &Path,
    lines: impl Iterator<Item = &'a CellLine>,
    redactor: &Redactor,
) -> Result<PathBuf, Box<Diagnostic>> {
    let before = free_name(path);
    replace(&before, lines, redactor).map_err(|error| cannot_write(&before, &error))?;
    Ok(before)
}

fn replace<'a>(path: &Path, lines: impl Iterator<Item = &'a CellLine>, redactor: &Redactor) -> io::Result<()> {
    let new = with_suffix(path, ".new");
    let mut file = BufWriter::new(File::create(&new)?);
    for line in lines {
        file.write_all(json(line, redactor).as_bytes())?;
    }
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
    fs::rename(new, path)
}

fn json(line: &CellLine, redactor: &Redactor) -> String {
    let mut text = serde_json::to_string(&line.clone().redacted(redactor)).unwrap_or_default();
    text.push('\n');
    text
}

fn cannot_write(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot write {}: {}", path.display(), io_error_text(error))))
}
