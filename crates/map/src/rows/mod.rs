//! Sources of rows: JSON Lines, CSV, TSV, standard input, and files that match a pattern.
//!
//! Rows are read twice, once for validation and once to run them, so that memory does not grow with their number. Input
//! that can only be read once is copied to a temporary file.

mod delimited;
mod json_lines;
mod pattern;
mod record;

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

pub use record::{Fault, Record, Records, Values};

use globset::GlobMatcher;
use lmthing_base::diagnostic::{Diagnostic, did_you_mean};
use lmthing_system::{files::io_error_text, user_file};

const SNIFF_LENGTH: usize = 64 << 10;

/// Most bytes that are copied from a pipe, which may not end.
const MAX_COPIED: u64 = 16 << 30;

/// File name extensions, and whether the format is JSON Lines.
const ENDINGS: [(&str, bool); 6] =
    [("csv", false), ("tsv", false), ("tab", false), ("jsonl", true), ("ndjson", true), ("json", true)];

#[derive(Clone, Debug)]
pub enum Source {
    File(PathBuf),
    StandardInput,
    Each(String),
}

/// An opened source of rows.
#[derive(Debug)]
pub struct Rows {
    name: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Table { file: File, delimiter: u8, header: Vec<String> },
    JsonLines { file: File },
    Files { files: Vec<PathBuf>, pattern: GlobMatcher },
}

impl Rows {
    pub fn open(source: &Source) -> Result<Self, Box<Diagnostic>> {
        let (name, file, ending) = match source {
            Source::Each(pattern) => {
                let (files, matcher) = pattern::files(pattern)?;
                return Ok(Rows { name: pattern.clone(), kind: Kind::Files { files, pattern: matcher } });
            }
            Source::File(path) => {
                let name = path.display().to_string();
                let file = open(path).map_err(|error| unreadable(&name, path, &error))?;
                let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
                (name, file, ending)
            }
            Source::StandardInput => {
                let name = "standard input".to_owned();
                let file = copy_to_temp_file(io::stdin().lock()).map_err(|error| cannot_read(&name, &error))?;
                (name, file, None)
            }
        };
        let start = beginning(&file).map_err(|error| cannot_read(&name, &error))?;
        let kind = kind(&name, file, ending.as_deref(), &start)?;
        Ok(Rows { name, kind })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The files that are read.
    pub(super) fn files<'a>(&'a self, source: &'a Source) -> impl Iterator<Item = &'a Path> {
        let (one, all) = match (source, &self.kind) {
            (_, Kind::Files { files, .. }) => (None, files.as_slice()),
            (Source::File(path), _) => (Some(path), [].as_slice()),
            _ => (None, [].as_slice()),
        };
        one.into_iter().chain(all).map(PathBuf::as_path)
    }

    /// Whether a file of this name would be a row.
    pub(super) fn has_name(&self, file: &Path) -> bool {
        matches!(&self.kind, Kind::Files { pattern, .. } if pattern.is_match(file.strip_prefix("./").unwrap_or(file)))
    }

    pub fn header(&self) -> Option<&[String]> {
        match &self.kind {
            Kind::Table { header, .. } => Some(header),
            Kind::JsonLines { .. } | Kind::Files { .. } => None,
        }
    }

    /// Reads the rows from the first one. Iterators share the file position: use one at a time.
    pub fn read(&self) -> Result<Records, Box<Diagnostic>> {
        let rewound = |file| rewound(file).map_err(|error| cannot_read(&self.name, &error));
        Ok(match &self.kind {
            Kind::Table { file, delimiter, header } => {
                Box::new(delimited::records(rewound(file)?, *delimiter, header.len()))
            }
            Kind::JsonLines { file } => Box::new(json_lines::records(rewound(file)?)),
            Kind::Files { files, .. } => Box::new(pattern::records(files.clone())),
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

/// Opens a file. What is not a regular file is copied, so that it can be read twice.
fn open(path: &Path) -> io::Result<File> {
    let file = user_file::open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { copy_to_temp_file(file) }
}

fn copy_to_temp_file(source: impl Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let count = io::copy(&mut source.take(MAX_COPIED + 1), &mut file)?;
    if count > MAX_COPIED {
        return Err(io::Error::other(format!("there is more than {} GiB of it", MAX_COPIED >> 30)));
    }
    Ok(file)
}

fn rewound(file: &File) -> io::Result<File> {
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

fn beginning(file: &File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    rewound(file)?.take(SNIFF_LENGTH as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Detects the format by the extension, or else by the first bytes.
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
        // Spreadsheets write semicolons in locales whose decimal separator is the comma.
        _ if !has(b',') && has(b';') => b';',
        Some("csv") => b',',
        _ if has(b'\t') => b'\t',
        _ => b',',
    };
    let reading = rewound(&file).map_err(|error| cannot_read(name, &error))?;
    let header = delimited::header(reading, delimiter).map_err(|why| Diagnostic::new(format!("{name}: {why}")))?;
    Ok(Kind::Table { file, delimiter, header })
}
