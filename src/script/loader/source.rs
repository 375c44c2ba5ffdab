//! Reading a module's file, and what kind of module it is.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use rquickjs::Ctx;

use crate::permission::Access;
use crate::script::error::ScriptError;
use crate::script::gate;

/// The file endings that can be imported, in the order in which alternatives are suggested.
pub(super) const EXTENSIONS: [&str; 7] = ["mjs", "js", "ts", "mts", "json", "cjs", "cts"];

/// What the name of a module has behind its path when the module is the text of the file.
pub(super) const TEXT: &str = " (text)";

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

pub(super) fn is_json(path: &Path) -> bool {
    extension(path) == Some("json")
}

/// Whether the name of a module is that of a TypeScript file; a query may follow (`./x.ts?again`).
pub(super) fn is_typescript(module: &str) -> bool {
    let path = module.split('?').next().unwrap_or(module);
    path.ends_with(".ts") || path.ends_with(".mts")
}

/// Reads a text file as UTF-8, without its byte order mark.
pub(super) fn read(path: &Path) -> Result<String, ScriptError> {
    text(path, std::fs::read(path))
}

/// The same for a script, of which it is known that it may read the path: what is there may have changed since.
pub(super) fn read_for(ctx: &Ctx<'_>, path: &Path) -> Result<String, ScriptError> {
    let Some(rights) = gate::restricted(ctx) else { return read(path) };
    let open = || {
        let mut file = File::open(path)?;
        let checked = rights.check_opened(&file, Access::Read(&path.to_string_lossy()));
        checked.map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    text(path, open())
}

fn text(path: &Path, bytes: io::Result<Vec<u8>>) -> Result<String, ScriptError> {
    let shown = path.display();
    let bytes = bytes.map_err(|error| ScriptError::error(format!("Cannot read '{shown}': {}", plain(&error))))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        ScriptError::error(format!("'{shown}' is not UTF-8 text (byte {})", error.utf8_error().valid_up_to()))
    })?;
    if let Some(at) = text.find('\0') {
        return Err(ScriptError::error(format!("'{shown}' is not a text file: it holds a NUL byte at offset {at}")));
    }
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// What is said of compiled code for Node.
pub(super) fn addon_message(path: &str) -> String {
    format!("Cannot load '{path}': it is a native addon (compiled for Node), and lmthing runs JavaScript only")
}

/// The words of an I/O error without the operating system's number.
pub(super) fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
