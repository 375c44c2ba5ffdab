//! Converts TypeScript to JavaScript, for prompt files and model-written code.
//!
//! Types are blanked in place, so that positions are unchanged. A module with syntax that needs generated code
//! (enums, namespaces, parameter properties, decorators) is compiled by tsr instead, with [`Positions`](lmthing_base::parser::Positions) to map back.

mod compile;
mod depth;
mod erase;
mod kinds;
mod source_map;
#[cfg(test)]
mod tests;
mod tree;

use std::panic::{AssertUnwindSafe, catch_unwind};

use tsr_arena::Error;
use tsr_ast::SyntaxKind;

pub use tree::Tree;

use erase::{Erased, erase};
use lmthing_base::parser::{JavaScript, Language, SyntaxProblem};

/// Converts a TypeScript module to JavaScript without checking types.
pub fn to_javascript(text: &str) -> Result<JavaScript, SyntaxProblem> {
    guarded(|| {
        let tree = Tree::parse(text, Language::TypeScript).map_err(failed)?;
        let mut problems = tree.problems().map_err(failed)?;
        if let Some(statement) = common_js_statement(&tree).map_err(failed)? {
            problems.push(statement);
        }
        if let Some(first) = problems.into_iter().min_by_key(|problem| problem.offset) {
            return Err(first);
        }
        match erase(&tree).map_err(failed)? {
            Erased::Blanked(code) => Ok(JavaScript { code, positions: None }),
            Erased::NeedsCompiling => {
                if let Some(problem) = depth::too_deep_to_compile(&tree).map_err(failed)? {
                    return Err(problem);
                }
                let (code, positions) = compile::compile(text).map_err(failed)?;
                Ok(JavaScript { code, positions: Some(positions) })
            }
        }
    })
}

/// Turns a panic of the parser, which unusual input may cause, into an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, SyntaxProblem>) -> Result<T, SyntaxProblem> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(failed("it crashed")))
}

pub(super) fn failed(error: impl std::fmt::Display) -> SyntaxProblem {
    SyntaxProblem { offset: 0, code: 0, message: format!("The TypeScript parser failed ({error})") }
}

/// TypeScript's CommonJS syntax, which cannot be converted to an ES module.
fn common_js_statement(tree: &Tree) -> Result<Option<SyntaxProblem>, Error> {
    for statement in tree.statements()? {
        let message = match tree.kind(statement)? {
            SyntaxKind::ExportAssignment if kinds::is_export_equals(tree, statement)? => {
                "`export =` makes a CommonJS module; write `export default`"
            }
            SyntaxKind::ImportEqualsDeclaration if kinds::is_require(tree, statement)? => {
                "`import … = require(…)` loads a CommonJS module; write `import … from '…'`"
            }
            _ => continue,
        };
        return Ok(Some(SyntaxProblem { offset: tree.start(statement)?, code: 0, message: message.to_owned() }));
    }
    Ok(None)
}
