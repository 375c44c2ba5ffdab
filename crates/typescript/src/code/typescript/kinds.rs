//! Classifies nodes: types, and declarations that exist for types alone.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::tree::Tree;

pub(super) fn is_type(kind: SyntaxKind) -> bool {
    // For `extends`, an expression with type arguments is among the type nodes, but contains an expression.
    let types = SyntaxKind::FirstTypeNode as u16..=SyntaxKind::LastTypeNode as u16;
    (types.contains(&(kind as u16)) && kind != SyntaxKind::ExpressionWithTypeArguments)
        || kind == SyntaxKind::TypeParameter
}

pub(super) fn is_function(kind: SyntaxKind) -> bool {
    use SyntaxKind as K;
    matches!(
        kind,
        K::FunctionDeclaration
            | K::FunctionExpression
            | K::MethodDeclaration
            | K::GetAccessor
            | K::SetAccessor
            | K::Constructor
    )
}

pub(super) fn is_type_modifier(kind: SyntaxKind) -> bool {
    use SyntaxKind as K;
    matches!(
        kind,
        K::PublicKeyword
            | K::PrivateKeyword
            | K::ProtectedKeyword
            | K::ReadonlyKeyword
            | K::OverrideKeyword
            | K::AbstractKeyword
            | K::DeclareKeyword
    )
}

/// `export = x`.
pub(super) fn is_export_equals(tree: &Tree, node: NodeId) -> Result<bool, Error> {
    Ok(tree.node(node)?.data().as_export_assignment().is_some_and(|data| data.is_export_equals()))
}

/// `import x = require('y')` without `type`.
pub(super) fn is_require(tree: &Tree, node: NodeId) -> Result<bool, Error> {
    let read = tree.node(node)?;
    let reference = read.data().as_import_equals_declaration().and_then(|data| data.module_reference());
    let reference = reference.map(|reference| tree.kind(reference)).transpose()?;
    Ok(reference == Some(SyntaxKind::ExternalModuleReference) && !read.is_type_only())
}

/// Whether a statement or member exists for the type checker alone.
pub(super) fn is_only_types(tree: &Tree, node: NodeId) -> Result<bool, Error> {
    use SyntaxKind as K;
    let read = tree.node(node)?;
    let kind = tree.kind(node)?;
    Ok(match kind {
        K::InterfaceDeclaration | K::TypeAliasDeclaration | K::IndexSignature | K::NamespaceExportDeclaration => true,
        K::ImportDeclaration => {
            let clause = read.import_clause();
            clause.map(|clause| Ok(tree.node(clause)?.is_type_only())).transpose()?.unwrap_or(false)
        }
        K::ExportDeclaration | K::ImportEqualsDeclaration => read.is_type_only(),
        K::VariableStatement | K::ClassDeclaration | K::EnumDeclaration => {
            tree.has_modifier(node, K::DeclareKeyword)?
        }
        K::PropertyDeclaration => {
            tree.has_modifier(node, K::DeclareKeyword)? || tree.has_modifier(node, K::AbstractKeyword)?
        }
        // Overloads, and declarations with `declare` or `abstract`.
        K::FunctionDeclaration | K::MethodDeclaration | K::Constructor | K::GetAccessor | K::SetAccessor => {
            read.body().is_none()
        }
        K::ModuleDeclaration => tree.has_modifier(node, K::DeclareKeyword)? || is_only_types_namespace(tree, node)?,
        _ => false,
    })
}

fn is_only_types_namespace(tree: &Tree, node: NodeId) -> Result<bool, Error> {
    use SyntaxKind as K;
    let mut pending = vec![node];
    while let Some(namespace) = pending.pop() {
        let Some(body) = tree.node(namespace)?.body() else { continue };
        let statements = if tree.kind(body)? == K::ModuleBlock { tree.children(body)? } else { vec![body] };
        for statement in statements {
            match tree.kind(statement)? {
                K::ModuleDeclaration => {
                    if !tree.has_modifier(statement, K::DeclareKeyword)? {
                        pending.push(statement);
                    }
                }
                K::ImportDeclaration => {}
                _ if is_only_types(tree, statement)? => {}
                _ => return Ok(false),
            }
        }
    }
    Ok(true)
}
