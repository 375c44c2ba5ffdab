//! Which nodes are types, and which exist for types alone.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::tree::Tree;

/// What stands where only types stand.
pub(super) fn is_type(kind: SyntaxKind) -> bool {
    // An expression with type arguments is among the type nodes, for `extends`, but holds an expression.
    let types = SyntaxKind::FirstTypeNode as u16..=SyntaxKind::LastTypeNode as u16;
    (types.contains(&(kind as u16)) && kind != SyntaxKind::ExpressionWithTypeArguments)
        || kind == SyntaxKind::TypeParameter
}

/// What has parameters, but for arrows.
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

/// A modifier that is no JavaScript.
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

/// `import x = require('y')`, but not with `type`.
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
        // Overloads, and what is `declare` or `abstract`.
        K::FunctionDeclaration | K::MethodDeclaration | K::Constructor | K::GetAccessor | K::SetAccessor => {
            read.body().is_none()
        }
        K::ModuleDeclaration => tree.has_modifier(node, K::DeclareKeyword)? || is_only_types_namespace(tree, node)?,
        _ => false,
    })
}

/// A namespace is no value when nothing in it is one.
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
