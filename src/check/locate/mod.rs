//! From a value, named by its path from an export down, to the place in the source that it comes from.
//!
//! Owns: following a path through what is written (object and array literals, constants, spreads, calls that only hand
//! through). Must not know what is wrong with the value. What is computed cannot be followed: the deepest place that was found
//! stands for what lies below it.

mod values;

use tsr_arena::Error;

use super::{
    Position, Span,
    module::{Module, Range},
};
use crate::{code::Tree, diagnostic::closest, parser::Language, script::bindings::inspect::Key};
use values::Search;

/// The values of one file.
pub(super) struct Places<'a> {
    text: &'a str,
    tree: Option<Tree>,
}

impl<'a> Places<'a> {
    /// The values of the prompt file or module `text`. One that cannot be parsed has none.
    pub(super) fn of(text: &'a str, language: Language) -> Self {
        Places { text, tree: Tree::parse(text, language).ok() }
    }

    /// Where the value at `path` stands: its key where it is a property, itself where it is an element of a list, the name of
    /// the export where that is all that can be found. `None` when there is no such export, nor one that looks like it.
    pub(super) fn span(&self, path: &[Key]) -> Option<Span> {
        let range = self.range(path).ok()??;
        Some(Span { start: self.position(range.start), end: self.position(range.end) })
    }

    fn range(&self, path: &[Key]) -> Result<Option<Range>, Error> {
        let (Some(tree), Some((Key::Name(name), rest))) = (&self.tree, path.split_first()) else { return Ok(None) };
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
        // A mark at the beginning of the file is no character of its first line.
        let columns = before[line_start..].chars().filter(|letter| *letter != '\u{feff}').count();
        let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        Position { line: number(before.matches('\n').count()), column: number(columns) }
    }
}

#[cfg(test)]
mod tests;
