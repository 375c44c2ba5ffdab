//! Limits the depth of syntax trees. TypeScript's compiler and checker visit the ancestors of each node, and QuickJS
//! those of labels and functions: without a limit their time grows with the square of the depth.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind as K};

use super::tree::Tree;
use lmthing_base::parser::SyntaxProblem;

/// The limit of nested nodes. The left side of operators, dots and brackets counts only in code that is compiled: a
/// long sum is nested, but does not look nested.
const MAX_DEPTH: usize = 5_000;

/// The limit of decorators of a declaration, which the compiler copies one by one.
const MAX_DECORATORS: usize = 500;

impl Tree {
    pub fn problems(&self) -> Result<Vec<SyntaxProblem>, Error> {
        match deeper_than(self, is_chain)? {
            Some(problem) => Ok(vec![problem]),
            None => self.parser_problems(),
        }
    }
}

pub(super) fn too_deep_to_compile(tree: &Tree) -> Result<Option<SyntaxProblem>, Error> {
    deeper_than(tree, |_| false)
}

fn deeper_than(tree: &Tree, is_not_counted: impl Fn(K) -> bool) -> Result<Option<SyntaxProblem>, Error> {
    // A decorator takes at least two bytes, a level one.
    if tree.bytes().len() <= MAX_DEPTH.min(2 * MAX_DECORATORS) {
        return Ok(None);
    }
    let mut pending = vec![(tree.root(), 0)];
    while let Some((node, depth)) = pending.pop() {
        if depth > MAX_DEPTH {
            let message = format!("The code is nested more than {MAX_DEPTH} levels deep. Write it in smaller steps.");
            return problem(tree, node, message);
        }
        let children = tree.children(node)?;
        if children.len() > MAX_DECORATORS {
            let is_decorator = |node: &&NodeId| tree.kind(**node).is_ok_and(|kind| kind == K::Decorator);
            if let Some(decorator) = children.iter().filter(is_decorator).nth(MAX_DECORATORS) {
                return problem(tree, *decorator, format!("There are more than {MAX_DECORATORS} decorators here."));
            }
        }
        let is_not_counted = is_not_counted(tree.kind(node)?);
        let depth_of = |index: usize| if is_not_counted && index == 0 { depth } else { depth + 1 };
        pending.extend(children.into_iter().enumerate().map(|(index, child)| (child, depth_of(index))).rev());
    }
    Ok(None)
}

fn problem(tree: &Tree, node: NodeId, message: String) -> Result<Option<SyntaxProblem>, Error> {
    Ok(Some(SyntaxProblem { offset: tree.start(node)?, code: 0, message }))
}

/// Whether the first child is the left operand.
fn is_chain(kind: K) -> bool {
    matches!(
        kind,
        K::BinaryExpression
            | K::PropertyAccessExpression
            | K::ElementAccessExpression
            | K::CallExpression
            | K::NonNullExpression
            | K::TaggedTemplateExpression
            | K::AsExpression
            | K::SatisfiesExpression
            | K::ArrayType
            | K::IndexedAccessType
            | K::QualifiedName
    )
}
