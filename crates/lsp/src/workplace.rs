//! The temporary folder for what runs leave.

use std::{
    env::temp_dir,
    fs::{self, DirEntry, File},
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher, RandomState},
    io,
    path::{Path, PathBuf},
};

const PREFIX: &str = "lmthing-lsp-";

/// A file in the folder that is locked as long as the server runs, however it ends.
const LOCK: &str = "lock";

/// The folder is removed with the server.
pub(crate) struct Workplace {
    folder: PathBuf,
    _lock: File,
}

impl Workplace {
    pub(crate) fn new() -> io::Result<Self> {
        // A name that cannot be guessed, and that no earlier server had.
        let random = RandomState::new().hash_one(std::process::id());
        let folder = temp_dir().join(format!("{PREFIX}{random:016x}"));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        let lock = File::create_new(folder.join(LOCK))?;
        // Without locks the folder stays after a server that was killed.
        let _ = lock.lock();
        Ok(Workplace { folder, _lock: lock })
    }

    /// The folder of one prompt file.
    pub(crate) fn of(&self, file: &Path) -> PathBuf {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(file);
        self.folder.join(format!("{hash:016x}"))
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes the folders of this user's servers that were killed.
pub(crate) fn remove_abandoned() {
    for entry in fs::read_dir(temp_dir()).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_own_folder(&entry) {
            let lock = File::open(entry.path().join(LOCK));
            if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// Anyone can make a folder of such a name.
fn is_own_folder(entry: &DirEntry) -> bool {
    let Ok(metadata) = entry.metadata() else { return false };
    #[cfg(unix)]
    let is_own = std::os::unix::fs::MetadataExt::uid(&metadata) == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let is_own = true;
    metadata.is_dir() && is_own
}
