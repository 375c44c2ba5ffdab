//! Reading a module's file for a script that may be restricted. Must not know what kind of module it is.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use rquickjs::Ctx;

use super::source;
use crate::permission::Access;
use crate::script::{error::ScriptError, gate};

/// Reads a text file, of which it is known that the script may read the path: what is there may have changed since.
pub(super) fn read(ctx: &Ctx<'_>, path: &Path) -> Result<String, ScriptError> {
    let Some(rights) = gate::restricted(ctx) else { return source::read(path) };
    let open = || {
        let mut file = File::open(path)?;
        let checked = rights.check_opened(&file, Access::Read(&path.to_string_lossy()));
        checked.map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    source::text(path, open())
}
