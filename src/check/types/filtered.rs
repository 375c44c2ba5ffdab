//! What is left of a list behind `.filter(…)`: TypeScript does not see that what was asked for is there. Must not know what is said
//! of it.

use std::ops::Range;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind as K};

use super::later::source;
use crate::code::Tree;
use crate::parser::Language;

const FILTER: &str = ".filter(";

/// Whether a value at bytes of a text in JavaScript that may be nothing is one of a list from which such are filtered out:
/// `items.filter((item) => item.price).map((item) => item.price.toFixed(2))`, `names.filter(Boolean).map((name) => name.trim())`.
pub(super) fn is_filtered(text: &str, range: &Range<usize>) -> bool {
    if !text.contains(FILTER) {
        return false;
    }
    let Ok(tree) = Tree::parse(text, Language::JavaScript) else { return false };
    let place = text.get(range.clone()).unwrap_or_default();
    let found = match place.rsplit_once('.') {
        Some((_, property)) => asks_for(&tree, property.trim()),
        None => is_of_filtered(&tree, place, range),
    };
    found.unwrap_or(false)
}

/// Whether any filter looks at a property of this name.
fn asks_for(tree: &Tree, property: &str) -> Result<bool, Error> {
    let mut found = false;
    tree.walk(tree.root(), |node, kind| {
        if kind == K::CallExpression
            && let [callee, condition] = tree.children(node)?[..]
            && source(tree, callee)?.ends_with(".filter")
        {
            let condition = source(tree, condition)?;
            let mut words =
                condition.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$'));
            found |= words.any(|word| word == property);
        }
        Ok(true)
    })?;
    Ok(found)
}

/// Whether a name at a place is that of an item of a list that was filtered: a parameter of a function that such a list is handed
/// to, or the variable of a loop over one.
fn is_of_filtered(tree: &Tree, name: &str, range: &Range<usize>) -> Result<bool, Error> {
    let mut found = false;
    tree.walk(tree.root(), |node, kind| {
        if !(tree.start(node)?..tree.end(node)?).contains(&range.start) {
            return Ok(false);
        }
        let children = tree.children(node)?;
        match (kind, &children[..]) {
            (K::CallExpression, [callee, function, ..]) if is_function(tree, *function)? => {
                found |= takes(tree, *function, name)? && is_filtered_list(tree, *callee)?;
            }
            (K::ForOfStatement, [.., variable, list, _]) => {
                found |= mentions(&source(tree, *variable)?, name) && is_filtered_list(tree, *list)?;
            }
            _ => {}
        }
        Ok(true)
    })?;
    Ok(found)
}

fn is_function(tree: &Tree, node: NodeId) -> Result<bool, Error> {
    Ok(matches!(tree.kind(node)?, K::ArrowFunction | K::FunctionExpression))
}

fn takes(tree: &Tree, function: NodeId, name: &str) -> Result<bool, Error> {
    for child in tree.children(function)? {
        if tree.kind(child)? == K::Parameter && mentions(&source(tree, child)?, name) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn mentions(text: &str, name: &str) -> bool {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$')).any(|word| word == name)
}

/// Whether a list, or the method of one that is called, comes from a filter: here, or where a variable of its name is set.
fn is_filtered_list(tree: &Tree, list: NodeId) -> Result<bool, Error> {
    let text = source(tree, list)?;
    if text.contains(FILTER) {
        return Ok(true);
    }
    let name = text.split(['.', '[', '?']).next().unwrap_or_default().trim();
    let mut found = false;
    tree.walk(tree.root(), |node, kind| {
        let read = tree.node(node)?;
        if kind == K::VariableDeclaration
            && let (Some(declared), Some(value)) = (read.name(), read.initializer())
            && tree.kind(declared)? == K::Identifier
            && tree.text(declared)? == name
        {
            found |= source(tree, value)?.contains(FILTER);
        }
        Ok(true)
    })?;
    Ok(found)
}
