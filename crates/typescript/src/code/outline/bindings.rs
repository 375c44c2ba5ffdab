//! What the names of a text are bound to, as far as its syntax shows.

use std::collections::HashMap;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use crate::code::Tree;
use lmthing_base::parser::Binding;

/// The names that `tree` binds, without distinguishing scopes.
pub(super) fn bindings(tree: &Tree) -> Result<HashMap<String, Binding>, Error> {
    let mut found = HashMap::new();
    let mut specifier = String::new();
    tree.walk(tree.root(), |node, kind| {
        let read = tree.node(node)?;
        let binding = match kind {
            SyntaxKind::ImportDeclaration => {
                specifier = read.module_specifier().map(|name| tree.text(name)).transpose()?.unwrap_or_default();
                return Ok(true);
            }
            SyntaxKind::ImportSpecifier => {
                let imported = read.property_name_or_name().map(|name| tree.text(name)).transpose()?;
                Binding::Import { specifier: specifier.clone(), imported: imported.unwrap_or_default() }
            }
            SyntaxKind::ImportClause => {
                Binding::Import { specifier: specifier.clone(), imported: "default".to_owned() }
            }
            SyntaxKind::NamespaceImport => Binding::Import { specifier: specifier.clone(), imported: String::new() },
            SyntaxKind::FunctionDeclaration => Binding::Function,
            SyntaxKind::ClassDeclaration => Binding::Other,
            SyntaxKind::VariableDeclaration => variable(tree, node)?,
            SyntaxKind::Parameter => {
                parameter(tree, node, &mut found)?;
                Binding::Parameter
            }
            SyntaxKind::BindingElement => Binding::Other,
            _ => return Ok(true),
        };
        if let Some(name) = read.name().filter(|name| matches!(tree.kind(*name), Ok(SyntaxKind::Identifier))) {
            bind(&mut found, tree.text(name)?, binding);
        }
        // The elements of a parameter have been added with it.
        Ok(kind != SyntaxKind::Parameter)
    })?;
    Ok(found)
}

fn bind(found: &mut HashMap<String, Binding>, name: String, binding: Binding) {
    let known = found.entry(name).or_insert_with(|| binding.clone());
    if *known != binding {
        *known = Binding::Other;
    }
}

fn variable(tree: &Tree, node: NodeId) -> Result<Binding, Error> {
    let initializer = tree.node(node)?.initializer().map(|value| tree.kind(value)).transpose()?;
    let is_function = matches!(initializer, Some(SyntaxKind::ArrowFunction | SyntaxKind::FunctionExpression));
    Ok(if is_function { Binding::Function } else { Binding::Other })
}

/// `({ def, $: say })`.
fn parameter(tree: &Tree, node: NodeId, found: &mut HashMap<String, Binding>) -> Result<(), Error> {
    let Some(pattern) = tree.node(node)?.name() else { return Ok(()) };
    if tree.kind(pattern)? != SyntaxKind::ObjectBindingPattern {
        return Ok(());
    }
    for element in tree.children(pattern)? {
        let read = tree.node(element)?;
        let (Some(property), Some(name)) = (read.property_name_or_name(), read.name()) else { continue };
        let is_rest = tree.bytes().get(tree.start(element)?..).is_some_and(|rest| rest.starts_with(b"..."));
        if tree.kind(name)? == SyntaxKind::Identifier && !is_rest {
            bind(found, tree.text(name)?, Binding::OfParameter { property: tree.text(property)? });
        }
    }
    Ok(())
}
