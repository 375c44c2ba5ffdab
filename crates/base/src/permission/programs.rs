//! Finds the file of a program. A name is looked up in the user's `PATH`, whatever a script sets it to.

use std::path::{Path, PathBuf};

use super::{
    AccessDenied,
    grant::{Grant, refusal},
    paths,
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramFolders {
    folders: Vec<PathBuf>,
}

impl ProgramFolders {
    pub fn new(path: &str) -> Self {
        // A relative folder would change with `chdir`.
        ProgramFolders { folders: std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect() }
    }

    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    pub fn named(&self, name: &Path) -> Option<PathBuf> {
        self.locate(name, None).and_then(|found| found.canonicalize().ok())
    }

    /// The file of a program to start; relative paths are resolved in `folder`.
    pub(super) fn find(
        &self,
        program: &str,
        folder: Option<&Path>,
        allowed: &Grant<PathBuf>,
    ) -> Result<PathBuf, AccessDenied> {
        let found = self.locate(Path::new(program), folder);
        match (allowed, found) {
            (Grant::All, found) => Ok(found.unwrap_or_else(|| program.into())),
            (Grant::Only(list), Some(found)) if found.canonicalize().is_ok_and(|real| list.contains(&real)) => {
                Ok(found)
            }
            _ => {
                // The path must be valid in the working directory of the command; a name is the same everywhere.
                let is_name = Path::new(program).components().count() == 1;
                let file = paths::shown(&folder.unwrap_or(Path::new("")).join(program)).display().to_string();
                let named = if is_name { program } else { &file };
                Err(refusal(&format!("running {program}"), &format!("--allow-run={named}")))
            }
        }
    }

    fn locate(&self, program: &Path, folder: Option<&Path>) -> Option<PathBuf> {
        if program.components().count() == 1 && !program.is_absolute() && !program.starts_with(".") {
            return self.folders.iter().map(|folder| folder.join(program)).find(|file| is_program(file));
        }
        let file = folder.unwrap_or(Path::new("")).join(program);
        std::path::absolute(file).ok().filter(|file| is_program(file))
    }
}

fn is_program(file: &Path) -> bool {
    let Ok(found) = file.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    found.is_file() && may_run
}
