//! The file of results and the state file next to it, `OUT.lmthing`. The first line of the state file says what the
//! results were made with; after it stand results that wait for earlier rows.
//!
//! OUT is only appended to or replaced by a complete file, so that a crash loses no result.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    earlier_results::EarlierResults,
    line::{ResultLine, row_of},
};
use crate::{
    hashes::{fresh_salt, hash_text},
    options::Format,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_system::files::io_error_text;

const VERSION: u32 = 1;

/// What results were made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    pub file: String,
    pub hash: String,
    #[serde(default)]
    pub model: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    lmthing: String,
    version: u32,
    #[serde(flatten)]
    provenance: Provenance,
    /// Stays the same as long as later commands continue these results.
    #[serde(default)]
    salt: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Store {
    out: PathBuf,
    state_file: File,
    provenance: Provenance,
    earlier: EarlierResults,
    /// The next OUT, with the results that are reused.
    reused: BufWriter<File>,
    /// Whether OUT, which is then renamed, holds results of another version of the prompt file.
    has_other_provenance: bool,
    salt: String,
    /// Of reused results.
    claimed: HashSet<u64>,
}

impl Store {
    /// Opens OUT. Messages for the user are added to `notes`.
    pub(crate) fn open(
        out: &Path,
        provenance: Provenance,
        is_fresh: bool,
        notes: &mut Vec<String>,
    ) -> Result<Self, Box<Diagnostic>> {
        let failed = |error: io::Error| cannot_write(out, &error);
        let state_path = with_suffix(out, ".lmthing");
        let state_file = lock_state(out)?;
        let header = header(&state_file);
        let has_results = fs::metadata(out).is_ok_and(|metadata| metadata.len() > 0);
        if has_results && header.is_none() && !is_fresh {
            // Opening has just created it. One with a content may be that of an eval.
            if state_file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
                let _ = fs::remove_file(&state_path);
            }
            let message = format!("{} is there already, and was not written by lmthing map", out.display());
            return Err(Box::new(
                Diagnostic::new(message).with_hint("name another file, or write over it with --fresh"),
            ));
        }
        let has_other_provenance = header.as_ref().is_some_and(|known| known.provenance.hash != provenance.hash);
        let mut earlier = EarlierResults::default();
        let mut salt = None;
        if let Some(known) = header.filter(|_| !is_fresh && !has_other_provenance) {
            // A user who removes OUT wants its rows to be run again, so the keys must change.
            salt = known.salt.filter(|_| out.exists());
            if known.provenance.model != provenance.model {
                let model = known.provenance.model.unwrap_or_else(|| "the file's own model".to_owned());
                notes.push(format!("results in {} are from {model}; --fresh runs their rows again", out.display()));
            }
            if let Ok(file) = File::open(out) {
                earlier.add(file).map_err(failed)?;
            }
            earlier.add(File::open(&state_path).map_err(failed)?).map_err(failed)?;
        }
        let reused = BufWriter::new(File::create(with_suffix(out, ".new")).map_err(failed)?);
        let has_other_provenance = has_other_provenance && has_results && !is_fresh;
        let (salt, claimed) = (salt.unwrap_or_else(fresh_salt), HashSet::new());
        let out = out.to_owned();
        Ok(Store { out, state_file, provenance, earlier, reused, has_other_provenance, salt, claimed })
    }

    pub(crate) fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Copies the earlier result for a row into the next OUT; returns whether there is one.
    pub(crate) fn reuse(&mut self, row: u64, input: &Map<String, Value>) -> io::Result<bool> {
        let Some(line) = self.earlier.take(row, input)? else { return Ok(false) };
        self.reused.write_all(line.as_bytes())?;
        let invocation = ResultLine::new(&line).and_then(|read| read.invocation().map(hash_text));
        self.claimed.extend(invocation);
        Ok(true)
    }

    /// Returns the salt of idempotency keys and the hashes of invocations that are already used.
    pub(crate) fn take_keys(&mut self) -> (String, HashSet<u64>) {
        (self.salt.clone(), std::mem::take(&mut self.claimed))
    }

    /// Restores the state before `open`.
    pub(crate) fn discard(self) {
        let _ = fs::remove_file(with_suffix(&self.out, ".new"));
        if !self.out.exists() {
            let _ = fs::remove_file(with_suffix(&self.out, ".lmthing"));
        }
    }

    /// Replaces OUT by the reused results and opens it for appending. Renames the old OUT first if it holds other
    /// results.
    pub(super) fn begin(self, notes: &mut Vec<String>) -> Result<OpenOutput, Box<Diagnostic>> {
        let Store { out, mut state_file, provenance, earlier, mut reused, has_other_provenance, salt, .. } = self;
        let failed = |error: io::Error| cannot_write(&out, &error);
        reused.flush().map_err(failed)?;
        let reused_length = reused.get_ref().metadata().map_err(failed)?.len();
        if has_other_provenance || earlier.are_left() {
            let before = free_name(&out);
            // A hard link, so that OUT exists at every moment.
            fs::hard_link(&out, &before).or_else(|_| fs::rename(&out, &before)).map_err(failed)?;
            let (file, out, before) = (&provenance.file, out.display(), before.display());
            notes.push(match has_other_provenance {
                true => format!("{file} has changed since {out} was written: all rows are run again; the earlier results are in {before}"),
                false => format!("{out} has results of rows that are not in the input: as it was, it is now {before}"),
            });
        }
        fs::rename(with_suffix(&out, ".new"), &out).map_err(failed)?;
        let header = Header { lmthing: "map".to_owned(), version: VERSION, provenance, salt: Some(salt) };
        let mut line = serde_json::to_string(&header).unwrap_or_default();
        line.push('\n');
        // Overwritten before it is truncated, so that a header exists at every moment. Synced because keys of remote
        // runs depend on the salt.
        io::Seek::rewind(&mut state_file)
            .and_then(|()| state_file.write_all(line.as_bytes()))
            .and_then(|()| state_file.set_len(line.len() as u64))
            .and_then(|()| state_file.sync_all())
            .map_err(failed)?;
        let results = OpenOptions::new().append(true).open(&out).map_err(failed)?;
        let header_length = line.len() as u64;
        Ok(OpenOutput { out, results, state_file, header_length, reused_length })
    }
}

#[derive(Debug)]
pub(super) struct OpenOutput {
    out: PathBuf,
    pub(super) results: File,
    pub(super) state_file: File,
    pub(super) header_length: u64,
    reused_length: u64,
}

impl OpenOutput {
    /// Merges the reused and the appended results, each of which is sorted by row.
    pub(super) fn put_in_order(&self) -> io::Result<()> {
        let length = self.results.metadata()?.len();
        if self.reused_length == 0 || self.reused_length == length {
            return Ok(());
        }
        let mut added = File::open(&self.out)?;
        io::Seek::seek(&mut added, io::SeekFrom::Start(self.reused_length))?;
        let reused = io::Read::take(File::open(&self.out)?, self.reused_length);
        let mut both = [Lines::new(reused)?, Lines::new(io::Read::take(added, u64::MAX))?];
        let path = with_suffix(&self.out, ".new");
        let mut merged = BufWriter::new(File::create(&path)?);
        loop {
            let [reused, added] = &mut both;
            let next = match (reused.row(), added.row()) {
                (None, None) => break,
                (Some(first), Some(second)) if second < first => added,
                (None, Some(_)) => added,
                _ => reused,
            };
            merged.write_all(&next.line)?;
            next.advance()?;
        }
        merged.flush()?;
        fs::rename(path, &self.out)
    }

    pub(super) fn path(&self) -> &Path {
        &self.out
    }
}

struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

impl<R: io::Read> Lines<R> {
    fn new(part: R) -> io::Result<Self> {
        let mut lines = Lines { reader: BufReader::new(part), line: Vec::new() };
        lines.advance()?;
        Ok(lines)
    }

    fn advance(&mut self) -> io::Result<()> {
        self.line.clear();
        self.reader.read_until(b'\n', &mut self.line).map(drop)
    }

    fn row(&self) -> Option<u64> {
        (!self.line.is_empty()).then(|| str::from_utf8(&self.line).ok().and_then(row_of).unwrap_or(0))
    }
}

/// The file that is written for `out`: a link is followed, as its target is replaced as a whole.
pub fn followed(out: &Path) -> io::Result<PathBuf> {
    if out.is_symlink() { out.canonicalize() } else { Ok(out.to_owned()) }
}

/// Opens the state file of `out`, which no other command uses until it is closed.
pub fn lock_state(out: &Path) -> Result<File, Box<Diagnostic>> {
    let mut options = OpenOptions::new();
    let state_file = options.read(true).write(true).create(true).truncate(false).open(with_suffix(out, ".lmthing"));
    let state_file = state_file.map_err(|error| cannot_write(out, &error))?;
    match state_file.try_lock() {
        // Some file systems do not support locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(state_file),
        Err(TryLockError::WouldBlock) => {
            Err(Box::new(Diagnostic::new(format!("another command is at work on {}", out.display()))))
        }
    }
}

/// The JSON Lines file of results: OUT itself, or the file next to it when OUT is a CSV table.
pub(crate) fn results_of(out: &Path, format: Format) -> PathBuf {
    match format {
        Format::JsonLines => out.to_owned(),
        Format::Csv => with_suffix(out, ".jsonl"),
    }
}

fn header(state_file: &File) -> Option<Header> {
    let mut line = String::new();
    BufReader::new(state_file).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok().filter(|header: &Header| header.lmthing == "map" && header.version == VERSION)
}

pub fn with_suffix(out: &Path, ending: &str) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A name for results that are not continued: the first of `.before`, `.before2`, … that is free.
pub fn free_name(out: &Path) -> PathBuf {
    let numbered = (2..).map(|number| with_suffix(out, &format!(".before{number}")));
    let mut names = std::iter::once(with_suffix(out, ".before")).chain(numbered);
    names.find(|name| !name.exists()).unwrap_or_else(|| with_suffix(out, ".before"))
}

pub(super) fn cannot_write(out: &Path, error: &io::Error) -> Box<Diagnostic> {
    let problem = Diagnostic::new(format!("cannot write {}: {}", out.display(), io_error_text(error)));
    let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    Box::new(match is_full {
        true => problem.with_hint("what is written there stays; with free space the same command runs the rest"),
        false => problem,
    })
}
