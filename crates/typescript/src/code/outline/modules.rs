//! The imports and exports of a module.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use crate::code::Tree;
use lmthing_base::parser::{ImportSpecifier, Language};

/// The names that `text` exports; `None` if it cannot be parsed.
pub(super) fn exported_names(text: &str, language: Language) -> Option<Vec<String>> {
    let tree = parse(text, language)?;
    let mut names = Vec::new();
    for statement in tree.statements().ok()? {
        collect_exports(&tree, statement, &mut names).ok()?;
    }
    Some(names)
}

/// Whether `text` exports `name` as a type, which cannot be imported at run time.
pub(super) fn exports_type(text: &str, language: Language, name: &str) -> bool {
    parse(text, language).is_some_and(|tree| find_type(&tree, name).unwrap_or(false))
}

fn find_type(tree: &Tree, name: &str) -> Result<bool, Error> {
    let is_named = |node: NodeId| -> Result<bool, Error> {
        Ok(tree.node(node)?.name().map(|found| tree.text(found)).transpose()?.is_some_and(|found| found == name))
    };
    for statement in tree.statements()? {
        let read = tree.node(statement)?;
        match tree.kind(statement)? {
            SyntaxKind::InterfaceDeclaration | SyntaxKind::TypeAliasDeclaration if is_named(statement)? => {
                return Ok(true);
            }
            SyntaxKind::ExportDeclaration => {
                let mut found = false;
                tree.walk(statement, |part, kind| {
                    let is_type =
                        || -> Result<bool, Error> { Ok(read.is_type_only() || tree.node(part)?.is_type_only()) };
                    found |= kind == SyntaxKind::ExportSpecifier && is_named(part)? && is_type()?;
                    Ok(true)
                })?;
                if found {
                    return Ok(true);
                }
            }
            _ => {}
        }
    }
    Ok(false)
}

/// Whether `text` has import or export statements.
pub(super) fn is_module(text: &str) -> bool {
    let is_module = |tree: &Tree| -> Result<bool, Error> {
        for statement in tree.statements()? {
            let by_kind = matches!(
                tree.kind(statement)?,
                SyntaxKind::ImportDeclaration | SyntaxKind::ExportDeclaration | SyntaxKind::ExportAssignment
            );
            if by_kind || tree.has_modifier(statement, SyntaxKind::ExportKeyword)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    parse(text, Language::JavaScript).is_some_and(|tree| is_module(&tree).unwrap_or(false))
}

fn parse(text: &str, language: Language) -> Option<Tree> {
    Tree::parse(text, language).ok()
}

pub(super) fn imports(text: &str, language: Language) -> Option<Vec<ImportSpecifier>> {
    let tree = parse(text, language)?;
    let mut sites = Vec::new();
    let add = |node, kind| {
        sites.extend(site(&tree, node, kind)?);
        Ok(true)
    };
    tree.walk(tree.root(), add).ok()?;
    Some(sites)
}

fn site(tree: &Tree, node: NodeId, kind: SyntaxKind) -> Result<Option<ImportSpecifier>, Error> {
    let source = match kind {
        SyntaxKind::ImportDeclaration | SyntaxKind::ExportDeclaration => tree.node(node)?.module_specifier(),
        SyntaxKind::CallExpression => match tree.children(node)?[..] {
            [callee, source, ..] if tree.kind(callee)? == SyntaxKind::ImportKeyword => Some(source),
            _ => None,
        },
        _ => None,
    };
    let Some(source) = source else { return Ok(None) };
    if tree.kind(source)? != SyntaxKind::StringLiteral {
        return Ok(None);
    }
    let mut names = Vec::new();
    if kind != SyntaxKind::CallExpression {
        tree.walk(node, |part, kind| {
            match kind {
                SyntaxKind::ImportSpecifier | SyntaxKind::ExportSpecifier => {
                    let read = tree.node(part)?;
                    if let Some(name) = read.property_name_or_name() {
                        names.push((tree.text(name)?, tree.start(part)?));
                    }
                }
                SyntaxKind::ImportClause => {
                    if let Some(name) = tree.node(part)?.name() {
                        names.push(("default".to_owned(), tree.start(name)?));
                    }
                }
                _ => {}
            }
            Ok(true)
        })?;
    }
    Ok(Some(ImportSpecifier { specifier: tree.text(source)?, offset: tree.start(source)?, names }))
}

fn collect_exports(tree: &Tree, statement: NodeId, names: &mut Vec<String>) -> Result<(), Error> {
    let kind = tree.kind(statement)?;
    let is_default =
        kind == SyntaxKind::ExportAssignment || tree.has_modifier(statement, SyntaxKind::DefaultKeyword)?;
    if is_default {
        names.push("default".to_owned());
        return Ok(());
    }
    let is_list = kind == SyntaxKind::ExportDeclaration;
    if !is_list && !tree.has_modifier(statement, SyntaxKind::ExportKeyword)? {
        return Ok(());
    }
    tree.walk(statement, |part, kind| {
        let read = tree.node(part)?;
        let is_declaration = match kind {
            SyntaxKind::ExportSpecifier | SyntaxKind::NamespaceExport => !read.is_type_only(),
            SyntaxKind::VariableDeclaration | SyntaxKind::BindingElement => true,
            SyntaxKind::ClassDeclaration
            | SyntaxKind::FunctionDeclaration
            | SyntaxKind::EnumDeclaration
            | SyntaxKind::ModuleDeclaration => part == statement,
            _ => false,
        };
        if is_declaration
            && let Some(name) = read.name()
            && tree.kind(name)? == SyntaxKind::Identifier
        {
            names.push(tree.text(name)?);
        }
        // Initializers and bodies declare names of their own.
        Ok(matches!(
            kind,
            SyntaxKind::VariableStatement
                | SyntaxKind::VariableDeclarationList
                | SyntaxKind::VariableDeclaration
                | SyntaxKind::ObjectBindingPattern
                | SyntaxKind::ArrayBindingPattern
                | SyntaxKind::BindingElement
                | SyntaxKind::ExportDeclaration
                | SyntaxKind::NamedExports
        ))
    })
}
