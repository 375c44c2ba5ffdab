//! How deep a text is nested. TypeScript's compiler and checker look from each node at those around it, and QuickJS does at labels and
//! functions: a time that grows with the square of the depth, without a limit of their own.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind as K};

use super::tree::Tree;
use crate::parser::SyntaxProblem;

/// Nodes in each other. What stands left of an operator, a dot or a bracket counts only where code is compiled: a sum of many
/// terms is nested, but its author does not see it as nested.
const MAX_DEPTH: usize = 5_000;

/// Decorators of one declaration, which the compiler copies one by one.
const MAX_DECORATORS: usize = 500;

impl Tree {
    /// The syntax errors, in the order of the text; that it is nested too deep is the only one then.
    pub(crate) fn problems(&self) -> Result<Vec<SyntaxProblem>, Error> {
        match deeper_than(self, is_chain)? {
            Some(problem) => Ok(vec![problem]),
            None => self.parser_problems(),
        }
    }
}

/// The first place that is nested too deep to be compiled, or has too much of what is slow to compile.
pub(super) fn too_deep_to_compile(tree: &Tree) -> Result<Option<SyntaxProblem>, Error> {
    deeper_than(tree, |_| false)
}

fn deeper_than(tree: &Tree, is_free: impl Fn(K) -> bool) -> Result<Option<SyntaxProblem>, Error> {
    // A decorator takes two bytes at least, a level one.
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
        let is_free = is_free(tree.kind(node)?);
        let depth_of = |place: usize| if is_free && place == 0 { depth } else { depth + 1 };
        pending.extend(children.into_iter().enumerate().map(|(place, child)| (child, depth_of(place))).rev());
    }
    Ok(None)
}

fn problem(tree: &Tree, node: NodeId, message: String) -> Result<Option<SyntaxProblem>, Error> {
    Ok(Some(SyntaxProblem { offset: tree.start(node)?, code: 0, message }))
}

/// Whether the first child is what stands left.
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
