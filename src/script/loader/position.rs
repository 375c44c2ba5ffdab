//! Where an import stands: the position of a specifier or of an imported name in the importer's text.

use super::modules::Modules;
use crate::diagnostic::Location;

/// Where the module `base` writes `specifier`.
pub(super) fn of_specifier(modules: &Modules, base: &str, specifier: &str) -> Option<Location> {
    let text = modules.text_of(base)?;
    let at = ['\'', '"', '`'].iter().filter_map(|quote| text.find(&format!("{quote}{specifier}{quote}"))).min()?;
    Some(locate(base, &text, at))
}

/// The position of byte `at` of `text`.
fn locate(path: &str, text: &str, at: usize) -> Location {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX);
    let column = u32::try_from(before[line_start..].chars().count() + 1).unwrap_or(u32::MAX);
    Location { path: path.to_owned(), line, column }
}
