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
    earlier::Earlier,
    line::{Read, row_of},
};
use crate::{
    diagnostic::Diagnostic,
    files::words,
    map::identity::{fresh_salt, of_text},
};

/// Version of the state file.
const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::map) struct Work {
    /// The prompt file as the user typed it.
    pub(in crate::map) file: String,
    /// Hash of the prompt file and all its imports.
    pub(in crate::map) hash: String,
    /// The model of the option, if one replaces the file's own.
    #[serde(default)]
    pub(in crate::map) model: Option<String>,
}

/// The first line of the state file.
#[derive(Serialize, Deserialize)]
struct Header {
    lmthing: String,
    version: u32,
    #[serde(flatten)]
    work: Work,
    /// Stays the same as long as later commands continue these results.
    #[serde(default)]
    salt: Option<String>,
}

#[derive(Debug)]
pub(in crate::map) struct Store {
    out: PathBuf,
    /// Locked, so that two maps cannot write to the same OUT.
    beside: File,
    work: Work,
    earlier: Earlier,
    /// The next OUT, with the results that are reused.
    kept: BufWriter<File>,
    /// Whether OUT holds results of another version of the prompt file, which are then renamed.
    is_of_other_work: bool,
    /// Random part of the idempotency keys.
    salt: String,
    /// Hashes of the invocations whose results were reused.
    claimed: HashSet<u64>,
}

impl Store {
    /// Opens OUT. Messages for the user are added to `notes`.
    pub(in crate::map) fn open(
        out: &Path,
        work: Work,
        is_fresh: bool,
        notes: &mut Vec<String>,
    ) -> Result<Self, Box<Diagnostic>> {
        let failed = |error: io::Error| cannot_write(out, &error);
        let beside_path = named(out, ".lmthing");
        let mut options = OpenOptions::new();
        let beside = options.read(true).write(true).create(true).truncate(false).open(&beside_path).map_err(failed)?;
        match beside.try_lock() {
            // Some file systems do not support locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Box::new(Diagnostic::new(format!("another map is at work on {}", out.display()))));
            }
        }
        let header = header(&beside);
        let has_results = fs::metadata(out).is_ok_and(|metadata| metadata.len() > 0);
        if has_results && header.is_none() && !is_fresh {
            // Opening has just created it, or it has no valid header.
            let _ = fs::remove_file(&beside_path);
            let message = format!("{} is there already, and was not written by lmthing map", out.display());
            return Err(Box::new(
                Diagnostic::new(message).with_hint("name another file, or write over it with --fresh"),
            ));
        }
        let is_of_other_work = header.as_ref().is_some_and(|known| known.work.hash != work.hash);
        let mut earlier = Earlier::default();
        let mut salt = None;
        if let Some(known) = header.filter(|_| !is_fresh && !is_of_other_work) {
            // A user who removes OUT wants its rows to be run again, so the keys must change.
            salt = known.salt.filter(|_| out.exists());
            if known.work.model != work.model {
                let model = known.work.model.unwrap_or_else(|| "the file's own model".to_owned());
                notes.push(format!("results in {} are from {model}; --fresh runs their rows again", out.display()));
            }
            if let Ok(file) = File::open(out) {
                earlier.add(file).map_err(failed)?;
            }
            earlier.add(File::open(&beside_path).map_err(failed)?).map_err(failed)?;
        }
        let kept = BufWriter::new(File::create(named(out, ".new")).map_err(failed)?);
        let is_of_other_work = is_of_other_work && has_results && !is_fresh;
        let (salt, claimed) = (salt.unwrap_or_else(fresh_salt), HashSet::new());
        let out = out.to_owned();
        Ok(Store { out, beside, work, earlier, kept, is_of_other_work, salt, claimed })
    }

    /// Copies the earlier result for a row into the next OUT; returns whether there is one.
    pub(in crate::map) fn keep(&mut self, row: u64, input: &Map<String, Value>) -> io::Result<bool> {
        let Some(line) = self.earlier.take(row, input)? else { return Ok(false) };
        self.kept.write_all(line.as_bytes())?;
        let invocation = Read::new(&line).and_then(|read| read.invocation().map(of_text));
        self.claimed.extend(invocation);
        Ok(true)
    }

    /// Returns the salt of idempotency keys and the hashes of invocations that are already used.
    pub(in crate::map) fn take_keys(&mut self) -> (String, HashSet<u64>) {
        (self.salt.clone(), std::mem::take(&mut self.claimed))
    }

    /// Restores the state before `open`.
    pub(in crate::map) fn discard(self) {
        let _ = fs::remove_file(named(&self.out, ".new"));
        if !self.out.exists() {
            let _ = fs::remove_file(named(&self.out, ".lmthing"));
        }
    }

    /// Replaces OUT by the reused results and opens it for appending. Renames the old OUT first if it holds other
    /// results.
    pub(super) fn begin(self, notes: &mut Vec<String>) -> Result<Begun, Box<Diagnostic>> {
        let Store { out, mut beside, work, earlier, mut kept, is_of_other_work, salt, .. } = self;
        let failed = |error: io::Error| cannot_write(&out, &error);
        kept.flush().map_err(failed)?;
        let kept_length = kept.get_ref().metadata().map_err(failed)?.len();
        if is_of_other_work || earlier.are_left() {
            let before = free_name(&out);
            // A hard link, so that OUT exists at every moment.
            fs::hard_link(&out, &before).or_else(|_| fs::rename(&out, &before)).map_err(failed)?;
            let (file, out, before) = (&work.file, out.display(), before.display());
            notes.push(match is_of_other_work {
                true => format!("{file} has changed since {out} was written: all rows are run again; the earlier results are in {before}"),
                false => format!("{out} has results of rows that are not in the input: as it was, it is now {before}"),
            });
        }
        fs::rename(named(&out, ".new"), &out).map_err(failed)?;
        let header = Header { lmthing: "map".to_owned(), version: VERSION, work, salt: Some(salt) };
        let mut line = serde_json::to_string(&header).unwrap_or_default();
        line.push('\n');
        // Overwritten before it is truncated, so that a header exists at every moment. Synced because keys of remote
        // runs depend on the salt.
        io::Seek::rewind(&mut beside)
            .and_then(|()| beside.write_all(line.as_bytes()))
            .and_then(|()| beside.set_len(line.len() as u64))
            .and_then(|()| beside.sync_all())
            .map_err(failed)?;
        let results = OpenOptions::new().append(true).open(&out).map_err(failed)?;
        let header_length = line.len() as u64;
        Ok(Begun { out, results, beside, header_length, kept_length })
    }
}

#[derive(Debug)]
pub(super) struct Begun {
    out: PathBuf,
    pub(super) results: File,
    pub(super) beside: File,
    pub(super) header_length: u64,
    /// Length in bytes of the reused results.
    kept_length: u64,
}

impl Begun {
    /// Merges the reused and the appended results, each of which is sorted by row.
    pub(super) fn put_in_order(&self) -> io::Result<()> {
        let length = self.results.metadata()?.len();
        if self.kept_length == 0 || self.kept_length == length {
            return Ok(());
        }
        let mut added = File::open(&self.out)?;
        io::Seek::seek(&mut added, io::SeekFrom::Start(self.kept_length))?;
        let kept = io::Read::take(File::open(&self.out)?, self.kept_length);
        let mut both = [Lines::new(kept)?, Lines::new(io::Read::take(added, u64::MAX))?];
        let path = named(&self.out, ".new");
        let mut merged = BufWriter::new(File::create(&path)?);
        loop {
            let [kept, added] = &mut both;
            let next = match (kept.row(), added.row()) {
                (None, None) => break,
                (Some(first), Some(second)) if second < first => added,
                (None, Some(_)) => added,
                _ => kept,
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

fn header(beside: &File) -> Option<Header> {
    let mut line = String::new();
    BufReader::new(beside).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok().filter(|header: &Header| header.lmthing == "map" && header.version == VERSION)
}

pub(in crate::map) fn named(out: &Path, ending: &str) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A name for results that are not continued: the first of `.before`, `.before2`, … that is free.
fn free_name(out: &Path) -> PathBuf {
    let numbered = (2..).map(|number| named(out, &format!(".before{number}")));
    let mut names = std::iter::once(named(out, ".before")).chain(numbered);
    names.find(|name| !name.exists()).unwrap_or_else(|| named(out, ".before"))
}

pub(super) fn cannot_write(out: &Path, error: &io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot write {}: {}", out.display(), words(error))))
}
