//! Finds the source range of a value, given its path from an export.
//!
//! Follows object and array literals, constants, spreads and calls that return their argument. A computed value
//! cannot be followed: the deepest range that was found stands for everything below it.

mod values;

use tsr_arena::Error;

use super::{
    Position, Span,
    module::{Module, Range},
};
use lmthing_base::{diagnostic::closest, parser::Language};
use lmthing_engine::bindings::inspect::PathKey;
use lmthing_typescript::code::Tree;
use values::Search;

pub(super) struct ExportValues<'a> {
    text: &'a str,
    tree: Option<Tree>,
}

impl<'a> ExportValues<'a> {
    /// A text that cannot be parsed has no values.
    pub(super) fn of(text: &'a str, language: Language) -> Self {
        ExportValues { text, tree: Tree::parse(text, language).ok() }
    }

    /// The span of the value at `path`: the key of a property, an element of a list, or the name of the export if
    /// nothing more can be found. `None` if there is no such export and none with a similar name.
    pub(super) fn span(&self, path: &[PathKey]) -> Option<Span> {
        let range = self.range(path).ok()??;
        Some(Span { start: self.position(range.start), end: self.position(range.end) })
    }

    fn range(&self, path: &[PathKey]) -> Result<Option<Range>, Error> {
        let (Some(tree), Some((PathKey::Name(name), rest))) = (&self.tree, path.split_first()) else { return Ok(None) };
        let module = Module::of(tree)?;
        if let Some(export) = module.export(name) {
            let search = Search::new(tree, &module);
            let below = search.below_export(export, rest)?;
            return Ok(Some(below.map_or(export.range, |hit| hit.range)));
        }
        let names = module.export_names();
        let similar = closest(name, names.iter().copied()).and_then(|similar| module.export(similar));
        Ok(similar.map(|export| export.range).or(module.star))
    }

    fn position(&self, offset: usize) -> Position {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        // A byte order mark is not a character of the first line.
        let columns = before[line_start..].chars().filter(|letter| *letter != '\u{feff}').count();
        let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        Position { line: number(before.matches('\n').count()), column: number(columns) }
    }
}

#[cfg(test)]
mod tests;
