//! Writes recordings to their files.

use std::{
    collections::BTreeMap,
    io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{
    Mode,
    merge::merge,
    messages,
    recording::{Origin, Recording, SharedRecording},
    tested_file::TestedFile,
};
use lmthing_providers::{RecordedExchange, unused_exchanges, write_recording};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// Sentences about what was written and what was not used.
    pub notes: Vec<String>,
    /// Recordings that could not be written. The command fails then.
    pub errors: Vec<String>,
}

type Ended = BTreeMap<Arc<Path>, bool>;

pub(super) fn finish(shared: &SharedRecording, mode: Mode, ended: &Ended, finished: &mut Finished) {
    let Some(mut recording) = shared.lock() else { return };
    let listed = listed(&shared.path, &recording);
    let mut users = recording.users.iter().map(AsRef::as_ref).chain(listed.iter().map(PathBuf::as_path));
    let is_known = !recording.users.is_empty() && users.all(|user| ended.get(user) == Some(&true));
    let shown = messages::shown(&shared.path);
    if !mode.is_recording() {
        finished.notes.extend(is_known.then(|| unused(&recording, &shown)).flatten());
        finished.notes.extend(recording.is_played_twice.then(|| {
            format!("{shown}: several cells have the same answer, as fewer are recorded; lmthing eval --record asks for the others")
        }));
        return;
    }
    let merged = merge(&recording, mode, is_known);
    let counts = [(merged.recorded, "recorded"), (merged.dropped, "dropped")];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what)).collect();
    let used_by = used_by(&shared.path, &recording, &listed, is_known);
    match write(&shared.path, &mut recording, &merged.exchanges, used_by, is_known) {
        Ok(()) if counts.is_empty() => {}
        Ok(()) => finished.notes.push(format!("{shown}: {}", counts.join(", "))),
        Err(error) => {
            finished
                .errors
                .push(format!("the recording {shown} could not be written: {}", messages::io_message(&error)));
        }
    }
}

/// Writes the new exchanges when a file that uses the recording has ended; drops nothing yet.
pub(super) fn write_new(shared: &SharedRecording, mode: Mode, file: &TestedFile) {
    let Some(mut recording) = shared.lock() else { return };
    let is_new = recording.entries.iter().any(|entry| entry.origin == Origin::New);
    if !is_new || !recording.users.contains(&file.path) {
        return;
    }
    let merged = merge(&recording, mode, false);
    let used_by = used_by(&shared.path, &recording, &listed(&shared.path, &recording), false);
    // An error is ignored: writing is repeated at the end of the run, and reported then.
    let _ = write(&shared.path, &mut recording, &merged.exchanges, used_by, false);
}

fn write(
    path: &Path,
    recording: &mut Recording,
    exchanges: &[Arc<RecordedExchange>],
    used_by: Vec<String>,
    is_known: bool,
) -> io::Result<()> {
    let is_same = |on_disk: &[Arc<RecordedExchange>]| {
        on_disk.len() == exchanges.len() && on_disk.iter().zip(exchanges).all(|(a, b)| Arc::ptr_eq(a, b))
    };
    match &recording.on_disk {
        Some((on_disk, users)) if is_same(on_disk) && *users == used_by => return Ok(()),
        // A run without requests has an empty recording, but a failed run or a test file without requests has none.
        None if exchanges.is_empty() && !(is_known && recording.is_named) => return Ok(()),
        Some(_) if exchanges.is_empty() && !recording.is_named => {
            recording.on_disk = None;
            return std::fs::remove_file(path);
        }
        _ => {}
    }
    write_recording(path, &used_by, exchanges)?;
    recording.on_disk = Some((exchanges.to_vec(), used_by));
    Ok(())
}

/// The exchanges that were never used, if every user of the recording has run.
fn unused(recording: &Recording, shown: &str) -> Option<String> {
    let entries = recording.entries.iter().enumerate().filter(|(_, entry)| entry.used.is_none());
    let unused: Vec<_> = entries.map(|(index, entry)| (index, &*entry.exchange)).collect();
    let note = unused_exchanges(&unused, recording.entries.len(), shown)?;
    Some(format!("{note}; lmthing test --record drops what is not used"))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {} {what}", if count == 1 { "exchange" } else { "exchanges" })
}

fn listed(path: &Path, recording: &Recording) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(path);
    recording.listed.iter().filter_map(|user| folder.join(user).canonicalize().ok()).collect()
}

fn used_by(path: &Path, recording: &Recording, listed: &[PathBuf], is_known: bool) -> Vec<String> {
    let listed = listed.iter().map(PathBuf::as_path).filter(|_| !is_known);
    let users = recording.users.iter().map(AsRef::as_ref).chain(listed);
    let mut names: Vec<String> = users.map(|user| relative(path.parent().unwrap_or(path), user)).collect();
    names.sort();
    names.dedup();
    names
}

fn relative(folder: &Path, file: &Path) -> String {
    let (folder, file): (Vec<_>, Vec<_>) = (folder.components().collect(), file.components().collect());
    let common = folder.iter().zip(&file).take_while(|(a, b)| a == b).count();
    let up = folder[common..].iter().map(|_| "..".to_owned());
    let down =
        file[common..].iter().map(|component: &Component<'_>| component.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}
