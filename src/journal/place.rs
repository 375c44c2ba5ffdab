//! Where the journal is (docs/journal.md, "The file"). Must not know what is in it.

use std::path::{Path, PathBuf};

use super::error::{Doing, JournalError};

/// The variable that says where the journal is.
pub(crate) const JOURNAL_VARIABLE: &str = "LMTHING_JOURNAL";

/// The folder of a journal that nobody has named.
const FOLDER: &str = ".lmthing";

/// Its name in there.
const NAME: &str = "journal.db";

/// Where the journal is: where the command line says, else where the variable does, else in the nearest folder upwards from
/// `directory` that has one, else in `directory`.
pub(crate) fn place(typed: Option<&Path>, variable: Option<&str>, directory: &Path) -> PathBuf {
    let named = typed.or_else(|| variable.filter(|value| !value.is_empty()).map(Path::new));
    if let Some(path) = named {
        return directory.join(path);
    }
    let usual = |folder: &Path| folder.join(FOLDER).join(NAME);
    let known = directory.ancestors().map(usual).find(|path| path.exists());
    known.unwrap_or_else(|| usual(directory))
}

/// Makes the folder of a journal that nobody has named; another has to be there.
pub(super) fn make_folder(path: &Path) -> Result<(), JournalError> {
    let Some(folder) = path.parent().filter(|folder| !folder.exists()) else { return Ok(()) };
    if !folder.ends_with(FOLDER) {
        let error = JournalError::cannot(path, Doing::Write, "there is no such folder");
        return Err(error.with_hint(format!("make the folder {} first", folder.display())));
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder).and_then(|()| std::fs::write(folder.join(".gitignore"), "*\n"));
    // Another run may have been quicker.
    made.or_else(|error| if folder.exists() { Ok(()) } else { Err(error) })
        .map_err(|error| JournalError::of_system(path, Doing::Write, &error))
}

/// Makes sure that no other user can have changed the journal: going on with a run executes it. `file` is the real path.
///
/// # Errors
/// The file or its folder belongs to another user, or others may write there. SQLite would also read files that they put next
/// to the journal.
#[cfg(unix)]
pub(super) fn check_is_private(path: &Path, file: &Path) -> Result<(), JournalError> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let user = rustix::process::geteuid().as_raw();
    let failed = |error: std::io::Error| JournalError::of_system(path, Doing::Read, &error);
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
        // Many systems give each user a group of the same number, and let it write.
        let is_own_group = user != 0 && found.gid() == user;
        if mode & 0o002 != 0 || mode & 0o020 != 0 && !is_own_group {
            let hint = format!("check its content, then run: chmod go-w {}", place.display());
            return untrusted("may be changed by other users", hint);
        }
    }
    Ok(())
}

/// Other systems have no owner of a file that could be compared.
#[cfg(not(unix))]
pub(super) fn check_is_private(_path: &Path, _file: &Path) -> Result<(), JournalError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_comes_before_the_variable_and_the_nearest_folder() {
        let top = tempfile::tempdir().unwrap();
        let inner = top.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let usual = |folder: &Path| folder.join(".lmthing/journal.db");
        assert_eq!(place(None, None, &inner), usual(&inner));
        std::fs::create_dir_all(top.path().join("a/.lmthing")).unwrap();
        std::fs::write(usual(&top.path().join("a")), "").unwrap();
        assert_eq!(place(None, Some(""), &inner), usual(&top.path().join("a")));
        assert_eq!(place(None, Some("j.db"), &inner), inner.join("j.db"));
        assert_eq!(place(Some(Path::new("/x/k.db")), Some("j.db"), &inner), Path::new("/x/k.db"));
    }
}
