//! Where an import stands: QuickJS gives no position for an import that fails, so the importer's text is parsed again.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::modules::Modules;
use crate::code::{Language, Tree};
use crate::diagnostic::Location;

/// Where the module `base` writes `specifier` as the source of an import or export.
pub(super) fn of_specifier(modules: &Modules, base: &str, specifier: &str) -> Option<Location> {
    let text = modules.text_of(base)?;
    let sites = sites(base, &text).unwrap_or_default();
    let parsed = sites.iter().find(|site| site.specifier == specifier).map(|site| site.at);
    let quoted = || ['\'', '"', '`'].iter().filter_map(|quote| text.find(&format!("{quote}{specifier}{quote}"))).min();
    parsed.or_else(quoted).map(|at| locate(base, &text, at))
}

/// Where the module `base` imports (or exports again) `name` from `specifier`.
pub(super) fn of_name(modules: &Modules, base: &str, specifier: &str, name: &str) -> Option<Location> {
    let text = modules.text_of(base)?;
    let sites = sites(base, &text)?;
    let mut names = sites.iter().filter(|site| site.specifier == specifier).flat_map(|site| &site.names);
    names.find(|(imported, _)| imported == name).map(|(_, at)| locate(base, &text, *at))
}

/// The names that `text` exports; `None` when it cannot be parsed.
pub(super) fn exported_names(module: &str, text: &str) -> Option<Vec<String>> {
    let tree = parse(module, text)?;
    let mut names = Vec::new();
    for statement in tree.statements().ok()? {
        collect_exports(&tree, statement, &mut names).ok()?;
    }
    Some(names)
}

/// Whether `text` exports `name` as a type, which is nothing that could be imported when it runs.
pub(super) fn exports_type(module: &str, text: &str, name: &str) -> bool {
    parse(module, text).is_some_and(|tree| find_type(&tree, name).unwrap_or(false))
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

/// Whether `text` has import or export statements; text that is no module at all has none.
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
    parse("", text).is_some_and(|tree| is_module(&tree).unwrap_or(false))
}

/// One import: its specifier, where that stands, and where each imported name stands (byte offsets).
struct Site {
    specifier: String,
    at: usize,
    names: Vec<(String, usize)>,
}

fn parse(module: &str, text: &str) -> Option<Tree> {
    let language = if super::source::is_typescript(module) { Language::TypeScript } else { Language::JavaScript };
    Tree::parse(text, language).ok()
}

fn sites(module: &str, text: &str) -> Option<Vec<Site>> {
    let tree = parse(module, text)?;
    let mut sites = Vec::new();
    let add = |node, kind| {
        sites.extend(site(&tree, node, kind)?);
        Ok(true)
    };
    tree.walk(tree.root(), add).ok()?;
    Some(sites)
}

fn site(tree: &Tree, node: NodeId, kind: SyntaxKind) -> Result<Option<Site>, Error> {
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
    Ok(Some(Site { specifier: tree.text(source)?, at: tree.start(source)?, names }))
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
        let names_something = match kind {
            SyntaxKind::ExportSpecifier | SyntaxKind::NamespaceExport => !read.is_type_only(),
            SyntaxKind::VariableDeclaration | SyntaxKind::BindingElement => true,
            SyntaxKind::ClassDeclaration
            | SyntaxKind::FunctionDeclaration
            | SyntaxKind::EnumDeclaration
            | SyntaxKind::ModuleDeclaration => part == statement,
            _ => false,
        };
        if names_something
            && let Some(name) = read.name()
            && tree.kind(name)? == SyntaxKind::Identifier
        {
            names.push(tree.text(name)?);
        }
        // Initializers and bodies bind names of their own.
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

/// The position of byte `at` of `text`; the column in bytes, as everywhere before the diagnostic.
pub(super) fn locate(path: &str, text: &str, at: usize) -> Location {
    let at = at.min(text.len());
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX);
    let column = u32::try_from(at - line_start + 1).unwrap_or(u32::MAX);
    Location { path: path.to_owned(), line, column }
}
