//! What the JavaScript engine needs of a parser of JavaScript and TypeScript, as a trait and plain data.
//!
//! All offsets are bytes of the text that was parsed.

mod nesting;
mod positions;

use std::{collections::HashMap, path::Path};

pub use nesting::{MAX_NESTING, nested_too_deep, nesting_message};
pub use positions::{Piece, Positions};

/// Reads source text for the module loader and for error messages.
///
/// Methods that return an `Option` return `None` for text that cannot be parsed.
pub trait Parser {
    /// Removes the types from the TypeScript module `text`, without checking them.
    ///
    /// # Errors
    /// The first syntax error.
    fn to_javascript(&self, text: &str) -> Result<JavaScript, SyntaxProblem>;

    /// The imports and re-exports of a module.
    fn imports(&self, text: &str, language: Language) -> Option<Vec<ImportSpecifier>>;

    fn exported_names(&self, text: &str, language: Language) -> Option<Vec<String>>;

    /// Whether a module exports `name` as a type, which does not exist at run time.
    fn exports_type(&self, text: &str, language: Language, name: &str) -> bool;

    /// Whether a text has import or export statements.
    fn is_module(&self, text: &str) -> bool;

    /// The expressions of a JavaScript module that may fail, and what its names stand for.
    fn outline(&self, javascript: &str) -> Option<Outline>;

    /// The only `await` in the function that contains the offset `function`, or outside of functions if there is no offset.
    /// `None` if there are several, or if the module imports relative modules, which may wait as well.
    fn only_await(&self, javascript: &str, function: Option<usize>) -> Option<usize>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    JavaScript,
    TypeScript,
}

impl Language {
    /// The language of a file by its extension; `None` for any other file, and for declarations.
    pub fn of_file(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        if [".d.ts", ".d.mts", ".d.cts"].iter().any(|extension| name.ends_with(extension)) {
            return None;
        }
        match path.extension()?.to_str()? {
            "mjs" | "js" => Some(Language::JavaScript),
            "ts" | "mts" | "cts" => Some(Language::TypeScript),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxProblem {
    pub offset: usize,
    /// TypeScript's error number, or 0.
    pub code: u32,
    pub message: String,
}

#[derive(Debug)]
pub struct JavaScript {
    pub code: String,
    /// Maps positions of the code to positions of the source; `None` if they are the same.
    pub positions: Option<Positions>,
}

#[derive(Debug)]
pub struct ImportSpecifier {
    pub specifier: String,
    /// Where the specifier starts.
    pub offset: usize,
    /// The imported names and where they start.
    pub names: Vec<(String, usize)>,
}

/// The expressions of a text that may fail, and what its names stand for.
#[derive(Debug, Default)]
pub struct Outline {
    /// Inner expressions come before those that contain them.
    pub accesses: Vec<Access>,
    pub bindings: HashMap<String, Binding>,
}

/// A call of a function or constructor, or a read of a property.
#[derive(Debug)]
pub struct Access {
    pub kind: AccessKind,
    /// The source text of what is called or read.
    pub expression: String,
    /// The names in a plain chain of names (`z`, `object`). For any other expression an empty name and its last name.
    pub names: Vec<String>,
    /// Where the last name starts.
    pub offset: usize,
    /// The offset at which QuickJS reports that it failed.
    pub reported: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Call,
    Construct,
    Read,
}

impl Access {
    /// The name of the called function in a stack trace.
    pub fn name(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }
}

/// What a name stands for. Scopes are not distinguished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A function of the text itself.
    Function,
    /// `imported` is empty for a namespace import.
    Import {
        specifier: String,
        imported: String,
    },
    /// A property of a parameter that is destructured in the parameter list: `({ def })`.
    OfParameter {
        property: String,
    },
    Parameter,
    /// Anything else, or a name that is bound several times to different things.
    Other,
}

/// A parser for engines that only run JavaScript. Error messages are less exact with it.
pub struct NoParser;

impl Parser for NoParser {
    fn to_javascript(&self, _: &str) -> Result<JavaScript, SyntaxProblem> {
        Err(SyntaxProblem { offset: 0, code: 0, message: "TypeScript is not supported here".to_owned() })
    }

    fn imports(&self, _: &str, _: Language) -> Option<Vec<ImportSpecifier>> {
        None
    }

    fn exported_names(&self, _: &str, _: Language) -> Option<Vec<String>> {
        None
    }

    fn exports_type(&self, _: &str, _: Language, _: &str) -> bool {
        false
    }

    fn is_module(&self, text: &str) -> bool {
        text.lines().any(|line| line.starts_with("import ") || line.starts_with("export "))
    }

    fn outline(&self, _: &str) -> Option<Outline> {
        None
    }

    fn only_await(&self, _: &str, _: Option<usize>) -> Option<usize> {
        None
    }
}
