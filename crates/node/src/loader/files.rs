//! Reads files for a script that may be restricted: modules, and the files that decide what an import resolves to.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use oxc_resolver::{FileMetadata, FileSystem, FileSystemOs, ResolveError};

use crate::error::ScriptError;
use lmthing_base::permission::{Access, AccessDenied, Permissions, Restricted, real_path};
use lmthing_system::files::{self, read_source};

/// The code of errors about denied reads.
const REFUSED: &str = "ERR_ACCESS_DENIED";

/// Files that configure resolution and are searched in every folder upwards.
const DESCRIPTIONS: [&str; 2] = ["package.json", "tsconfig.json"];

/// The error for a denied read.
pub(super) fn refused(refusal: AccessDenied) -> ScriptError {
    ScriptError::error(refusal.message).name("PermissionError").code(REFUSED)
}

/// Reads a file without a permission check by the caller. Configuration files above a script's own folder may always be
/// read, but not the targets of links in their place.
///
/// # Errors
/// The outer error if reading is denied.
pub(super) fn bytes(permissions: &Permissions, path: &Path) -> Result<io::Result<Vec<u8>>, AccessDenied> {
    let Some(rights) = permissions.restricted_rights() else { return Ok(ordinary(path).and_then(read_source)) };
    if let Some(real) = real_path(path).filter(|real| is_description(rights, real)) {
        return Ok(ordinary(&real).and_then(std::fs::read));
    }
    // Missing files need no permission.
    if let Err(error) = ordinary(path) {
        return Ok(Err(error));
    }
    permissions.check(Access::Read(&path.to_string_lossy()))?;
    Ok(opened(permissions, path))
}

/// The same path if it is a regular file: reading a pipe or a device may never end.
fn ordinary(path: &Path) -> io::Result<&Path> {
    if files::is_source_file(path) || std::fs::metadata(path)?.is_file() {
        Ok(path)
    } else {
        Err(io::Error::other("it is no ordinary file"))
    }
}

fn is_description(rights: &Restricted, real: &Path) -> bool {
    let is_named = real.file_name().is_some_and(|name| DESCRIPTIONS.iter().any(|known| name == *known));
    let folder = real.parent().filter(|_| is_named);
    folder.is_some_and(|folder| rights.own.iter().any(|own| own.starts_with(folder)))
}

/// Reads a file whose path has passed the permission check. The file may have changed since.
pub(super) fn opened(rights: &Permissions, path: &Path) -> io::Result<Vec<u8>> {
    if let Some(text) = files::unsaved_text(path) {
        return Ok(text.as_bytes().to_vec());
    }
    let mut file = File::open(path)?;
    let checked = rights.check_opened(&file, Access::Read(&path.to_string_lossy()));
    checked.map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The file system for the resolver library. The library treats unreadable files as missing, so denials are recorded
/// here.
#[derive(Clone, Default)]
pub(super) struct GatedFiles {
    permissions: Permissions,
    refused: Arc<Mutex<Option<AccessDenied>>>,
}

impl GatedFiles {
    pub(super) fn with(permissions: Permissions) -> Self {
        GatedFiles { permissions, refused: Arc::default() }
    }

    /// Takes the denials since the last call.
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
