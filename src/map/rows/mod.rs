//! Where rows come from: files of JSON Lines, CSV or TSV, standard input, files that a pattern names. Must not know what rows are
//! for.
//!
//! Rows are read twice, once to be checked and once to be run, so that any number of them takes no memory; what can be read only
//! once is kept in a file that nobody sees.

mod delimited;
mod json_lines;
mod matching;
mod record;

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

pub(super) use record::{Fault, Record, Records};

use crate::{
    diagnostic::{Diagnostic, did_you_mean},
    files::io_error_text,
    user_file,
};

/// How much is looked at to tell what a text is.
const SNIFFED: usize = 64 << 10;

/// More rows than this are not kept of a pipe, in bytes: it may have no end, and the disk has one.
const MAX_ROWS: u64 = 16 << 30;

/// The endings of files of rows, and whether the rows are JSON.
const ENDINGS: [(&str, bool); 6] =
    [("csv", false), ("tsv", false), ("tab", false), ("jsonl", true), ("ndjson", true), ("json", true)];

/// Where rows come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input.
    StandardInput,
    /// The files that a pattern names.
    Each(String),
}

/// Rows that can be read again and again.
#[derive(Debug)]
pub(super) struct Rows {
    name: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Table { file: File, delimiter: u8, header: Vec<String> },
    JsonLines { file: File },
    Files(Vec<PathBuf>),
}

impl Rows {
    /// Opens a source.
    ///
    /// # Errors
    /// It cannot be read, or is nothing that rows can be made of.
    pub(super) fn open(source: &Source) -> Result<Self, Box<Diagnostic>> {
        let (name, file, ending) = match source {
            Source::Each(pattern) => {
                return Ok(Rows { name: pattern.clone(), kind: Kind::Files(matching::files(pattern)?) });
            }
            Source::File(path) => {
                let name = path.display().to_string();
                let file = open(path).map_err(|error| unreadable(&name, path, &error))?;
                let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
                (name, file, ending)
            }
            Source::StandardInput => {
                let name = "standard input".to_owned();
                let file = kept(io::stdin().lock()).map_err(|error| cannot_read(&name, &error))?;
                (name, file, None)
            }
        };
        let start = beginning(&file).map_err(|error| cannot_read(&name, &error))?;
        let kind = kind(&name, file, ending.as_deref(), &start)?;
        Ok(Rows { name, kind })
    }

    /// What the source is called.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The names of the columns, where rows have cells.
    pub(super) fn header(&self) -> Option<&[String]> {
        match &self.kind {
            Kind::Table { header, .. } => Some(header),
            Kind::JsonLines { .. } | Kind::Files(_) => None,
        }
    }

    /// Reads them from the first one on. Only one reading goes on at a time.
    ///
    /// # Errors
    /// They cannot be read a second time.
    pub(super) fn read(&self) -> Result<Records, Box<Diagnostic>> {
        let again = |file| again(file).map_err(|error| cannot_read(&self.name, &error));
        Ok(match &self.kind {
            Kind::Table { file, delimiter, header } => {
                Box::new(delimited::records(again(file)?, *delimiter, header.len()))
            }
            Kind::JsonLines { file } => Box::new(json_lines::records(again(file)?)),
            Kind::Files(files) => Box::new(matching::records(files.clone())),
        })
    }
}

fn cannot_read(name: &str, error: &io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot read {name}: {}", io_error_text(error))))
}

fn unreadable(name: &str, path: &Path, error: &io::Error) -> Box<Diagnostic> {
    let mut problem = Diagnostic::new(format!("--input {name}: cannot read the rows: {}", io_error_text(error)));
    if error.kind() == io::ErrorKind::NotFound {
        let is_rows =
            |path: &Path| path.extension().is_some_and(|ending| ENDINGS.iter().any(|(known, _)| ending == *known));
        problem.hint = did_you_mean(path, is_rows);
    }
    Box::new(problem)
}

/// A file that can be read from its beginning again.
fn open(path: &Path) -> io::Result<File> {
    let file = user_file::open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { kept(file) }
}

/// Everything that comes, in a file without a name.
fn kept(source: impl Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let count = io::copy(&mut source.take(MAX_ROWS + 1), &mut file)?;
    if count > MAX_ROWS {
        return Err(io::Error::other(format!("there is more than {} GiB of it", MAX_ROWS >> 30)));
    }
    Ok(file)
}

/// The file from its beginning.
fn again(file: &File) -> io::Result<File> {
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

fn beginning(file: &File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    again(file)?.take(SNIFFED as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// What a text is, by its name or else by how it begins.
fn kind(name: &str, file: File, ending: Option<&str>, start: &[u8]) -> Result<Kind, Box<Diagnostic>> {
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        let problem = Diagnostic::new(format!("{name} is text in UTF-16, and rows are read as UTF-8"));
        return Err(Box::new(problem.with_hint(format!("iconv -f UTF-16 -t UTF-8 {name} > rows"))));
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    let known = ENDINGS.iter().find(|(known, _)| Some(*known) == ending);
    let is_json = known.map_or(matches!(first, Some(b'{' | b'[')), |(_, is_json)| *is_json);
    if is_json {
        if first == Some(&b'[') {
            let problem =
                Diagnostic::new(format!("{name} is one JSON array, and JSON Lines has an object on each line"));
            return Err(Box::new(problem.with_hint(format!("jq -c '.[]' {name} > rows.jsonl"))));
        }
        return Ok(Kind::JsonLines { file });
    }
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |delimiter: u8| line.contains(&delimiter);
    let delimiter = match ending {
        Some("tsv" | "tab") => b'\t',
        // As spreadsheets write it where the comma stands in numbers.
        _ if !has(b',') && has(b';') => b';',
        Some("csv") => b',',
        _ if has(b'\t') => b'\t',
        _ => b',',
    };
    let reading = again(&file).map_err(|error| cannot_read(name, &error))?;
    let header = delimited::header(reading, delimiter).map_err(|why| Diagnostic::new(format!("{name}: {why}")))?;
    Ok(Kind::Table { file, delimiter, header })
}
