//! The file of results, and the one beside it: `OUT.lmthing`, whose first line says what OUT holds results of, and which keeps
//! results that wait for those of rows in front of them. Must not know how rows are run.
//!
//! Results are only ever added to OUT, and OUT is only ever replaced by a file that has all of them: whatever ends the process,
//! nothing that was there is lost.

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
    files::io_error_text,
    map::identity::{fresh_salt, of_text},
};

/// The version of what stands beside OUT.
const VERSION: u32 = 1;

/// What results are results of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::map) struct Work {
    /// The prompt file, as it was typed.
    pub(in crate::map) file: String,
    /// Its contents, with those of all that it imports.
    pub(in crate::map) hash: String,
    /// The model in place of the file's own.
    #[serde(default)]
    pub(in crate::map) model: Option<String>,
}

/// The first line of the file beside OUT.
#[derive(Serialize, Deserialize)]
struct Header {
    lmthing: String,
    version: u32,
    #[serde(flatten)]
    work: Work,
    /// The same as long as results are gone on with.
    #[serde(default)]
    salt: Option<String>,
}

/// OUT while a map is at work on it.
#[derive(Debug)]
pub(in crate::map) struct Store {
    out: PathBuf,
    /// Locked: two maps at work on one OUT would tear it.
    beside: File,
    work: Work,
    earlier: Earlier,
    /// The next OUT: what is kept of this one.
    kept: BufWriter<File>,
    /// Set when OUT is of other work, and is kept under another name.
    is_of_other_work: bool,
    /// What keys of rows at a server are made of, beside the rows.
    salt: String,
    /// The runs at a server whose results were kept.
    claimed: HashSet<u64>,
}

impl Store {
    /// Opens OUT for this work. `notes` are for a person.
    ///
    /// # Errors
    /// OUT cannot be written, is something else, or another map is at work on it.
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
            // A system without locks has to do without.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Box::new(Diagnostic::new(format!("another map is at work on {}", out.display()))));
            }
        }
        let header = header(&beside);
        let has_results = fs::metadata(out).is_ok_and(|metadata| metadata.len() > 0);
        if has_results && header.is_none() && !is_fresh {
            // It was made by opening it just now, or holds nothing.
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
            // Who removes OUT wants its rows to be run again.
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

    /// Keeps the earlier result for a row; says whether there is one.
    pub(in crate::map) fn keep(&mut self, row: u64, input: &Map<String, Value>) -> io::Result<bool> {
        let Some(line) = self.earlier.take(row, input)? else { return Ok(false) };
        self.kept.write_all(line.as_bytes())?;
        let invocation = Read::new(&line).and_then(|read| read.invocation().map(of_text));
        self.claimed.extend(invocation);
        Ok(true)
    }

    /// What keys of rows at a server are made of, and the runs there whose results are taken.
    pub(in crate::map) fn take_keys(&mut self) -> (String, HashSet<u64>) {
        (self.salt.clone(), std::mem::take(&mut self.claimed))
    }

    /// Leaves everything as it was.
    pub(in crate::map) fn discard(self) {
        // What is left behind does no harm.
        let _ = fs::remove_file(named(&self.out, ".new"));
        if !self.out.exists() {
            let _ = fs::remove_file(named(&self.out, ".lmthing"));
        }
    }

    /// Puts what is kept in the place of OUT; gives OUT, to add to, and the file beside it. Says where results of other work
    /// are now.
    pub(super) fn begin(self, notes: &mut Vec<String>) -> Result<Begun, Box<Diagnostic>> {
        let Store { out, mut beside, work, earlier, mut kept, is_of_other_work, salt, .. } = self;
        let failed = |error: io::Error| cannot_write(&out, &error);
        kept.flush().map_err(failed)?;
        let kept_length = kept.get_ref().metadata().map_err(failed)?.len();
        if is_of_other_work || earlier.are_left() {
            let before = free_name(&out);
            // There is an OUT at every moment.
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
        // Not emptied before: whenever the process ends, there is a header. On the disk before any row is run by it.
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

/// OUT, ready for results.
#[derive(Debug)]
pub(super) struct Begun {
    out: PathBuf,
    pub(super) results: File,
    pub(super) beside: File,
    pub(super) header_length: u64,
    /// Bytes of OUT that were kept.
    kept_length: u64,
}

impl Begun {
    /// Puts what was kept and what was added, each of which is in the order of rows, into one order.
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

    /// Where results are.
    pub(super) fn path(&self) -> &Path {
        &self.out
    }
}

/// The lines of a part of OUT.
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

    /// The row of the line; none when there are no more.
    fn row(&self) -> Option<u64> {
        (!self.line.is_empty()).then(|| str::from_utf8(&self.line).ok().and_then(row_of).unwrap_or(0))
    }
}

fn header(beside: &File) -> Option<Header> {
    let mut line = String::new();
    BufReader::new(beside).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok().filter(|header: &Header| header.lmthing == "map" && header.version == VERSION)
}

/// A file beside another.
pub(in crate::map) fn named(out: &Path, ending: &str) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A name for results that are not gone on with: what was kept so before stays.
fn free_name(out: &Path) -> PathBuf {
    let numbered = (2..).map(|number| named(out, &format!(".before{number}")));
    let mut names = std::iter::once(named(out, ".before")).chain(numbered);
    names.find(|name| !name.exists()).unwrap_or_else(|| named(out, ".before"))
}

pub(super) fn cannot_write(out: &Path, error: &io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot write {}: {}", out.display(), io_error_text(error))))
}
