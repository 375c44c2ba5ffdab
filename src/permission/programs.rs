//! Which file a program is, and whether it may be started: a name is looked for where the user looks, whatever a script
//! makes of `PATH`. Must not know how it is started.

use std::path::{Path, PathBuf};

use super::{
    Refusal, paths,
    reach::{Reach, refusal},
};

/// Where programs are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    folders: Vec<PathBuf>,
}

impl Programs {
    /// By the value of `PATH`.
    pub fn new(path: &str) -> Self {
        // A folder that is not absolute is another one after `chdir`.
        Programs { folders: std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect() }
    }

    /// The folders they are looked for in.
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The real path of what is called so.
    pub fn named(&self, name: &Path) -> Option<PathBuf> {
        self.locate(name, None).and_then(|found| found.canonicalize().ok())
    }

    /// The file that a program is, as it is to be started; `folder` is where relative paths count from.
    ///
    /// # Errors
    /// It may not be started.
    pub(super) fn find(
        &self,
        program: &str,
        folder: Option<&Path>,
        allowed: &Reach<PathBuf>,
    ) -> Result<PathBuf, Refusal> {
        let found = self.locate(Path::new(program), folder);
        match (allowed, found) {
            (Reach::All, found) => Ok(found.unwrap_or_else(|| program.into())),
            (Reach::Only(list), Some(found)) if found.canonicalize().is_ok_and(|real| list.contains(&real)) => {
                Ok(found)
            }
            _ => {
                // As it can be typed wherever the command is run; a name is looked for everywhere alike.
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
