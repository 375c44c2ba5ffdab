//! The names that lmthing's own declarations declare.

use std::collections::HashMap;
use std::sync::LazyLock;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind as K};

use crate::declarations;
use lmthing_base::parser::Language;
use lmthing_typescript::code::Tree;

static DECLARED: LazyLock<DeclaredNames> = LazyLock::new(DeclaredNames::read);

/// The names in `lmthing.d.ts`. Read lazily, as only hints need them.
#[derive(Default)]
struct DeclaredNames {
    members: HashMap<String, Vec<String>>,
    modules: Vec<(String, Vec<String>)>,
    literal_unions: Vec<String>,
}

impl DeclaredNames {
    fn read() -> Self {
        let text = declarations::read(&format!("{}/lmthing.d.ts", declarations::ROOT)).unwrap_or_default();
        let mut declared = DeclaredNames::default();
        // The declarations are part of the program; a test parses them.
        if let Ok(tree) = Tree::parse(text, Language::TypeScript) {
            let _ = declared.add_all(&tree);
        }
        declared
    }

    fn add_all(&mut self, tree: &Tree) -> Result<(), Error> {
        tree.walk(tree.root(), |node, kind| {
            let name = || tree.node(node)?.name().map(|name| tree.text(name)).transpose();
            match kind {
                K::ModuleDeclaration => self.modules.extend(name()?.map(|name| (name, Vec::new()))),
                K::InterfaceDeclaration => {
                    if let Some(name) = name()? {
                        self.members.insert(name, members(tree, node)?);
                    }
                }
                K::TypeAliasDeclaration => {
                    if let Some(name) = name()?.filter(|_| is_literal_union(tree, node).unwrap_or(false)) {
                        self.literal_unions.push(name);
                    }
                }
                K::FunctionDeclaration | K::VariableStatement => self.add_value(tree, node)?,
                _ => {}
            }
            Ok(matches!(kind, K::SourceFile | K::ModuleDeclaration | K::ModuleBlock))
        })
    }

    fn add_value(&mut self, tree: &Tree, statement: NodeId) -> Result<(), Error> {
        let Some((_, values)) = self.modules.last_mut() else { return Ok(()) };
        if !tree.has_modifier(statement, K::ExportKeyword)? {
            return Ok(());
        }
        tree.walk(statement, |node, kind| {
            if matches!(kind, K::FunctionDeclaration | K::VariableDeclaration)
                && let Some(name) = tree.node(node)?.name()
            {
                values.push(tree.text(name)?);
            }
            Ok(matches!(kind, K::VariableStatement | K::VariableDeclarationList))
        })
    }
}

fn members(tree: &Tree, interface: NodeId) -> Result<Vec<String>, Error> {
    let mut members: Vec<String> = Vec::new();
    for child in tree.children(interface)? {
        let is_member = matches!(tree.kind(child)?, K::PropertySignature | K::MethodSignature);
        let Some(name) = tree.node(child)?.name().filter(|_| is_member) else { continue };
        let text = tree.text(name)?;
        if matches!(tree.kind(name)?, K::Identifier | K::StringLiteral) && !members.contains(&text) {
            members.push(text);
        }
    }
    Ok(members)
}

fn is_literal_union(tree: &Tree, alias: NodeId) -> Result<bool, Error> {
    let Some(union) = tree.node(alias)?.type_node() else { return Ok(false) };
    let first = if tree.kind(union)? == K::UnionType { tree.children(union)?.first().copied() } else { Some(union) };
    let Some(first) = first.filter(|first| tree.kind(*first).is_ok_and(|kind| kind == K::LiteralType)) else {
        return Ok(false);
    };
    Ok(tree.bytes().get(tree.start(first)?).is_some_and(|byte| matches!(byte, b'\'' | b'"')))
}

pub(super) fn is_declared_literal_union(name: &str) -> bool {
    DECLARED.literal_unions.iter().any(|union| union == name)
}

pub(super) fn members_of(interface: &str) -> Vec<&'static str> {
    DECLARED.members.get(interface).into_iter().flatten().map(String::as_str).collect()
}

pub(super) fn prompt_methods() -> Vec<&'static str> {
    let mut methods = members_of("PromptMethods");
    methods.extend(["steps", "fullSteps"]);
    methods
}

pub(super) fn modules() -> impl Iterator<Item = &'static str> {
    DECLARED.modules.iter().map(|(name, _)| name.as_str())
}

pub(super) fn exports_of(module: &str) -> Vec<&'static str> {
    let found = DECLARED.modules.iter().filter(|(name, _)| name == module);
    found.flat_map(|(_, values)| values).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use lmthing_engine::bindings::NATIVE_MODULES;
    use lmthing_node::ImportTarget;

    #[test]
    fn names_are_read_from_the_declarations() {
        assert!(prompt_methods().contains(&"defTool") && prompt_methods().contains(&"$"));
        assert!(members_of("Config").contains(&"model") && members_of("CallSettings").contains(&"temperature"));
        for interface in ["PromptSettings", "SandboxConfig", "Limits"] {
            assert!(members_of(interface).len() > 2, "{interface}");
        }
        assert!(exports_of("lmthing").contains(&"runPrompt") && !exports_of("lmthing").contains(&"createMockModel"));
        assert!(exports_of("lmthing/test").contains(&"createMockModel"));
        assert!(exports_of("lmthing/plugins").contains(&"func"));
        assert!(is_declared_literal_union("TaskNodeStatus") && !is_declared_literal_union("Config"));
    }

    #[test]
    fn declared_and_importable_modules_are_the_same() {
        lmthing_node::set_builtins(lmthing_node::Builtins {
            names: &lmthing_runtime::NAMES,
            load: lmthing_runtime::load,
        });
        let lookup = super::super::imports::import_lookup();
        let declared: Vec<&str> = modules().collect();
        for name in &declared {
            let found = lookup.find(Path::new("/p.lmt.mjs"), name, None);
            assert_eq!(found, Ok(ImportTarget::BuiltIn((*name).to_owned())));
        }
        let native = NATIVE_MODULES.iter().map(|module| module.name).filter(|name| !name.starts_with("lmthing:"));
        for name in native {
            assert!(declared.contains(&name), "{name}");
        }
    }
}
