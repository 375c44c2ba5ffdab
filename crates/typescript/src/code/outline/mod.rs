//! Extracts what the module loader and error messages need from a text.

mod accesses;
mod awaits;
mod bindings;
mod marks;
mod modules;

use tsr_arena::Error;

use super::{Tree, to_javascript};
use lmthing_base::parser::{ImportSpecifier, JavaScript, Language, Outline, Parser, SyntaxProblem};

/// The TypeScript compiler's parser.
pub struct TypeScriptParser;

impl Parser for TypeScriptParser {
    fn to_javascript(&self, text: &str) -> Result<JavaScript, SyntaxProblem> {
        to_javascript(text)
    }

    fn imports(&self, text: &str, language: Language) -> Option<Vec<ImportSpecifier>> {
        modules::imports(text, language)
    }

    fn exported_names(&self, text: &str, language: Language) -> Option<Vec<String>> {
        modules::exported_names(text, language)
    }

    fn exports_type(&self, text: &str, language: Language, name: &str) -> bool {
        modules::exports_type(text, language, name)
    }

    fn is_module(&self, text: &str) -> bool {
        modules::is_module(text)
    }

    fn outline(&self, javascript: &str) -> Option<Outline> {
        let outline = |tree: &Tree| -> Result<Outline, Error> {
            Ok(Outline { accesses: accesses::accesses(tree)?, bindings: bindings::bindings(tree)? })
        };
        outline(&Tree::parse(javascript, Language::JavaScript).ok()?).ok()
    }

    fn only_await(&self, javascript: &str, function: Option<usize>) -> Option<usize> {
        let tree = Tree::parse(javascript, Language::JavaScript).ok()?;
        awaits::only_await(&tree, function).ok()?
    }
}
