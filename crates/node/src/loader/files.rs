//! Reading files for a script that may be restricted: modules, and what decides what an import leads to. Must not know what kind
//! of module a file is.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use oxc_resolver::{FileMetadata, FileSystem, FileSystemOs, ResolveError};

use crate::error::ScriptError;
use lmthing_base::permission::{Access, AccessDenied, Permissions, Restricted, real_path};

/// The code of an error about what may not be read.
const REFUSED: &str = "ERR_ACCESS_DENIED";

/// Files that say what imports lead to, and are looked for in every folder on the way up.
const DESCRIPTIONS: [&str; 2] = ["package.json", "tsconfig.json"];

/// The error of a file that may not be read.
pub(super) fn refused(refusal: AccessDenied) -> ScriptError {
    ScriptError::error(refusal.message).name("PermissionError").code(REFUSED)
}

/// Reads a file without a permission check by the caller. The descriptions above a script's own folder are free to read, but not what a link in
/// their place leads to.
///
/// # Errors
/// The outer one when it may not be read.
pub(super) fn bytes(permissions: &Permissions, path: &Path) -> Result<io::Result<Vec<u8>>, AccessDenied> {
    let Some(rights) = permissions.restricted_rights() else { return Ok(ordinary(path).and_then(std::fs::read)) };
    if let Some(real) = real_path(path).filter(|real| is_description(rights, real)) {
        return Ok(ordinary(&real).and_then(std::fs::read));
    }
    // What is not there has nothing to hide.
    if let Err(error) = ordinary(path) {
        return Ok(Err(error));
    }
    permissions.check(Access::Read(&path.to_string_lossy()))?;
    Ok(opened(permissions, path))
}

/// The same path, if an ordinary file is there: a pipe or a device may have no end.
fn ordinary(path: &Path) -> io::Result<&Path> {
    if std::fs::metadata(path)?.is_file() { Ok(path) } else { Err(io::Error::other("it is no ordinary file")) }
}

fn is_description(rights: &Restricted, real: &Path) -> bool {
    let is_named = real.file_name().is_some_and(|name| DESCRIPTIONS.iter().any(|known| name == *known));
    let folder = real.parent().filter(|_| is_named);
    folder.is_some_and(|folder| rights.own.iter().any(|own| own.starts_with(folder)))
}

/// The content of a file of which it is known that the script may read the path: what is there may have changed since.
pub(super) fn opened(rights: &Permissions, path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let checked = rights.check_opened(&file, Access::Read(&path.to_string_lossy()));
    checked.map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The file system as the library that resolves imports sees it. It takes a file that cannot be read for one that is not there, so
/// a refusal is remembered here.
#[derive(Clone, Default)]
pub(super) struct GatedFiles {
    permissions: Permissions,
    refused: Arc<Mutex<Option<AccessDenied>>>,
}

impl GatedFiles {
    pub(super) fn with(permissions: Permissions) -> Self {
        GatedFiles { permissions, refused: Arc::default() }
    }

    /// What was refused since this was last asked.
    pub(super) fn take_refused(&self) -> Option<AccessDenied> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl FileSystem for GatedFiles {
    fn new() -> Self {
        GatedFiles::default()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        bytes(&self.permissions, path).unwrap_or_else(|refusal| {
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(refusal);
            Err(io::ErrorKind::PermissionDenied.into())
        })
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        FileSystemOs::validate_string(self.read(path)?)
    }

    fn metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        FileSystemOs::metadata(path)
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        FileSystemOs::symlink_metadata(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, ResolveError> {
        FileSystemOs::read_link(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        FileSystemOs::canonicalize(path)
    }
}
