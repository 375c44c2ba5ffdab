//! What a module exports, and what the names on its top level stand for. Must not know what is looked for.

mod range;

use std::collections::HashMap;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

pub(in crate::check) use range::Range;

use crate::code::Tree;

/// The top level of a module.
#[derive(Default)]
pub(in crate::check) struct Module {
    exports: Vec<Export>,
    /// Variables, functions and classes by their names.
    locals: HashMap<String, Local>,
    /// `name.key = value`, in the order of the text.
    pub(in crate::check) assignments: Vec<Assignment>,
    /// The first `export *`.
    pub(in crate::check) star: Option<Range>,
    /// The modules of which everything is exported, as they are written.
    pub(in crate::check) star_modules: Vec<String>,
    /// Whether anything is exported that comes from another module.
    pub(in crate::check) is_open: bool,
}

/// A name of the module and where it gets its value.
#[derive(Clone, Copy)]
pub(in crate::check) struct Local {
    /// A `VariableDeclaration`, `FunctionDeclaration` or `ClassDeclaration`.
    pub(in crate::check) node: NodeId,
    /// The statement it is in.
    pub(in crate::check) statement: NodeId,
    /// What a variable is set to; a function or class itself.
    value: Option<NodeId>,
}

/// One export.
pub(in crate::check) struct Export {
    name: String,
    /// Its name.
    pub(in crate::check) range: Range,
    /// The name it has in the module, when it has one.
    pub(in crate::check) local: Option<String>,
    /// What it is, when that stands at the export itself.
    pub(in crate::check) value: Option<NodeId>,
    /// The statement that exports it.
    pub(in crate::check) statement: NodeId,
}

/// A property that is set by a statement of its own.
pub(in crate::check) struct Assignment {
    /// The name of the object, then keys.
    pub(in crate::check) target: Vec<String>,
    /// What is assigned to.
    pub(in crate::check) left: NodeId,
    /// What is assigned.
    pub(in crate::check) right: NodeId,
}

impl Module {
    /// Reads the top level.
    pub(in crate::check) fn of(tree: &Tree) -> Result<Self, Error> {
        let mut module = Module::default();
        for statement in tree.statements()? {
            module.statement(tree, statement)?;
        }
        Ok(module)
    }

    /// The export called `name`.
    pub(in crate::check) fn export(&self, name: &str) -> Option<&Export> {
        self.exports.iter().find(|export| export.name == name)
    }

    /// The names of all exports.
    pub(in crate::check) fn export_names(&self) -> Vec<&str> {
        self.exports.iter().map(|export| export.name.as_str()).collect()
    }

    /// What a name of the top level stands for: the value it was set to, or a function.
    pub(in crate::check) fn value(&self, name: &str) -> Option<NodeId> {
        self.locals.get(name)?.value
    }

    /// A name of the top level.
    pub(in crate::check) fn local(&self, name: &str) -> Option<Local> {
        self.locals.get(name).copied()
    }

    /// All names of the top level.
    pub(in crate::check) fn locals(&self) -> impl Iterator<Item = (&str, Local)> {
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
        // The two words alone: a function may be as long as the file.
        let default = tree.token_from(start + "export".len());
        let range = Range { start, end: default + "default".len() };
        self.exports.push(Export { name: "default".to_owned(), range, local: None, value, statement });
        Ok(())
    }

    /// `export { a, b as c }`, `export { a } from './b.mjs'`, `export *`.
    fn export_list(&mut self, tree: &Tree, statement: NodeId) -> Result<(), Error> {
        let read = tree.node(statement)?;
        let module = read.module_specifier();
        let is_from_elsewhere = module.is_some();
        self.is_open |= is_from_elsewhere;
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
                        let local = local.filter(|_| !is_from_elsewhere);
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

/// Whether a key in brackets says what it is.
pub(in crate::check) fn is_literal(kind: SyntaxKind) -> bool {
    matches!(kind, SyntaxKind::StringLiteral | SyntaxKind::NumericLiteral | SyntaxKind::NoSubstitutionTemplateLiteral)
}
