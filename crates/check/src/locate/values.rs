//! Follows a path of keys through expressions.

use std::cell::Cell;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use crate::module::{Export, Module, Range, is_literal};
use lmthing_engine::bindings::inspect::PathKey;
use lmthing_typescript::code::Tree;

/// The limit of steps between names; ends circular references.
const MOST_STEPS: usize = 40;

/// The limit of expressions in all; lists that are spread into each other many times grow exponentially.
const MOST_EXPRESSIONS: usize = 10_000;

/// Array methods whose argument is not the array.
const OF_LISTS: [&str; 8] = ["concat", "map", "flatMap", "filter", "slice", "push", "splice", "with"];

pub(super) struct Search<'a> {
    tree: &'a Tree,
    module: &'a Module,
    left: Cell<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) range: Range,
    /// Number of keys of the path that lead to it.
    pub(super) depth: usize,
}

#[derive(Clone, Copy)]
struct Rest<'k> {
    path: &'k [PathKey],
    depth: usize,
    steps: usize,
}

impl<'k> Rest<'k> {
    fn step(self) -> Option<Self> {
        Some(Rest { steps: self.steps.checked_sub(1)?, ..self })
    }

    fn next(self) -> Option<(&'k PathKey, Self)> {
        let (key, path) = self.path.split_first()?;
        Some((key, Rest { path, depth: self.depth + 1, steps: self.steps.checked_sub(1)? }))
    }
}

type SearchResult = Result<Option<Hit>, Error>;

impl<'a> Search<'a> {
    pub(super) fn new(tree: &'a Tree, module: &'a Module) -> Self {
        Search { tree, module, left: Cell::new(MOST_EXPRESSIONS) }
    }

    /// Returns `None` if not even the first key of `path` is found.
    pub(super) fn below_export(&self, export: &Export, path: &[PathKey]) -> SearchResult {
        let rest = Rest { path, depth: 0, steps: MOST_STEPS };
        match (&export.local, export.value) {
            (Some(local), _) => self.below_name(local, rest),
            (None, Some(value)) => self.below(value, rest),
            (None, None) => Ok(None),
        }
    }

    fn below_name(&self, name: &str, rest: Rest<'_>) -> SearchResult {
        // Later assignments override earlier ones.
        for assignment in self.module.assignments.iter().rev() {
            let Some((object, keys)) = assignment.target.split_first() else { continue };
            let is_meant = object == name && keys.len() <= rest.path.len();
            if is_meant && keys.iter().zip(rest.path).all(|(name, key)| is_key(key, name)) {
                let depth = rest.depth + keys.len();
                let deeper = Rest { path: &rest.path[keys.len()..], depth, steps: rest.steps.saturating_sub(1) };
                let here = Hit { range: Range::of(self.tree, assignment.left)?, depth };
                let found = self.below(assignment.right, deeper)?;
                return Ok(found.or((!keys.is_empty()).then_some(here)));
            }
        }
        match (self.module.value(name), rest.step()) {
            (Some(value), Some(rest)) => self.below(value, rest),
            _ => Ok(None),
        }
    }

    fn below(&self, value: NodeId, rest: Rest<'_>) -> SearchResult {
        use SyntaxKind as K;
        let (false, Some(stepped), Some(left)) = (rest.path.is_empty(), rest.step(), self.left.get().checked_sub(1))
        else {
            return Ok(None);
        };
        self.left.set(left);
        let children = self.tree.children(value)?;
        match self.tree.kind(value)? {
            K::ObjectLiteralExpression => self.in_object(value, rest),
            K::ArrayLiteralExpression => self.in_list(value, rest),
            K::Identifier => self.below_name(&self.tree.text(value)?, stepped),
            K::CallExpression | K::NewExpression => self.in_call(value, stepped),
            K::ConditionalExpression => match children[..] {
                [_, _, yes, _, no] => self.deepest(&[yes, no], stepped),
                _ => Ok(None),
            },
            K::BinaryExpression => match children[..] {
                [left, _, right] => self.deepest(&[left, right], stepped),
                _ => Ok(None),
            },
            K::PropertyAccessExpression | K::ElementAccessExpression => self.in_property(value, stepped),
            K::ParenthesizedExpression
            | K::AsExpression
            | K::SatisfiesExpression
            | K::TypeAssertionExpression
            | K::NonNullExpression
            | K::AwaitExpression => match self.tree.node(value)?.expression() {
                Some(inner) => self.below(inner, stepped),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The first of equally deep hits.
    fn deepest(&self, values: &[NodeId], rest: Rest<'_>) -> SearchResult {
        let mut best: Option<Hit> = None;
        for value in values {
            let hit = self.below(*value, rest)?;
            if hit.is_some_and(|hit| best.is_none_or(|best| hit.depth > best.depth)) {
                best = hit;
            }
        }
        Ok(best)
    }

    fn in_object(&self, object: NodeId, rest: Rest<'_>) -> SearchResult {
        let Some((key, deeper)) = rest.next() else { return Ok(None) };
        // The last property with the key wins.
        for property in self.tree.children(object)?.into_iter().rev() {
            if self.tree.kind(property)? == SyntaxKind::SpreadAssignment {
                let spread = self.tree.node(property)?.expression();
                if let (Some(spread), Some(rest)) = (spread, rest.step())
                    && let Some(hit) = self.below(spread, rest)?
                {
                    return Ok(Some(hit));
                }
                continue;
            }
            let Some(name) = self.tree.node(property)?.name() else { continue };
            if !self.name(name)?.is_some_and(|name| is_key(key, &name)) {
                continue;
            }
            let here = Hit { range: Range::of(self.tree, name)?, depth: deeper.depth };
            let value = match self.tree.kind(property)? {
                SyntaxKind::PropertyAssignment => self.tree.node(property)?.initializer(),
                SyntaxKind::ShorthandPropertyAssignment => Some(name),
                _ => None,
            };
            let found = value.map_or(Ok(None), |value| self.below(value, deeper))?;
            return Ok(Some(found.unwrap_or(here)));
        }
        Ok(None)
    }

    /// Returns `None` for a computed name.
    fn name(&self, name: NodeId) -> Result<Option<String>, Error> {
        if self.tree.kind(name)? != SyntaxKind::ComputedPropertyName {
            return self.tree.text(name).map(Some);
        }
        let Some(mut key) = self.tree.node(name)?.expression() else { return Ok(None) };
        if self.tree.kind(key)? == SyntaxKind::Identifier {
            let Some(constant) = self.module.value(&self.tree.text(key)?) else { return Ok(None) };
            key = constant;
        }
        if is_literal(self.tree.kind(key)?) { self.tree.text(key).map(Some) } else { Ok(None) }
    }

    fn in_list(&self, list: NodeId, rest: Rest<'_>) -> SearchResult {
        let (Some((PathKey::Index(index), deeper)), Some(stepped)) = (rest.next(), rest.step()) else {
            return Ok(None);
        };
        let mut before = 0;
        for element in self.tree.children(list)? {
            let left = index - before;
            if self.tree.kind(element)? != SyntaxKind::SpreadElement {
                if left == 0 {
                    let here = Hit { range: Range::of(self.tree, element)?, depth: deeper.depth };
                    return Ok(Some(self.below(element, deeper)?.unwrap_or(here)));
                }
                before += 1;
                continue;
            }
            let Some(spread) = self.tree.node(element)?.expression() else { return Ok(None) };
            // After a list of unknown length the indexes of elements are unknown.
            let Some(length) = self.length(spread, stepped.steps)? else { return Ok(None) };
            if left < length {
                let key = [&[PathKey::Index(left)][..], deeper.path].concat();
                return self.below(spread, Rest { path: &key, ..stepped });
            }
            before += length;
        }
        Ok(None)
    }

    /// The length of an array literal, with the arrays that are spread into it.
    fn length(&self, list: NodeId, steps: usize) -> Result<Option<usize>, Error> {
        let (Some(steps), Some(left)) = (steps.checked_sub(1), self.left.get().checked_sub(1)) else { return Ok(None) };
        self.left.set(left);
        match self.tree.kind(list)? {
            SyntaxKind::Identifier => {
                let value = self.module.value(&self.tree.text(list)?);
                value.map_or(Ok(None), |value| self.length(value, steps))
            }
            SyntaxKind::ArrayLiteralExpression => {
                let mut length = 0;
                for element in self.tree.children(list)? {
                    let spread = match self.tree.kind(element)? {
                        SyntaxKind::SpreadElement => self.tree.node(element)?.expression(),
                        _ => {
                            length += 1;
                            continue;
                        }
                    };
                    let Some(more) = spread.map_or(Ok(None), |spread| self.length(spread, steps))? else {
                        return Ok(None);
                    };
                    length += more;
                }
                Ok(Some(length))
            }
            SyntaxKind::AsExpression | SyntaxKind::SatisfiesExpression | SyntaxKind::ParenthesizedExpression => {
                let inner = self.tree.node(list)?.expression();
                inner.map_or(Ok(None), |inner| self.length(inner, steps))
            }
            _ => Ok(None),
        }
    }

    /// `defineConfig({…})`, `Object.assign({}, base, {…})`, and functions of the module without arguments.
    fn in_call(&self, call: NodeId, rest: Rest<'_>) -> SearchResult {
        let read = self.tree.node(call)?;
        let arguments = self.tree.list(read.argument_list())?;
        let Some(callee) = read.expression() else { return Ok(None) };
        let method = match self.tree.kind(callee)? {
            SyntaxKind::PropertyAccessExpression => match self.tree.children(callee)?.last() {
                Some(name) => self.tree.text(*name)?,
                None => String::new(),
            },
            _ => String::new(),
        };
        match arguments[..] {
            _ if OF_LISTS.contains(&method.as_str()) => Ok(None),
            [] => self.in_function(callee, rest),
            [only] => self.below(only, rest),
            _ if method == "assign" => {
                let last_first: Vec<NodeId> = arguments.into_iter().rev().collect();
                self.deepest(&last_first, rest)
            }
            _ => Ok(None),
        }
    }

    fn in_function(&self, callee: NodeId, rest: Rest<'_>) -> SearchResult {
        use SyntaxKind as K;
        let function = match self.tree.kind(callee)? {
            K::Identifier => self.module.value(&self.tree.text(callee)?),
            K::ParenthesizedExpression => self.tree.node(callee)?.expression(),
            _ => None,
        };
        let Some(function) = function else { return Ok(None) };
        let kind = self.tree.kind(function)?;
        let Some(body) = self.tree.node(function)?.body() else { return Ok(None) };
        if !matches!(kind, K::FunctionDeclaration | K::FunctionExpression | K::ArrowFunction) {
            return Ok(None);
        }
        if self.tree.kind(body)? != K::Block {
            return self.below(body, rest);
        }
        let mut results = Vec::new();
        self.tree.walk(body, |node, kind| {
            if kind == K::ReturnStatement {
                results.extend(self.tree.node(node)?.expression());
            }
            Ok(!matches!(
                kind,
                K::FunctionDeclaration | K::FunctionExpression | K::ArrowFunction | K::MethodDeclaration
            ))
        })?;
        self.deepest(&results, rest)
    }

    /// `shared.options`: its own key comes before those of the path.
    fn in_property(&self, access: NodeId, rest: Rest<'_>) -> SearchResult {
        let children = self.tree.children(access)?;
        let (Some(object), Some(name)) = (children.first(), children.last()) else { return Ok(None) };
        let is_name = self.tree.kind(*name)? == SyntaxKind::Identifier;
        let is_dotted = self.tree.kind(access)? == SyntaxKind::PropertyAccessExpression;
        if !(is_dotted && is_name || is_literal(self.tree.kind(*name)?)) {
            return Ok(None);
        }
        let text = self.tree.text(*name)?;
        let key = match text.parse() {
            Ok(index) => PathKey::Index(index),
            Err(_) => PathKey::Name(text),
        };
        let path = [&[key][..], rest.path].concat();
        let found = self.below(*object, Rest { path: &path, ..rest })?;
        // Without a key below the object, the hit locates nothing.
        Ok(found.filter(|hit| hit.depth > rest.depth + 1).map(|hit| Hit { depth: hit.depth - 1, ..hit }))
    }
}

fn is_key(key: &PathKey, name: &str) -> bool {
    match key {
        PathKey::Name(known) => known == name,
        PathKey::Index(index) => name.parse() == Ok(*index),
    }
}
