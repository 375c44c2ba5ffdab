//! From recordings in memory to their files, and to words about them.

use std::{
    collections::BTreeMap,
    io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{
    book::{Book, Origin, SharedBook},
    changes::settle,
    mode::Mode,
    tested_file::TestedFile,
    words,
};
use crate::provider::{RecordedExchange, unused_exchanges, write_recording};

/// What a person should know at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Finished {
    /// What was written, and what nobody asks for any more; a sentence each.
    pub(crate) notes: Vec<String>,
    /// Recordings that could not be written; a sentence each. The command has failed then.
    pub(crate) errors: Vec<String>,
}

/// Files that have ended, and whether whole.
type Ended = BTreeMap<Arc<Path>, bool>;

/// Writes a recording that has changed, and tells what became of it.
pub(super) fn finish(shared: &SharedBook, mode: Mode, ended: &Ended, finished: &mut Finished) {
    let Some(mut book) = shared.lock() else { return };
    let listed = listed(&shared.path, &book);
    let mut users = book.users.iter().map(AsRef::as_ref).chain(listed.iter().map(PathBuf::as_path));
    let is_known = !book.users.is_empty() && users.all(|user| ended.get(user) == Some(&true));
    let shown = words::shown(&shared.path);
    if !mode.is_recording() {
        finished.notes.extend(is_known.then(|| unused(&book, &shown)).flatten());
        return;
    }
    let settled = settle(&book, mode, is_known);
    let counts = [(settled.recorded, "recorded"), (settled.dropped, "dropped")];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what)).collect();
    let used_by = used_by(&shared.path, &book, &listed, is_known);
    match write(&shared.path, &mut book, &settled.exchanges, used_by, is_known) {
        Ok(()) if counts.is_empty() => {}
        Ok(()) => finished.notes.push(format!("{shown}: {}", counts.join(", "))),
        Err(error) => {
            finished.errors.push(format!("the recording {shown} could not be written: {}", words::io_words(&error)));
        }
    }
}

/// Writes what has come to a recording, when a file that uses it has ended; nothing is dropped yet.
pub(super) fn keep_safe(shared: &SharedBook, mode: Mode, file: &TestedFile) {
    let Some(mut book) = shared.lock() else { return };
    let is_new = book.entries.iter().any(|entry| entry.origin == Origin::New);
    if !is_new || !book.users.contains(&file.path) {
        return;
    }
    let settled = settle(&book, mode, false);
    let used_by = used_by(&shared.path, &book, &listed(&shared.path, &book), false);
    // It is tried again at the end, and told then.
    let _ = write(&shared.path, &mut book, &settled.exchanges, used_by, false);
}

fn write(
    path: &Path,
    book: &mut Book,
    exchanges: &[Arc<RecordedExchange>],
    used_by: Vec<String>,
    is_known: bool,
) -> io::Result<()> {
    let is_same = |on_disk: &[Arc<RecordedExchange>]| {
        on_disk.len() == exchanges.len() && on_disk.iter().zip(exchanges).all(|(a, b)| Arc::ptr_eq(a, b))
    };
    match &book.on_disk {
        Some((on_disk, users)) if is_same(on_disk) && *users == used_by => return Ok(()),
        // There is one of a run that asks nothing, but not of one that has failed, nor of a test file that asks nothing.
        None if exchanges.is_empty() && !(is_known && book.is_named) => return Ok(()),
        Some(_) if exchanges.is_empty() && !book.is_named => {
            book.on_disk = None;
            return std::fs::remove_file(path);
        }
        _ => {}
    }
    write_recording(path, &used_by, exchanges)?;
    book.on_disk = Some((exchanges.to_vec(), used_by));
    Ok(())
}

/// The exchanges that were never asked for, when everything has run that asks.
fn unused(book: &Book, shown: &str) -> Option<String> {
    let entries = book.entries.iter().enumerate().filter(|(_, entry)| entry.used.is_none());
    let unused: Vec<_> = entries.map(|(place, entry)| (place, &*entry.exchange)).collect();
    let told = unused_exchanges(&unused, book.entries.len(), shown)?;
    Some(format!("{told}; lmthing test --record drops what is not used"))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {} {what}", if count == 1 { "exchange" } else { "exchanges" })
}

/// The files that the recording says it is used by, as far as they are still there.
fn listed(recording: &Path, book: &Book) -> Vec<PathBuf> {
    let folder = recording.parent().unwrap_or(recording);
    book.listed.iter().filter_map(|user| folder.join(user).canonicalize().ok()).collect()
}

/// The files that use the recording, as it is to say.
fn used_by(recording: &Path, book: &Book, listed: &[PathBuf], is_known: bool) -> Vec<String> {
    let listed = listed.iter().map(PathBuf::as_path).filter(|_| !is_known);
    let users = book.users.iter().map(AsRef::as_ref).chain(listed);
    let mut names: Vec<String> = users.map(|user| relative(recording.parent().unwrap_or(recording), user)).collect();
    names.sort();
    names.dedup();
    names
}

/// A path as it is written in a folder.
fn relative(folder: &Path, file: &Path) -> String {
    let (folder, file): (Vec<_>, Vec<_>) = (folder.components().collect(), file.components().collect());
    let common = folder.iter().zip(&file).take_while(|(a, b)| a == b).count();
    let up = folder[common..].iter().map(|_| "..".to_owned());
    let down =
        file[common..].iter().map(|component: &Component<'_>| component.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}
