//! Finds the position of an import by parsing the importer's text, as QuickJS reports none for failed imports.

use super::modules::Modules;
use super::source::language;
use lmthing_base::diagnostic::Location;

/// Where the module `importer` has `specifier` as the source of an import or export.
pub(super) fn of_specifier(modules: &Modules, importer: &str, specifier: &str) -> Option<Location> {
    let text = modules.text_of(importer)?;
    let imports = modules.parser().imports(&text, language(importer)).unwrap_or_default();
    let parsed = imports.iter().find(|import| import.specifier == specifier).map(|import| import.offset);
    let quoted = || ['\'', '"', '`'].iter().filter_map(|quote| text.find(&format!("{quote}{specifier}{quote}"))).min();
    parsed.or_else(quoted).map(|offset| locate(importer, &text, offset))
}

/// Where the module `importer` imports or re-exports `name` from `specifier`.
pub(super) fn of_name(modules: &Modules, importer: &str, specifier: &str, name: &str) -> Option<Location> {
    let text = modules.text_of(importer)?;
    let imports = modules.parser().imports(&text, language(importer))?;
    let mut names = imports.iter().filter(|import| import.specifier == specifier).flat_map(|import| &import.names);
    names.find(|(imported, _)| imported == name).map(|(_, offset)| locate(importer, &text, *offset))
}

/// The position of a byte of `text`, its column in bytes.
pub(super) fn locate(path: &str, text: &str, at: usize) -> Location {
    let at = at.min(text.len());
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX);
    let column = u32::try_from(at - line_start + 1).unwrap_or(u32::MAX);
    Location { path: path.to_owned(), line, column }
}
