//! The file of a recording, whole after every exchange. It grows beside the one that it will replace, so that a run that
//! fails costs nobody a recording that works. Must not know what an exchange is.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// What ends the file; the next exchange is written over it.
const END: &str = "\n  ]\n}\n";

/// Where a finished recording is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In its place.
    InPlace,
    /// In its place, though the run failed: there was nothing that it could have replaced.
    Incomplete,
    /// In this file beside; the run failed, and the recording that was there is unchanged.
    Beside(PathBuf),
    /// Nowhere: the run failed before its first exchange.
    Nothing,
}

pub(super) struct RecordingFile {
    /// Where the recording belongs.
    path: PathBuf,
    /// Where it grows, readable by the user alone.
    beside: PathBuf,
    /// The same, as it was named.
    shown_beside: PathBuf,
    file: File,
    /// Those it gets in its place.
    rights: Permissions,
    exchanges: usize,
}

impl RecordingFile {
    /// Begins a file with this text, up to the first exchange.
    pub(super) fn create(path: &Path, beginning: String) -> io::Result<Self> {
        // What a link leads to is replaced, not the link.
        let path = if path.is_symlink() { fs::canonicalize(path)? } else { path.to_owned() };
        if let Ok(old) = fs::metadata(&path) {
            if !old.is_file() {
                let what = if old.is_dir() { "it is a directory" } else { "it is no ordinary file" };
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            // Found out now and not after a run that was paid for; nothing is written yet.
            OpenOptions::new().append(true).open(&path)?;
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        let beside = path.with_file_name(name);
        remove(&beside)?;
        // A new file tells which rights the user gives to files.
        let usual = File::create_new(&beside)?.metadata()?.permissions();
        let rights = fs::metadata(&path).map_or(usual, |old| old.permissions());
        remove(&beside)?;
        let mut file = own_file().open(&beside)?;
        file.write_all((beginning + END).as_bytes())?;
        // A script may change the working directory before the recording is put in its place.
        let absolute = |path: &Path| std::path::absolute(path);
        let (path, shown_beside, beside) = (absolute(&path)?, beside.clone(), absolute(&beside)?);
        Ok(RecordingFile { path, beside, shown_beside, file, rights, exchanges: 0 })
    }

    /// Adds the text of an exchange.
    pub(super) fn append(&mut self, exchange: &str) -> io::Result<()> {
        let comma = if self.exchanges == 0 { "" } else { "," };
        // The end is written over, and written again: the file is whole even if the process is killed now.
        self.file.seek(SeekFrom::End(-i64::try_from(END.len()).unwrap_or_default()))?;
        // In one piece: a long answer has a hundred thousand parts.
        self.file.write_all(format!("{comma}\n{exchange}{END}").as_bytes())?;
        self.file.flush()?;
        self.exchanges += 1;
        Ok(())
    }

    pub(super) fn finish(&self, ended_well: bool) -> io::Result<Kept> {
        let is_new = !self.path.exists();
        if ended_well || (is_new && self.exchanges > 0) {
            self.put_in_place()?;
            return Ok(if ended_well { Kept::InPlace } else { Kept::Incomplete });
        }
        if self.exchanges > 0 {
            return Ok(Kept::Beside(self.shown_beside.clone()));
        }
        fs::remove_file(&self.beside)?;
        Ok(Kept::Nothing)
    }

    fn put_in_place(&self) -> io::Result<()> {
        // As if the old one had been written over; not having its rights is no loss of the recording.
        let _ = fs::set_permissions(&self.beside, self.rights.clone());
        // A file that is mounted by itself cannot be replaced, only written.
        fs::rename(&self.beside, &self.path).or_else(|_| {
            fs::copy(&self.beside, &self.path)?;
            fs::remove_file(&self.beside)
        })
    }
}

/// What an earlier run has left, if anything.
fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// How to make a file that others cannot read.
fn own_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
