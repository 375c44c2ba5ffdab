//! Where the lines that were typed in conversations are kept.

use std::{
    env,
    fs::DirBuilder,
    path::{Path, PathBuf},
};

pub(super) const MAX_ENTRIES: usize = 1_000;

/// The variable of the folder for such files, and what it stands for below the home folder where it is not set.
const PLACE: (&str, &str) =
    if cfg!(windows) { ("LOCALAPPDATA", "AppData/Local") } else { ("XDG_STATE_HOME", ".local/state") };

/// The file, in a folder that exists from now on. `None` without a home folder, or if the folder cannot be made.
pub(super) fn path() -> Option<PathBuf> {
    let folder = place(env::var_os(PLACE.0).map(PathBuf::from), env::home_dir())?.join("lmthing");
    let mut builder = DirBuilder::new();
    // Only for this user: typed lines may hold anything.
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(&folder).ok()?;
    Some(folder.join("chat-history"))
}

fn place(variable: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    // A relative path counts as not set.
    variable.filter(|path| path.is_absolute()).or_else(|| {
        let home = home.filter(|path| path != Path::new(""))?;
        Some(home.join(PLACE.1))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_that_of_the_variable_or_below_the_home_folder() {
        let place = |variable: Option<&str>, home: Option<&str>| place(variable.map(Into::into), home.map(Into::into));
        assert_eq!(place(Some("/state"), Some("/home/me")), Some("/state".into()));
        for variable in [None, Some(""), Some("state")] {
            assert_eq!(place(variable, Some("/home/me")), Some("/home/me/.local/state".into()));
        }
        assert_eq!(place(None, None), None);
    }
}
