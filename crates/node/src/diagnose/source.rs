//! The user's source files for diagnostics: text, lines, calls. A diagnostic reads each file once, on demand, and an
//! engine parses it once: a test file may fail in many places.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use rquickjs::{Ctx, JsLifetime, Result};

use crate::loader::Modules;
use crate::user_data;
use lmthing_base::diagnostic::Location;
use lmthing_base::parser::{Access, Binding, Outline, Parser};

/// Larger files are most likely generated, and parsing them would take too long.
const MAX_PARSED: usize = 1 << 20;

/// Files that were read, with their content at that time.
#[derive(Clone, Default, JsLifetime)]
struct Seen(Rc<RefCell<HashMap<String, Rc<Source>>>>);

/// Called once while an engine is created.
pub(super) fn set_up(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Seen::default())
}

/// The files of one diagnostic.
pub(super) struct Sources<'a> {
    modules: &'a Modules,
    seen: Seen,
    files: RefCell<HashMap<String, Rc<Source>>>,
}

/// One file.
pub(super) struct Source {
    text: String,
    is_typescript: bool,
    /// Offsets of line starts, as thousands of positions may be looked up.
    starts: OnceCell<Vec<usize>>,
    outline: OnceCell<Outline>,
    parser: Rc<dyn Parser>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(ctx: &Ctx<'_>, modules: &'a Modules) -> Self {
        // Without an engine each file is parsed again.
        let seen = user_data::read::<Seen>(ctx).map(|seen| seen.clone()).unwrap_or_default();
        Self { modules, seen, files: RefCell::default() }
    }

    /// The file of the module `path`; empty if it can no longer be read.
    pub(super) fn of(&self, path: &str) -> Rc<Source> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let text = self.modules.text_of(path).unwrap_or_default();
        let is_typescript = [".ts", ".mts", ".cts"]
            .iter()
            .any(|ending| path.split('?').next().is_some_and(|path| path.ends_with(ending)));
        let before = self.seen.0.borrow().get(path).cloned();
        // The file may have changed.
        let parser = self.modules.parser().clone();
        let source = before.filter(|before| before.text == text).unwrap_or_else(|| {
            let source =
                Rc::new(Source { text, is_typescript, starts: OnceCell::new(), outline: OnceCell::new(), parser });
            self.seen.0.borrow_mut().insert(path.to_owned(), source.clone());
            source
        });
        self.files.borrow_mut().insert(path.to_owned(), source.clone());
        source
    }

    /// `location` with its column in characters instead of bytes.
    pub(super) fn in_characters(&self, location: Location) -> Location {
        let source = self.of(&location.path);
        let before = source.line(location.line).and_then(|line| line.get(..(location.column.max(1) - 1) as usize));
        let characters = before.and_then(|before| u32::try_from(before.chars().count() + 1).ok());
        Location { column: characters.unwrap_or(location.column), ..location }
    }
}

impl Source {
    /// The text of a line, counted from 1; `None` after the last.
    pub(super) fn line(&self, line: u32) -> Option<&str> {
        let start = self.start(line)?;
        self.text.get(start..)?.lines().next()
    }

    /// The offset of a position whose column counts bytes.
    pub(super) fn offset(&self, line: u32, column: u32) -> Option<usize> {
        Some(self.start(line)? + column.checked_sub(1)? as usize)
    }

    /// The position of an offset, its column in bytes.
    pub(super) fn position(&self, offset: usize) -> (u32, u32) {
        let line = self.starts().partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.starts().get(index)).copied().unwrap_or(0);
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(offset - start + 1).unwrap_or(u32::MAX))
    }

    fn start(&self, line: u32) -> Option<usize> {
        self.starts().get(line.checked_sub(1)? as usize).copied()
    }

    fn starts(&self) -> &[usize] {
        self.starts
            .get_or_init(|| std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The expressions that the engine may mean by a position (column in bytes), inner ones first.
    pub(super) fn accesses_at(&self, line: u32, column: u32) -> Vec<&Access> {
        let Some(offset) = self.offset(line, column) else { return Vec::new() };
        let at = |offset: usize| -> Vec<&Access> {
            self.outline().accesses.iter().filter(|access| access.reported == offset).collect()
        };
        let found = at(offset);
        // QuickJS counts most columns of the first line from 0.
        if found.is_empty() && line == 1 { at(offset + 1) } else { found }
    }

    /// What a name is declared as.
    pub(super) fn binding(&self, name: &str) -> Option<&Binding> {
        self.outline().bindings.get(name)
    }

    fn outline(&self) -> &Outline {
        let outline = || self.parser.outline(&self.javascript()?);
        self.outline.get_or_init(|| outline().unwrap_or_default())
    }

    /// The text that the engine has compiled, in which types are spaces. `None` if it cannot be parsed.
    pub(super) fn javascript(&self) -> Option<String> {
        if self.text.len() > MAX_PARSED {
            return None;
        }
        match self.is_typescript {
            true => {
                self.parser.to_javascript(&self.text).ok().filter(|made| made.positions.is_none()).map(|made| made.code)
            }
            false => Some(self.text.clone()),
        }
    }
}
