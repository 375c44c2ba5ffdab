//! The file of a recording. It is valid JSON after every exchange, and is written next to the one that it replaces,
//! so that a failed run does not destroy a usable recording.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

pub(super) const END: &str = "\n  ]\n}\n";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingOutcome {
    Saved,
    /// Saved although the run failed, as there was no earlier recording.
    Incomplete,
    /// Saved in this file instead, because the run failed; the earlier recording is unchanged.
    Partial(PathBuf),
    /// Not saved: the run failed before its first exchange.
    Empty,
}

pub(super) struct RecordingFile {
    path: PathBuf,
    partial: PathBuf,
    /// `partial` before it was made absolute, for messages.
    shown_partial: PathBuf,
    file: File,
    permissions: Permissions,
    exchanges: usize,
}

impl RecordingFile {
    pub(super) fn create(path: &Path, beginning: String) -> io::Result<Self> {
        let path = if path.is_symlink() { fs::canonicalize(path)? } else { path.to_owned() };
        if let Ok(old) = fs::metadata(&path) {
            if !old.is_file() {
                let what = if old.is_dir() { "it is a directory" } else { "it is no ordinary file" };
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            // Fail now if it is not writable, not after an expensive run. This writes nothing.
            OpenOptions::new().append(true).open(&path)?;
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        let partial = path.with_file_name(name);
        remove_if_exists(&partial)?;
        let default_permissions = File::create_new(&partial)?.metadata()?.permissions();
        let permissions = fs::metadata(&path).map_or(default_permissions, |old| old.permissions());
        remove_if_exists(&partial)?;
        let mut file = private_file().open(&partial)?;
        file.write_all((beginning + END).as_bytes())?;
        // A script may change the working directory later.
        let absolute = |path: &Path| std::path::absolute(path);
        let (path, shown_partial, partial) = (absolute(&path)?, partial.clone(), absolute(&partial)?);
        Ok(RecordingFile { path, partial, shown_partial, file, permissions, exchanges: 0 })
    }

    pub(super) fn append(&mut self, exchange: &str) -> io::Result<()> {
        let comma = if self.exchanges == 0 { "" } else { "," };
        // Overwrite the end and write it again, so that the file is valid even if the process is killed now.
        self.file.seek(SeekFrom::End(-i64::try_from(END.len()).unwrap_or_default()))?;
        // A single write, as a long response may have a hundred thousand parts.
        self.file.write_all(format!("{comma}\n{exchange}{END}").as_bytes())?;
        self.file.flush()?;
        self.exchanges += 1;
        Ok(())
    }

    pub(super) fn finish(&self, succeeded: bool) -> io::Result<RecordingOutcome> {
        let is_new = !self.path.exists();
        if succeeded || (is_new && self.exchanges > 0) {
            self.move_to_path()?;
            return Ok(if succeeded { RecordingOutcome::Saved } else { RecordingOutcome::Incomplete });
        }
        if self.exchanges > 0 {
            return Ok(RecordingOutcome::Partial(self.shown_partial.clone()));
        }
        fs::remove_file(&self.partial)?;
        Ok(RecordingOutcome::Empty)
    }

    fn move_to_path(&self) -> io::Result<()> {
        // Wrong permissions are no reason to lose the recording.
        let _ = fs::set_permissions(&self.partial, self.permissions.clone());
        // A mount point cannot be renamed over, only written to.
        fs::rename(&self.partial, &self.path).or_else(|_| {
            fs::copy(&self.partial, &self.path)?;
            fs::remove_file(&self.partial)
        })
    }
}

fn remove_if_exists(path: &Path) -> io::Result<()> {
    fs::remove_file(path).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
