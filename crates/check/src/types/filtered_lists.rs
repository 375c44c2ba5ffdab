//! Recognizes values that `.filter(…)` has narrowed, which TypeScript does not see.

use std::ops::Range;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind as K};

use super::{mutation::source_text, source::names_in};
use lmthing_base::parser::Language;
use lmthing_typescript::code::Tree;

const FILTER: &str = ".filter(";

/// Whether a possibly missing value comes from a filtered list: `items.filter((item) => item.price).map((item) =>
/// item.price.toFixed(2))`, `names.filter(Boolean).map((name) => name.trim())`.
pub(super) fn is_filtered(text: &str, range: &Range<usize>) -> bool {
    if !text.contains(FILTER) {
        return false;
    }
    let Ok(tree) = Tree::parse(text, Language::JavaScript) else { return false };
    let place = text.get(range.clone()).unwrap_or_default();
    let found = match place.rsplit_once('.') {
        Some((_, property)) => has_filter_on(&tree, property.trim()),
        None => is_item_of_filtered_list(&tree, place, range),
    };
    found.unwrap_or(false)
}

fn has_filter_on(tree: &Tree, property: &str) -> Result<bool, Error> {
    let mut found = false;
    tree.walk(tree.root(), |node, kind| {
        if kind == K::CallExpression
            && let [callee, condition] = tree.children(node)?[..]
            && source_text(tree, callee)?.ends_with(".filter")
        {
            let condition = source_text(tree, condition)?;
            let mut words =
                condition.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$'));
            found |= words.any(|word| word == property);
        }
        Ok(true)
    })?;
    Ok(found)
}

/// Whether the name is a parameter of a callback of a filtered list, or the variable of a loop over one.
fn is_item_of_filtered_list(tree: &Tree, name: &str, range: &Range<usize>) -> Result<bool, Error> {
    let mut found = false;
    tree.walk(tree.root(), |node, kind| {
        if !(tree.start(node)?..tree.end(node)?).contains(&range.start) {
            return Ok(false);
        }
        let children = tree.children(node)?;
        match (kind, &children[..]) {
            (K::CallExpression, [callee, function, ..]) if is_function(tree, *function)? => {
                found |= has_parameter(tree, *function, name)? && is_filtered_list(tree, *callee)?;
            }
            (K::ForOfStatement, [.., variable, list, _]) => {
                found |= mentions(&source_text(tree, *variable)?, name) && is_filtered_list(tree, *list)?;
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

fn has_parameter(tree: &Tree, function: NodeId, name: &str) -> Result<bool, Error> {
    for child in tree.children(function)? {
        if tree.kind(child)? == K::Parameter && mentions(&source_text(tree, child)?, name) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn mentions(text: &str, name: &str) -> bool {
    names_in(text).any(|word| word == name)
}

/// Whether the expression contains a filter, or begins with a variable whose initializer does.
fn is_filtered_list(tree: &Tree, list: NodeId) -> Result<bool, Error> {
    let text = source_text(tree, list)?;
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
            found |= source_text(tree, value)?.contains(FILTER);
        }
        Ok(true)
    })?;
    Ok(found)
}
