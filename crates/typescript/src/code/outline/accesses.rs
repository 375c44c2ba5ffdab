//! Finds the calls and property reads of a text, with the position that the engine reports when one of them fails.
//!
//! QuickJS records a position where a name is read and where a bracket opens, and reports for a call the last one
//! recorded before: in `a(b, c(d))` the failure of `a` is reported at `d`.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::marks::Marks;
use crate::code::Tree;
use lmthing_base::parser::{Access, AccessKind};

/// All accesses of a text, inner ones before those that contain them.
pub(super) fn accesses(tree: &Tree) -> Result<Vec<Access>, Error> {
    let mut reader = Reader { tree, marks: Marks::of(tree)?, events: Vec::new(), found: Vec::new() };
    reader.read()?;
    reader.events.sort_unstable();
    let Reader { mut found, events, .. } = reader;
    found.sort_by_key(|found| (found.end, std::cmp::Reverse(found.start)));
    let accesses = found.into_iter().filter_map(|found| {
        let range = (found.function, found.start)..(found.function, found.end);
        let last = events.partition_point(|event| (event.function, event.order) < range.end).checked_sub(1)?;
        let event = events.get(last).filter(|event| (event.function, event.order) >= range.start)?;
        Some(Access { reported: event.reported, ..found.access })
    });
    Ok(accesses.collect())
}

/// A position that the engine records.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    /// Positions are recorded for each function separately.
    function: usize,
    /// The offset at which it is recorded.
    order: usize,
    reported: usize,
}

struct ReadAccess {
    function: usize,
    /// The engine may report positions from here to `end`.
    start: usize,
    end: usize,
    access: Access,
}

struct Reader<'a> {
    tree: &'a Tree,
    marks: Marks,
    events: Vec<Event>,
    found: Vec<ReadAccess>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), Error> {
        // Iterative, as the depth of the tree depends on the text.
        let mut pending = vec![(self.tree.root(), 0)];
        let mut functions = 0;
        while let Some((node, outer)) = pending.pop() {
            let kind = self.tree.kind(node)?;
            if matches!(kind, SyntaxKind::ImportDeclaration | SyntaxKind::ExportDeclaration) {
                continue;
            }
            let mut function = outer;
            if has_separate_code(kind) {
                functions += 1;
                function = functions;
            }
            self.visit(node, kind, function)?;
            let names = self.names_of(node)?;
            let children = self.tree.children(node)?;
            pending.extend(children.into_iter().filter(|child| !names.contains(child)).map(|child| (child, function)));
        }
        Ok(())
    }

    /// The children of a node that are names of declarations or properties, which are not read.
    fn names_of(&self, node: NodeId) -> Result<Vec<NodeId>, Error> {
        let read = self.tree.node(node)?;
        let names = [read.name(), read.property_name_or_name()].into_iter().flatten();
        let is_name = |name: &NodeId| {
            let kind = self.tree.kind(*name);
            matches!(kind, Ok(SyntaxKind::Identifier | SyntaxKind::PrivateIdentifier))
        };
        Ok(names.filter(is_name).collect())
    }

    fn visit(&mut self, node: NodeId, kind: SyntaxKind, function: usize) -> Result<(), Error> {
        match kind {
            SyntaxKind::Identifier => {
                let start = self.tree.start(node)?;
                self.events.push(Event { function, order: start, reported: start });
            }
            SyntaxKind::CallExpression | SyntaxKind::TaggedTemplateExpression => self.call(node, kind, function)?,
            SyntaxKind::NewExpression => {
                let Some(callee) = self.tree.children(node)?.first().copied() else { return Ok(()) };
                let start = self.tree.start(callee)?;
                self.record(function, start, start);
                self.add(node, callee, AccessKind::Construct, function, start)?;
            }
            SyntaxKind::BinaryExpression => self.operator(node, function)?,
            SyntaxKind::PropertyAccessExpression => {
                let start = self.tree.start(node)?;
                self.add(node, node, AccessKind::Read, function, start)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn call(&mut self, node: NodeId, kind: SyntaxKind, function: usize) -> Result<(), Error> {
        let Some(callee) = self.tree.children(node)?.first().copied() else { return Ok(()) };
        let bytes = self.tree.bytes();
        let mut open = self.tree.token_from(self.tree.end(callee)?);
        if bytes.get(open..).is_some_and(|rest| rest.starts_with(b"?.")) {
            open = self.tree.token_from(open + 2);
        }
        // The token after the bracket has been read when the engine records the position.
        let next = if kind == SyntaxKind::CallExpression { self.tree.token_from(open + 1) } else { open };
        self.record(function, open, next);
        self.add(node, callee, AccessKind::Call, function, open)
    }

    /// Binary operators are recorded at the second operand, except those that may skip it, which are jumps.
    fn operator(&mut self, node: NodeId, function: usize) -> Result<(), Error> {
        let [_, operator, right] = self.tree.children(node)?[..] else { return Ok(()) };
        let text = self.tree.bytes().get(self.tree.start(operator)?..self.tree.end(operator)?).unwrap_or_default();
        let is_comparison = matches!(text, b"==" | b"===" | b"!=" | b"!==" | b"<=" | b">=");
        let is_recorded =
            is_comparison || !(text.ends_with(b"=") || matches!(text, b"&&" | b"||" | b"??" | b"," | b"**"));
        if is_recorded {
            self.record(function, self.tree.end(operator)?, self.tree.start(right)?);
        }
        Ok(())
    }

    fn record(&mut self, function: usize, order: usize, token: usize) {
        self.events.push(Event { function, order, reported: self.marks.at(token) });
    }

    fn add(
        &mut self,
        node: NodeId,
        callee: NodeId,
        kind: AccessKind,
        function: usize,
        start: usize,
    ) -> Result<(), Error> {
        // A property is looked up after everything before its name has been evaluated.
        let last = self.last_name(callee)?;
        let end = if kind == AccessKind::Read { last } else { Some(self.tree.end(node)?) };
        let (Some(end), names) = (end, self.names(callee)?) else { return Ok(()) };
        let range = self.tree.start(callee)?..self.tree.end(callee)?;
        let text = self.tree.bytes().get(range.clone()).unwrap_or_default();
        let expression = String::from_utf8_lossy(text).into_owned();
        let access = Access { kind, expression, names, offset: last.unwrap_or(range.start), reported: 0 };
        self.found.push(ReadAccess { function, start, end, access });
        Ok(())
    }

    /// The start of the last name of `a.b` or `a`.
    fn last_name(&self, callee: NodeId) -> Result<Option<usize>, Error> {
        Ok(match self.tree.kind(callee)? {
            SyntaxKind::PropertyAccessExpression => match self.tree.children(callee)?.last() {
                Some(name) => Some(self.tree.start(*name)?),
                None => None,
            },
            SyntaxKind::Identifier => Some(self.tree.start(callee)?),
            _ => None,
        })
    }

    fn names(&self, callee: NodeId) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        let mut part = callee;
        loop {
            match self.tree.kind(part)? {
                SyntaxKind::PropertyAccessExpression => {
                    let children = self.tree.children(part)?;
                    let (Some(object), Some(name)) = (children.first(), children.last()) else { break };
                    names.push(self.tree.text(*name)?);
                    part = *object;
                }
                SyntaxKind::Identifier => {
                    names.push(self.tree.text(part)?);
                    break;
                }
                _ => {
                    names.truncate(1);
                    names.push(String::new());
                    break;
                }
            }
        }
        names.reverse();
        Ok(names)
    }
}

/// Whether the engine compiles the node to separate code.
pub(super) fn has_separate_code(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::FunctionDeclaration
            | SyntaxKind::FunctionExpression
            | SyntaxKind::ArrowFunction
            | SyntaxKind::MethodDeclaration
            | SyntaxKind::Constructor
            | SyntaxKind::GetAccessor
            | SyntaxKind::SetAccessor
            | SyntaxKind::PropertyDeclaration
            | SyntaxKind::ClassStaticBlockDeclaration
    )
}
