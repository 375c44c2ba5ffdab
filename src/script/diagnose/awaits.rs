//! Where code waits, as far as its text tells: the engine does not say where a function is suspended. Must not know for what it waits.

use rquickjs::Ctx;
use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::call_sites::has_code_of_its_own;
use super::source::Sources;
use crate::code::{Language, Tree};
use crate::diagnostic::Location;
use crate::script::loader;

/// The only `await` of the function that begins at `function` (its column in bytes), or of the module itself when its path is
/// all that is known (line 0). `None` when there are several, or the module imports others of the author's, which may wait.
pub(crate) fn only_await(ctx: &Ctx<'_>, function: &Location) -> Option<Location> {
    let modules = loader::modules(ctx).ok()?;
    let sources = Sources::new(ctx, &modules);
    let source = sources.of(&function.path);
    let tree = Tree::parse(&source.javascript()?, Language::JavaScript).ok()?;
    let found = Waits::of(&tree).ok()?;
    let whole = 0..usize::MAX;
    let around = match function.line {
        0 if found.imports_own => return None,
        0 => &whole,
        line => {
            let offset = source.offset(line, function.column)?;
            let holds = |range: &&std::ops::Range<usize>| range.contains(&offset);
            found.functions.iter().filter(holds).min_by_key(|range| range.len())?
        }
    };
    let innermost = |at: usize| {
        let functions = found.functions.iter().filter(|range| range.contains(&at));
        functions.min_by_key(|range| range.len()).unwrap_or(&whole)
    };
    let mut own = found.awaits.iter().filter(|at| innermost(**at) == around);
    let (Some(at), None) = (own.next(), own.next()) else { return None };
    let (line, column) = source.position(*at);
    Some(sources.in_characters(Location { path: function.path.clone(), line, column }))
}

#[derive(Default)]
struct Waits {
    functions: Vec<std::ops::Range<usize>>,
    awaits: Vec<usize>,
    imports_own: bool,
}

impl Waits {
    fn of(tree: &Tree) -> Result<Self, Error> {
        let mut found = Waits::default();
        tree.walk(tree.root(), |node, kind| {
            found.visit(tree, node, kind)?;
            Ok(true)
        })?;
        Ok(found)
    }

    fn visit(&mut self, tree: &Tree, node: NodeId, kind: SyntaxKind) -> Result<(), Error> {
        let start = tree.start(node)?;
        match kind {
            SyntaxKind::AwaitExpression => self.awaits.push(start),
            SyntaxKind::ForOfStatement => {
                let behind = tree.token_from(start + "for".len());
                if tree.bytes().get(behind..).is_some_and(|rest| rest.starts_with(b"await")) {
                    self.awaits.push(start);
                }
            }
            SyntaxKind::ImportDeclaration | SyntaxKind::ExportDeclaration => {
                if let Some(name) = tree.node(node)?.module_specifier() {
                    self.imports_own |= tree.text(name)?.starts_with('.');
                }
            }
            _ if has_code_of_its_own(kind) => self.functions.push(start..tree.end(node)?),
            _ => {}
        }
        Ok(())
    }
}
