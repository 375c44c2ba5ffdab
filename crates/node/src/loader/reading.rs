//! Reads a module file for the script of an engine.

use std::path::Path;

use rquickjs::Ctx;

use super::{files, source};
use crate::{error::ScriptError, gate};

/// Reads a text file whose path has passed the permission check.
pub(super) fn read(ctx: &Ctx<'_>, path: &Path) -> Result<String, ScriptError> {
    match gate::restricted(ctx) {
        Some(rights) => source::text(path, files::opened(&rights, path)),
        None => source::read(path),
    }
}
