//! The kind of a module file by Node's rules: its extension, the `type` of its package and, without both, its text.

use std::path::Path;

use super::files::{bytes, refused};
use super::source;
use crate::error::ScriptError;
use lmthing_base::{parser::Parser, permission::Permissions};

/// The kinds of files that can be imported or required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An ES module.
    EsModule,
    /// CommonJS.
    CommonJs,
    Json,
    /// A native addon for Node, which cannot be loaded.
    Addon,
}

/// The kind of the file at `path`. Unknown extensions count as `.js`, as in `require`.
///
/// # Errors
/// A file that decides it may not be read.
pub(super) fn of(path: &Path, permissions: &Permissions, parser: &dyn Parser) -> Result<Kind, ScriptError> {
    Ok(match path.extension().and_then(|extension| extension.to_str()) {
        Some("mjs" | "mts" | "ts") => Kind::EsModule,
        Some("cjs" | "cts") => Kind::CommonJs,
        Some("json") => Kind::Json,
        Some("node") => Kind::Addon,
        _ => return of_javascript(path, permissions, parser),
    })
}

fn of_javascript(path: &Path, permissions: &Permissions, parser: &dyn Parser) -> Result<Kind, ScriptError> {
    let in_package = path.components().any(|part| part.as_os_str() == "node_modules");
    let text = || read(path, permissions).map(Option::unwrap_or_default);
    Ok(match (package_type(path, permissions)?.as_deref(), in_package) {
        (Some("module"), _) => Kind::EsModule,
        (Some("commonjs"), true) => Kind::CommonJs,
        (_, true) if is_module_text(&text()?, parser) => Kind::EsModule,
        (_, true) => Kind::CommonJs,
        // `npm init` writes "commonjs" by default, so a file of the author's own that is clearly an ES module counts as
        // one.
        (_, false) if is_common_js_text(&text()?, parser) => Kind::CommonJs,
        (_, false) => Kind::EsModule,
    })
}

fn read(path: &Path, permissions: &Permissions) -> Result<Option<String>, ScriptError> {
    Ok(source::text(path, bytes(permissions, path).map_err(refused)?).ok())
}

/// The `type` of the nearest package.json, which may lie inside the package (`browser/package.json`).
fn package_type(path: &Path, permissions: &Permissions) -> Result<Option<String>, ScriptError> {
    let nearest = path.ancestors().skip(1).map(|directory| directory.join("package.json")).find(|file| file.is_file());
    let Some(nearest) = nearest else { return Ok(None) };
    let text = read(&nearest, permissions)?;
    let package = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    Ok(package.and_then(|package| Some(package.get("type")?.as_str()?.to_owned())))
}

/// Whether a text without `import` and `export` uses CommonJS variables.
fn is_common_js_text(text: &str, parser: &dyn Parser) -> bool {
    ["module.exports", "exports.", "require("].iter().any(|word| text.contains(word)) && !is_module_text(text, parser)
}

fn is_module_text(text: &str, parser: &dyn Parser) -> bool {
    // A text search first: parsing every file of every package would be slow.
    let says = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            let next = text.as_bytes().get(at + word.len());
            next.is_some_and(|next| matches!(next, b' ' | b'{' | b'*' | b'"' | b'\'' | b'\n' | b'\t' | b'.'))
        })
    };
    (says("import") || says("export")) && parser.is_module(text)
}
