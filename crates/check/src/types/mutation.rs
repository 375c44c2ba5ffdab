//! Finds changes of a value after its declaration.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind as K};

use lmthing_typescript::code::Tree;

const ADDING: [&str; 5] = ["push", "unshift", "splice", "concat", "fill"];

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mutation {
    /// A property is set, or items are added.
    pub(super) is_changed: bool,
    /// The changed property may be `plugins`.
    pub(super) has_plugins: bool,
}

pub(super) fn mutation_of(tree: &Tree, name: &str) -> Result<Mutation, Error> {
    let mut mutation = Mutation::default();
    tree.walk(tree.root(), |node, kind| {
        if !matches!(kind, K::BinaryExpression | K::CallExpression) {
            return Ok(true);
        }
        let target = match tree.children(node)?[..] {
            [left, operator, _] if kind == K::BinaryExpression && is_assignment(&source_text(tree, operator)?) => {
                path_after(&source_text(tree, left)?, name)
            }
            [callee, first, ..] if kind == K::CallExpression => path_changed_by_call(tree, name, callee, first)?,
            _ => None,
        };
        if let Some(path) = target {
            mutation.is_changed = true;
            mutation.has_plugins |= path.starts_with(".plugins") || !path.starts_with('.');
        }
        Ok(true)
    })?;
    Ok(mutation)
}

/// What a call changes: `Object.assign(name.…, …)` and `name.push(…)`.
fn path_changed_by_call(tree: &Tree, name: &str, callee: NodeId, first: NodeId) -> Result<Option<String>, Error> {
    let callee = source_text(tree, callee)?;
    if callee == "Object.assign" {
        let first = source_text(tree, first)?;
        return Ok(if first == name { Some(String::new()) } else { path_after(&first, name) });
    }
    let adds = |rest: &String| ADDING.iter().any(|method| rest.strip_prefix('.') == Some(*method));
    Ok(path_after(&callee, name).filter(adds))
}

/// `.options.seed` of `config.options.seed`.
fn path_after(text: &str, name: &str) -> Option<String> {
    text.strip_prefix(name).filter(|rest| rest.starts_with(['.', '['])).map(str::to_owned)
}

fn is_assignment(operator: &str) -> bool {
    operator.ends_with('=') && !["==", "===", "!=", "!==", "<=", ">="].contains(&operator)
}

pub(super) fn source_text(tree: &Tree, node: NodeId) -> Result<String, Error> {
    let bytes = &tree.bytes()[tree.start(node)?..tree.end(node)?];
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
