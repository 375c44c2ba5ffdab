//! The loaded modules: which names are the user's files, and who imported what.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use lmthing_base::parser::{Parser, Positions};
use lmthing_system::files::real_path;

/// The user's modules in one engine. Source texts are not kept: errors read the file again.
pub(crate) struct Modules {
    parser: Rc<dyn Parser>,
    /// Whether this name occurs in any module is recorded.
    noted_names: &'static [&'static str],
    files: RefCell<HashMap<String, PathBuf>>,
    imports: RefCell<Vec<Import>>,
    is_name_mentioned: Cell<bool>,
    /// Modules that import only the namespace of zod.
    narrow: RefCell<HashSet<String>>,
    /// CommonJS modules.
    common_js: RefCell<HashSet<String>>,
    /// Position maps of modules whose code is not laid out as their text.
    positions: RefCell<HashMap<String, (u32, Option<Positions>)>>,
}

/// A resolved import.
#[derive(Clone)]
pub(super) struct Import {
    pub(super) importer: String,
    pub(super) specifier: String,
    pub(super) resolved: String,
}

impl Modules {
    pub(crate) fn new(parser: Rc<dyn Parser>, noted_names: &'static [&'static str]) -> Self {
        Self {
            parser,
            noted_names,
            files: RefCell::default(),
            imports: RefCell::default(),
            is_name_mentioned: Cell::default(),
            narrow: RefCell::default(),
            common_js: RefCell::default(),
            positions: RefCell::default(),
        }
    }

    pub(crate) fn parser(&self) -> &Rc<dyn Parser> {
        &self.parser
    }

    /// Registers the file at `path` and returns its module name; a `query` (`?v=1`) makes it another instance.
    pub(super) fn add(&self, path: &Path, query: &str) -> String {
        let name = format!("{}{query}", path.display());
        self.files.borrow_mut().entry(name.clone()).or_insert_with(|| path.to_owned());
        name
    }

    /// The file of the module `name`.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.files.borrow().get(name).cloned().unwrap_or_else(|| PathBuf::from(name))
    }

    /// Whether `name` is a module loaded from a file, as opposed to a built-in or native one.
    pub(crate) fn is_file(&self, name: &str) -> bool {
        self.files.borrow().contains_key(name)
    }

    /// The text of the module `name`, when it is a file that can still be read.
    pub(crate) fn text_of(&self, name: &str) -> Option<String> {
        let path = self.files.borrow().get(name).cloned()?;
        // The path was real when the file was loaded: a link in its place now would lead to a file without a permission
        // check.
        let is_same = real_path(&path).is_ok_and(|real| real == path);
        is_same.then(|| super::source::read(&path).ok()).flatten()
    }

    /// Records the text of a module before it runs.
    pub(super) fn note_text(&self, text: &str) {
        if !self.is_name_mentioned.get() && self.noted_names.iter().any(|name| text.contains(name)) {
            self.is_name_mentioned.set(true);
        }
    }

    /// Records that the module `name` is CommonJS.
    pub(super) fn note_common_js(&self, name: &str) {
        self.common_js.borrow_mut().insert(name.to_owned());
    }

    /// Whether [`note_common_js`](Self::note_common_js) was called for the module `name`.
    pub(super) fn is_common_js(&self, name: &str) -> bool {
        self.common_js.borrow().contains(name)
    }

    /// Records that the module `name` imports only the namespace of zod.
    pub(super) fn note_narrow(&self, name: &str) {
        self.narrow.borrow_mut().insert(name.to_owned());
    }

    /// Whether [`note_narrow`](Self::note_narrow) was called for the module `name`.
    pub(super) fn is_narrow(&self, name: &str) -> bool {
        self.narrow.borrow().contains(name)
    }

    pub(super) fn set_name_mentioned(&self) {
        self.is_name_mentioned.set(true);
    }

    pub(crate) fn is_name_mentioned(&self) -> bool {
        self.is_name_mentioned.get()
    }

    pub(super) fn record_import(&self, importer: &str, specifier: &str, resolved: &str) {
        if self.is_file(importer) {
            let (importer, specifier, resolved) = (importer.to_owned(), specifier.to_owned(), resolved.to_owned());
            self.imports.borrow_mut().push(Import { importer, specifier, resolved });
        }
    }

    /// The imports whose resolved module name satisfies `matches`.
    pub(super) fn imports_where(&self, matches: impl Fn(&str) -> bool) -> Vec<Import> {
        self.imports.borrow().iter().filter(|import| matches(&import.resolved)).cloned().collect()
    }

    /// Records that the code of the module `name` is not laid out as its text; all code comes after `text_lines` lines.
    pub(super) fn add_positions(&self, name: &str, text_lines: u32, positions: Positions) {
        self.positions.borrow_mut().insert(name.to_owned(), (text_lines, Some(positions)));
    }

    /// Records that the code of the module `name` is its text, moved down by `lines` lines.
    pub(super) fn add_moved(&self, name: &str, lines: u32) {
        self.positions.borrow_mut().insert(name.to_owned(), (lines, None));
    }

    /// Whether any module has code that is not laid out as its text.
    pub(super) fn has_positions(&self) -> bool {
        !self.positions.borrow().is_empty()
    }

    /// Maps a position in the code of the module `name` to its text; `None` for code without a counterpart. Positions
    /// of the text itself stay.
    pub(super) fn source_position(&self, name: &str, line: u32, column: u32) -> Option<(u32, u32)> {
        match self.positions.borrow().get(name) {
            Some((text_lines, Some(positions))) if line > *text_lines => positions.original(line - text_lines, column),
            Some((lines, None)) if line > *lines => Some((line - lines, column)),
            _ => Some((line, column)),
        }
    }
}
