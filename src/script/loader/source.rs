//! Reading a module's file and making it text that QuickJS can run.

use std::path::Path;

use super::modules::Modules;
use super::typescript;
use crate::script::error::ScriptError;

/// The file endings that can be imported, in the order in which alternatives are suggested.
pub(super) const EXTENSIONS: [&str; 5] = ["mjs", "js", "ts", "mts", "json"];

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

pub(super) fn is_json(path: &Path) -> bool {
    extension(path) == Some("json")
}

/// Reads a text file as UTF-8, without its byte order mark.
pub(super) fn read(path: &Path) -> Result<String, ScriptError> {
    let shown = path.display();
    let bytes =
        std::fs::read(path).map_err(|error| ScriptError::error(format!("Cannot read '{shown}': {}", plain(&error))))?;
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

/// The words of an I/O error without the operating system's number.
pub(super) fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// The JavaScript of a module.
pub(super) fn prepare(modules: &Modules, name: &str, path: &Path, text: String) -> Result<String, ScriptError> {
    if typescript::is_typescript(&path.to_string_lossy()) { typescript::strip(modules, name, &text) } else { Ok(text) }
}
