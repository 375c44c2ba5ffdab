//! The exports of a module and the values of its top-level names.

use std::collections::HashMap;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use lmthing_typescript::code::Tree;

#[derive(Default)]
pub(crate) struct Module {
    exports: Vec<Export>,
    locals: HashMap<String, Local>,
    /// `name.key = value` statements, in source order.
    pub assignments: Vec<Assignment>,
    pub star: Option<Range>,
    pub star_modules: Vec<String>,
    /// Whether anything is exported from another module.
    pub is_open: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Local {
    /// A `VariableDeclaration`, `FunctionDeclaration` or `ClassDeclaration`.
    pub node: NodeId,
    pub statement: NodeId,
    /// The initializer of a variable; the node itself for a function or class.
    value: Option<NodeId>,
}

pub(crate) struct Export {
    name: String,
    pub range: Range,
    /// Its name inside the module, if it has one.
    pub local: Option<String>,
    pub value: Option<NodeId>,
    pub statement: NodeId,
}

pub(crate) struct Assignment {
    /// The name of the object, then the keys.
    pub target: Vec<String>,
    pub left: NodeId,
    pub right: NodeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub start: usize,
    pub end: usize,
}

impl Range {
    pub(crate) fn of(tree: &Tree, node: NodeId) -> Result<Self, Error> {
        Ok(Range { start: tree.start(node)?, end: tree.end(node)? })
    }
}

impl Module {
    pub(crate) fn of(tree: &Tree) -> Result<Self, Error> {
        let mut module = Module::default();
        for statement in tree.statements()? {
            module.statement(tree, statement)?;
        }
        Ok(module)
    }

    pub(crate) fn export(&self, name: &str) -> Option<&Export> {
        self.exports.iter().find(|export| export.name == name)
    }

    pub(crate) fn export_names(&self) -> Vec<&str> {
        self.exports.iter().map(|export| export.name.as_str()).collect()
    }

    pub(crate) fn value(&self, name: &str) -> Option<NodeId> {
        self.locals.get(name)?.value
    }

    pub(crate) fn local(&self, name: &str) -> Option<Local> {
        self.locals.get(name).copied()
    }

    pub(crate) fn locals(&self) -> impl Iterator<Item = (&str, Local)> {
        self.locals.iter().map(|(name, local)| (name.as_str(), *local))
    }

    fn statement(&mut self, tree: &Tree, statement: NodeId) -> Result<(), Error> {
        match tree.kind(statement)? {
            SyntaxKind::VariableStatement => self.variables(tree, statement),
            SyntaxKind::FunctionDeclaration | SyntaxKind::ClassDeclaration => self.declaration(tree, statement),
            SyntaxKind::ExportDeclaration => self.export_list(tree, statement),
            SyntaxKind::ExportAssignment => {
                let value = tree.node(statement)?.expression();
                self.export_default(tree, statement, value)
            }
            SyntaxKind::ExpressionStatement => self.assignment(tree, statement),
            _ => Ok(()),
        }
    }

    fn variables(&mut self, tree: &Tree, statement: NodeId) -> Result<(), Error> {
        let is_export = tree.has_modifier(statement, SyntaxKind::ExportKeyword)?;
        for list in tree.children(statement)? {
            if tree.kind(list)? != SyntaxKind::VariableDeclarationList {
                continue;
            }
            for declaration in tree.children(list)? {
                let read = tree.node(declaration)?;
                let Some(name) = read.name() else { continue };
                let value = read.initializer();
                if tree.kind(name)? == SyntaxKind::Identifier {
                    let text = tree.text(name)?;
                    self.locals.insert(text.clone(), Local { node: declaration, statement, value });
                    self.add(is_export, tree, text, (name, statement))?;
                } else if is_export {
                    self.pattern(tree, name, statement)?;
                }
            }
        }
        Ok(())
    }

    /// `export const { config, mock } = …`.
    fn pattern(&mut self, tree: &Tree, pattern: NodeId, statement: NodeId) -> Result<(), Error> {
        for element in tree.children(pattern)? {
            let Some(name) = tree.node(element)?.name() else { continue };
            if tree.kind(name)? == SyntaxKind::Identifier {
                self.add(true, tree, tree.text(name)?, (name, statement))?;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        is_export: bool,
        tree: &Tree,
        text: String,
        (name, statement): (NodeId, NodeId),
    ) -> Result<(), Error> {
        if is_export {
            let range = Range::of(tree, name)?;
            self.exports.push(Export { name: text.clone(), range, local: Some(text), value: None, statement });
        }
        Ok(())
    }

    fn declaration(&mut self, tree: &Tree, statement: NodeId) -> Result<(), Error> {
        let name = tree.node(statement)?.name();
        let text = name.map(|name| tree.text(name)).transpose()?;
        let local = Local { node: statement, statement, value: Some(statement) };
        self.locals.extend(text.clone().map(|text| (text, local)));
        if tree.has_modifier(statement, SyntaxKind::DefaultKeyword)? {
            return self.export_default(tree, statement, Some(statement));
        }
        let is_export = tree.has_modifier(statement, SyntaxKind::ExportKeyword)?;
        match (name, text) {
            (Some(name), Some(text)) => self.add(is_export, tree, text, (name, statement)),
            _ => Ok(()),
        }
    }

    fn export_default(&mut self, tree: &Tree, statement: NodeId, value: Option<NodeId>) -> Result<(), Error> {
        let start = tree.start(statement)?;
        // Only the two keywords, since a function may be as long as the file.
        let default = tree.token_from(start + "export".len());
        let range = Range { start, end: default + "default".len() };
        self.exports.push(Export { name: "default".to_owned(), range, local: None, value, statement });
        Ok(())
    }

    /// `export { a, b as c }`, `export { a } from './b.mjs'`, `export *`.
    fn export_list(&mut self, tree: &Tree, statement: NodeId) -> Result<(), Error> {
        let read = tree.node(statement)?;
        let module = read.module_specifier();
        let is_reexport = module.is_some();
        self.is_open |= is_reexport;
        let children = tree.children(statement)?;
        let mut is_star = true;
        for list in children {
            match tree.kind(list)? {
                SyntaxKind::NamedExports => {
                    is_star = false;
                    for specifier in tree.children(list)? {
                        let read = tree.node(specifier)?;
                        let Some(name) = read.name() else { continue };
                        let local = read.property_name_or_name().map(|name| tree.text(name)).transpose()?;
                        let local = local.filter(|_| !is_reexport);
                        let range = Range::of(tree, name)?;
                        self.exports.push(Export { name: tree.text(name)?, range, local, value: None, statement });
                    }
                }
                SyntaxKind::NamespaceExport => is_star = false,
                _ => {}
            }
        }
        if let (true, Some(module)) = (is_star, module) {
            self.star = self.star.map_or_else(|| Range::of(tree, statement), Ok).map(Some)?;
            self.star_modules.push(tree.text(module)?);
        }
        Ok(())
    }

    fn assignment(&mut self, tree: &Tree, statement: NodeId) -> Result<(), Error> {
        let Some(expression) = tree.node(statement)?.expression() else { return Ok(()) };
        if tree.kind(expression)? != SyntaxKind::BinaryExpression {
            return Ok(());
        }
        let [left, operator, right] = tree.children(expression)?[..] else { return Ok(()) };
        if tree.kind(operator)? == SyntaxKind::EqualsToken
            && let Some(target) = names_of(tree, left)?
        {
            self.assignments.push(Assignment { target, left, right });
        }
        Ok(())
    }
}

/// The names of `a.b['c']`.
fn names_of(tree: &Tree, expression: NodeId) -> Result<Option<Vec<String>>, Error> {
    let (mut names, mut part) = (Vec::new(), expression);
    loop {
        let children = tree.children(part)?;
        match (tree.kind(part)?, children.first(), children.last()) {
            (SyntaxKind::Identifier, ..) => {
                names.push(tree.text(part)?);
                names.reverse();
                return Ok(Some(names));
            }
            (SyntaxKind::PropertyAccessExpression, Some(object), Some(name)) => {
                names.push(tree.text(*name)?);
                part = *object;
            }
            (SyntaxKind::ElementAccessExpression, Some(object), Some(key)) if is_literal(tree.kind(*key)?) => {
                names.push(tree.text(*key)?);
                part = *object;
            }
            _ => return Ok(None),
        }
    }
}

pub(crate) fn is_literal(kind: SyntaxKind) -> bool {
    matches!(kind, SyntaxKind::StringLiteral | SyntaxKind::NumericLiteral | SyntaxKind::NoSubstitutionTemplateLiteral)
}
