//! What a file does with its exports after they are declared. Must not know what the exports are for.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind as K};

use crate::code::Tree;

/// Methods that give a list further items.
const ADDING: [&str; 5] = ["push", "unshift", "splice", "concat", "fill"];

/// How a value is changed after its declaration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    /// A property of it is set, or items are added.
    pub(super) is_changed: bool,
    /// Its property `plugins` may be what is set.
    pub(super) has_plugins: bool,
}

/// Looks for changes of what the name stands for.
///
/// # Errors
/// When the tree is broken.
pub(super) fn change_of(tree: &Tree, name: &str) -> Result<Change, Error> {
    let mut change = Change::default();
    tree.walk(tree.root(), |node, kind| {
        if !matches!(kind, K::BinaryExpression | K::CallExpression) {
            return Ok(true);
        }
        let target = match tree.children(node)?[..] {
            [left, operator, _] if kind == K::BinaryExpression && assigns(&source(tree, operator)?) => {
                rest_behind(&source(tree, left)?, name)
            }
            [callee, first, ..] if kind == K::CallExpression => called(tree, name, callee, first)?,
            _ => None,
        };
        if let Some(path) = target {
            change.is_changed = true;
            change.has_plugins |= path.starts_with(".plugins") || !path.starts_with('.');
        }
        Ok(true)
    })?;
    Ok(change)
}

/// What a call changes: `Object.assign(name.…, …)` and `name.push(…)`.
fn called(tree: &Tree, name: &str, callee: NodeId, first: NodeId) -> Result<Option<String>, Error> {
    let callee = source(tree, callee)?;
    if callee == "Object.assign" {
        let first = source(tree, first)?;
        return Ok(if first == name { Some(String::new()) } else { rest_behind(&first, name) });
    }
    let adds = |rest: &String| ADDING.iter().any(|method| rest.strip_prefix('.') == Some(*method));
    Ok(rest_behind(&callee, name).filter(adds))
}

/// `.options.seed` of `config.options.seed`.
fn rest_behind(text: &str, name: &str) -> Option<String> {
    text.strip_prefix(name).filter(|rest| rest.starts_with(['.', '['])).map(str::to_owned)
}

fn assigns(operator: &str) -> bool {
    operator.ends_with('=') && !["==", "===", "!=", "!==", "<=", ">="].contains(&operator)
}

/// The text of a node as it is written.
pub(super) fn source(tree: &Tree, node: NodeId) -> Result<String, Error> {
    let bytes = &tree.bytes()[tree.start(node)?..tree.end(node)?];
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
