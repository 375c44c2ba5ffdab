//! Finds the `await` at which a function is suspended, which the engine does not report.

use std::ops::Range;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::accesses::has_separate_code;
use crate::code::Tree;

/// See [`Parser::only_await`](lmthing_base::parser::Parser::only_await).
pub(super) fn only_await(tree: &Tree, function: Option<usize>) -> Result<Option<usize>, Error> {
    let waits = Waits::of(tree)?;
    let module = 0..usize::MAX;
    let innermost = |offset: usize| {
        let functions = waits.functions.iter().filter(|range| range.contains(&offset));
        functions.min_by_key(|range| range.len()).unwrap_or(&module)
    };
    let function = match function {
        None if waits.imports_relative => return Ok(None),
        None => &module,
        Some(offset) => match innermost(offset) {
            function if *function == module => return Ok(None),
            function => function,
        },
    };
    let mut own = waits.awaits.iter().filter(|offset| innermost(**offset) == function);
    Ok(own.next().copied().filter(|_| own.next().is_none()))
}

#[derive(Default)]
struct Waits {
    functions: Vec<Range<usize>>,
    awaits: Vec<usize>,
    imports_relative: bool,
}

impl Waits {
    fn of(tree: &Tree) -> Result<Self, Error> {
        let mut found = Waits::default();
        tree.walk(tree.root(), |node, kind| {
            found.visit(tree, node, kind)?;
            Ok(true)
        })?;
        Ok(found)
    }

    fn visit(&mut self, tree: &Tree, node: NodeId, kind: SyntaxKind) -> Result<(), Error> {
        let start = tree.start(node)?;
        match kind {
            SyntaxKind::AwaitExpression => self.awaits.push(start),
            SyntaxKind::ForOfStatement => {
                let after = tree.token_from(start + "for".len());
                if tree.bytes().get(after..).is_some_and(|rest| rest.starts_with(b"await")) {
                    self.awaits.push(start);
                }
            }
            SyntaxKind::ImportDeclaration | SyntaxKind::ExportDeclaration => {
                if let Some(name) = tree.node(node)?.module_specifier() {
                    self.imports_relative |= tree.text(name)?.starts_with('.');
                }
            }
            _ if has_separate_code(kind) => self.functions.push(start..tree.end(node)?),
            _ => {}
        }
        Ok(())
    }
}
