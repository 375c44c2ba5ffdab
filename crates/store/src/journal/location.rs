//! The path of the journal (docs/reference/journal.md).

use std::path::{Path, PathBuf};

use super::error::{JournalError, OpenMode};

/// The variable with the path of the journal.
pub const JOURNAL_VARIABLE: &str = "LMTHING_JOURNAL";

/// The folder of a journal without an explicit path.
const FOLDER: &str = ".lmthing";

const NAME: &str = "journal.db";

/// The path of the journal: from the command line, else from the variable, else in the nearest folder upwards from `directory` that
/// has one, else in `directory`.
pub fn journal_path(typed: Option<&Path>, variable: Option<&str>, directory: &Path) -> PathBuf {
    let named = typed.or_else(|| variable.filter(|value| !value.is_empty()).map(Path::new));
    if let Some(path) = named {
        return directory.join(path);
    }
    let usual = |folder: &Path| folder.join(FOLDER).join(NAME);
    let known = directory.ancestors().map(usual).find(|path| path.exists());
    known.unwrap_or_else(|| usual(directory))
}

/// Creates the folder of a journal without an explicit path; other folders have to exist.
pub(super) fn create_folder(path: &Path) -> Result<(), JournalError> {
    let Some(folder) = path.parent().filter(|folder| !folder.exists()) else { return Ok(()) };
    if !folder.ends_with(FOLDER) {
        let error = JournalError::cannot(path, OpenMode::Write, "there is no such folder");
        return Err(error.with_hint(format!("make the folder {} first", folder.display())));
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder).and_then(|()| std::fs::write(folder.join(".gitignore"), "*\n"));
    // Another run may have created it meanwhile.
    made.or_else(|error| if folder.exists() { Ok(()) } else { Err(error) })
        .map_err(|error| JournalError::of_system(path, OpenMode::Write, &error))
}

/// Checks that no other user can have changed the journal, because resuming a run executes it. `file` is the real path.
///
/// # Errors
/// The file or its folder belongs to another user or is writable for others. The folder counts because SQLite would also read
/// files that others put next to the journal.
#[cfg(unix)]
pub(super) fn check_is_private(path: &Path, file: &Path) -> Result<(), JournalError> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let user = rustix::process::geteuid().as_raw();
    let failed = |error: std::io::Error| JournalError::of_system(path, OpenMode::Read, &error);
    let folder = file.parent().unwrap_or(file);
    for (what, place) in [("it", file), ("its folder", folder)] {
        let found = place.metadata().map_err(failed)?;
        let untrusted = |problem: &str, hint: String| {
            let message = format!("the journal {} is not trusted: {what} {problem}", path.display());
            Err(JournalError::new(message).with_hint(hint))
        };
        if found.uid() != user {
            let hint =
                format!("go on as the user who owns {}, or with another journal: --journal=PATH", place.display());
            return untrusted("belongs to another user", hint);
        }
        let mode = found.permissions().mode();
        // Many systems give each user a group with the same number, which may write.
        let is_own_group = user != 0 && found.gid() == user;
        if mode & 0o002 != 0 || mode & 0o020 != 0 && !is_own_group {
            let hint = format!("check its content, then run: chmod go-w {}", place.display());
            return untrusted("may be changed by other users", hint);
        }
    }
    Ok(())
}

/// Other systems have no owner of a file to compare.
#[cfg(not(unix))]
pub(super) fn check_is_private(_path: &Path, _file: &Path) -> Result<(), JournalError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_precedes_the_variable_and_the_nearest_folder() {
        let top = tempfile::tempdir().unwrap();
        let inner = top.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let usual = |folder: &Path| folder.join(".lmthing/journal.db");
        assert_eq!(journal_path(None, None, &inner), usual(&inner));
        std::fs::create_dir_all(top.path().join("a/.lmthing")).unwrap();
        std::fs::write(usual(&top.path().join("a")), "").unwrap();
        assert_eq!(journal_path(None, Some(""), &inner), usual(&top.path().join("a")));
        assert_eq!(journal_path(None, Some("j.db"), &inner), inner.join("j.db"));
        assert_eq!(journal_path(Some(Path::new("/x/k.db")), Some("j.db"), &inner), Path::new("/x/k.db"));
    }
}
