//! Writes new files that belong together.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::cli::failure::io_error_text;
use lmthing_base::diagnostic::Diagnostic;

/// Writes all files or none. Existing files are not overwritten; `advice` says what to do about one.
pub(super) fn write_all(files: &[(PathBuf, &[u8])], advice: &str) -> Result<(), Box<Diagnostic>> {
    // Also true for a dangling symbolic link.
    if let Some((file, _)) = files.iter().find(|(file, _)| file.symlink_metadata().is_ok()) {
        let message = format!("{} is there already; nothing was written", file.display());
        return Err(Box::new(Diagnostic::new(message).with_hint(advice)));
    }
    if let Some(blocking) = files.iter().find_map(|(file, _)| file.ancestors().skip(1).find(|above| above.is_file())) {
        let message = format!("{} is a file, not a folder; nothing was written", blocking.display());
        return Err(Box::new(Diagnostic::new(message).with_hint("take another folder, or move the file away")));
    }
    let mut written: Vec<&Path> = Vec::new();
    for (file, content) in files {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let result = folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| write_new(file, content));
        if let Err(error) = result {
            // A single file would block the next attempt.
            written.iter().for_each(|file| drop(fs::remove_file(file)));
            let message = format!("cannot write {}: {}", file.display(), io_error_text(&error));
            return Err(Box::new(Diagnostic::new(message)));
        }
        written.push(file);
    }
    Ok(())
}

/// Writes a file that is there whole or not at all.
fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    file.write_all(content).inspect_err(|_| drop(fs::remove_file(path)))
}
