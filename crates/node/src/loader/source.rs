//! Reads a module file and determines its language.

use std::{io, path::Path};

use crate::error::ScriptError;
use lmthing_base::parser::Language;
use lmthing_system::files::read_source;

/// The importable file extensions, in the order of suggestions.
pub(super) const EXTENSIONS: [&str; 7] = ["mjs", "js", "ts", "mts", "json", "cjs", "cts"];

/// The suffix of a module name when the module is the text of the file.
pub(super) const TEXT: &str = " (text)";

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

pub(super) fn is_json(path: &Path) -> bool {
    extension(path) == Some("json")
}

/// Whether a module name is that of a TypeScript file; a query may follow (`./x.ts?again`).
pub(super) fn is_typescript(module: &str) -> bool {
    let path = module.split('?').next().unwrap_or(module);
    path.ends_with(".ts") || path.ends_with(".mts")
}

/// The language of a module.
pub(super) fn language(module: &str) -> Language {
    if is_typescript(module) { Language::TypeScript } else { Language::JavaScript }
}

/// Reads a text file as UTF-8, without its byte order mark.
pub(super) fn read(path: &Path) -> Result<String, ScriptError> {
    text(path, read_source(path))
}

/// The content of a file as text.
pub(super) fn text(path: &Path, bytes: io::Result<Vec<u8>>) -> Result<String, ScriptError> {
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

/// The error for native addons of Node.
pub(super) fn addon_message(path: &str) -> String {
    format!("Cannot load '{path}': it is a native addon (compiled for Node), and lmthing runs JavaScript only")
}

/// The message of an I/O error without the operating system's number.
pub(super) fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
