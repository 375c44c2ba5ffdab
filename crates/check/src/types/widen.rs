//! Widens JavaScript values to `any` whose first value strict types would take for their only type.

use std::ops::Range;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind as K};

use super::edited_text::Edit;
use super::mutation::source_text;
use lmthing_typescript::code::Tree;

const ANY: &str = "any";

pub(super) fn edits(tree: &Tree) -> Result<Vec<Edit>, Error> {
    let mut widener = Widener { tree, edits: Vec::new() };
    for statement in tree.statements()? {
        widener.add_variables(statement)?;
    }
    tree.walk(tree.root(), |node, kind| {
        match kind {
            K::Parameter => widener.add_parameter(node)?,
            K::CallExpression => widener.add_reduce_seed(node)?,
            K::NewExpression => widener.add_proxy(node)?,
            _ => {}
        }
        Ok(true)
    })?;
    Ok(widener.edits)
}

struct Widener<'a> {
    tree: &'a Tree,
    edits: Vec<Edit>,
}

impl Widener<'_> {
    /// `let cache = null;` at the top level, assigned in functions.
    fn add_variables(&mut self, statement: NodeId) -> Result<(), Error> {
        let tree = self.tree;
        let comment = &tree.bytes()[tree.full_start(statement)?..tree.start(statement)?];
        if tree.kind(statement)? != K::VariableStatement || String::from_utf8_lossy(comment).contains("@type") {
            return Ok(());
        }
        let mut values = Vec::new();
        tree.walk(statement, |node, kind| {
            if kind == K::VariableDeclarationList && source_text(tree, node)?.starts_with("const") {
                return Ok(false);
            }
            if kind == K::VariableDeclaration {
                values.extend(tree.node(node)?.initializer());
            }
            Ok(matches!(kind, K::VariableStatement | K::VariableDeclarationList))
        })?;
        for value in values {
            if tree.kind(value)? == K::NullKeyword {
                self.put(value, ANY)?;
            }
        }
        Ok(())
    }

    /// `(done = null)` and `({ upper } = {})`.
    fn add_parameter(&mut self, parameter: NodeId) -> Result<(), Error> {
        let tree = self.tree;
        let read = tree.node(parameter)?;
        let (Some(name), Some(value)) = (read.name(), read.initializer()) else { return Ok(()) };
        let is_widened = match tree.kind(value)? {
            K::NullKeyword => true,
            K::ObjectLiteralExpression if tree.kind(name)? == K::ObjectBindingPattern => {
                tree.children(value)?.is_empty() && self.has_element_without_default(name)?
            }
            _ => false,
        };
        if is_widened {
            self.put(value, ANY)?;
        }
        Ok(())
    }

    /// Whether any element of the pattern has no default value.
    fn has_element_without_default(&self, pattern: NodeId) -> Result<bool, Error> {
        for element in self.tree.children(pattern)? {
            if self.tree.node(element)?.initializer().is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The last argument of `list.reduce(f, [])`.
    fn add_reduce_seed(&mut self, call: NodeId) -> Result<(), Error> {
        let [callee, _, first] = self.tree.children(call)?[..] else { return Ok(()) };
        if self.tree.kind(callee)? == K::PropertyAccessExpression
            && let Some(method) = self.tree.node(callee)?.name()
            && ["reduce", "reduceRight"].contains(&self.tree.text(method)?.as_str())
        {
            self.widen_empty_parts(first)?;
        }
        Ok(())
    }

    fn widen_empty_parts(&mut self, value: NodeId) -> Result<(), Error> {
        let parts = self.tree.children(value)?;
        match self.tree.kind(value)? {
            K::NullKeyword => self.put(value, ANY)?,
            K::ArrayLiteralExpression if parts.is_empty() => self.put(value, "any[]")?,
            K::ObjectLiteralExpression if parts.is_empty() => self.put(value, "Record<string, any>")?,
            K::ObjectLiteralExpression => {
                for part in parts {
                    if let Some(value) = self.tree.node(part)?.initializer() {
                        self.widen_empty_parts(value)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// `new Proxy({}, …)`, whose properties are dynamic.
    fn add_proxy(&mut self, call: NodeId) -> Result<(), Error> {
        let tree = self.tree;
        if let [callee, first, ..] = tree.children(call)?[..]
            && source_text(tree, callee)? == "Proxy"
            && tree.kind(first)? == K::ObjectLiteralExpression
            && tree.children(first)?.is_empty()
        {
            self.put(first, ANY)?;
        }
        Ok(())
    }

    fn put(&mut self, value: NodeId, kind: &str) -> Result<(), Error> {
        let meaning: Range<usize> = self.tree.start(value)?..self.tree.end(value)?;
        let mut insert = |at: usize, text: String| {
            self.edits.push(Edit { replaced: at..at, text, meaning: meaning.clone() });
        };
        insert(meaning.start, format!("/** @type {{{kind}}} */ ("));
        insert(meaning.end, ")".to_owned());
        Ok(())
    }
}
