//! Finds module variables that functions change: their values are lost when another process resumes a run.
//!
//! Only clear cases are reported, to avoid false positives: a name that has one declaration in its file and is
//! changed in a function that nothing calls while the file is loaded.

use std::{
    collections::{HashMap, HashSet},
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::module::{Local, Module};
use lmthing_base::parser::Language;
use lmthing_typescript::code::{Tree, check_nesting};

/// A variable that starts with its initial value in every process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostVariable {
    pub name: String,
    pub file: PathBuf,
    /// The line of its declaration, from 1.
    pub line: usize,
}

const CHANGING: [&str; 12] =
    ["push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "set", "add", "delete", "clear"];

/// Exports that lmthing itself reads.
const EXPORTS: [&str; 5] = ["config", "mock", "input", "output", "description"];

/// The variables of a file and of its relative imports, in the order of files and lines. A file that cannot be read
/// or parsed has none.
pub fn lost_variables(file: &Path) -> Vec<LostVariable> {
    let mut found = Vec::new();
    let mut known: HashSet<PathBuf> = HashSet::new();
    let mut open = vec![file.to_owned()];
    while let Some(file) = open.pop() {
        let Some(language) = Language::of_file(&file) else { continue };
        let Ok(path) = file.canonicalize() else { continue };
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if !known.insert(path) || check_nesting(&text).is_err() {
            continue;
        }
        // The parser may panic on invalid text.
        let Ok(Ok(file_variables)) = catch_unwind(AssertUnwindSafe(|| variables_of(&text, language))) else {
            continue;
        };
        let line = |start: usize| text[..start.min(text.len())].matches('\n').count() + 1;
        let variables = file_variables.variables.into_iter();
        found.extend(variables.map(|(start, name)| LostVariable { name, file: file.clone(), line: line(start) }));
        let folder = file.parent().unwrap_or(Path::new(""));
        open.extend(file_variables.imports.iter().rev().map(|import| folder.join(import.trim_start_matches("./"))));
    }
    found
}

struct FileVariables {
    variables: Vec<(usize, String)>,
    imports: Vec<String>,
}

fn variables_of(text: &str, language: Language) -> Result<FileVariables, Error> {
    let tree = Tree::parse(text, language)?;
    let module = Module::of(&tree)?;
    let names = Names::of(&tree)?;
    let mut variables = Vec::new();
    for (name, local) in module.locals() {
        let is_variable = tree.kind(local.node)? == SyntaxKind::VariableDeclaration;
        let is_plain = names.declared.get(name) == Some(&1) && !EXPORTS.contains(&name);
        if !(is_variable && is_plain) {
            continue;
        }
        let is_lost = names.assigned.contains(name) || names.changed.contains(name) && is_container(&tree, local)?;
        if is_lost {
            variables.push((tree.start(local.node)?, name.to_owned()));
        }
    }
    variables.sort_unstable();
    Ok(FileVariables { variables, imports: names.imports })
}

fn is_container(tree: &Tree, local: Local) -> Result<bool, Error> {
    let Some(value) = tree.node(local.node)?.initializer() else { return Ok(false) };
    match tree.kind(value)? {
        SyntaxKind::ArrayLiteralExpression | SyntaxKind::ObjectLiteralExpression => Ok(true),
        SyntaxKind::NewExpression => {
            let class = tree.node(value)?.expression().map(|class| tree.text(class)).transpose()?;
            Ok(class.is_some_and(|class| matches!(class.as_str(), "Map" | "Set" | "Array")))
        }
        _ => Ok(false),
    }
}

#[derive(Default)]
struct Names {
    declared: HashMap<String, usize>,
    assigned: HashSet<String>,
    changed: HashSet<String>,
    imports: Vec<String>,
}

impl Names {
    fn of(tree: &Tree) -> Result<Self, Error> {
        let mut names = Names::default();
        let called = called_at_load(tree)?;
        tree.walk(tree.root(), |node, kind| {
            names.declaration(tree, node, kind)?;
            Ok(true)
        })?;
        tree.walk(tree.root(), |node, kind| {
            if !is_function(kind) {
                return Ok(true);
            }
            if !name_of_function(tree, node)?.is_some_and(|name| called.contains(&name)) {
                tree.walk(node, |node, kind| {
                    names.change(tree, node, kind)?;
                    Ok(true)
                })?;
            }
            Ok(false)
        })?;
        Ok(names)
    }

    fn declaration(&mut self, tree: &Tree, node: NodeId, kind: SyntaxKind) -> Result<(), Error> {
        match kind {
            SyntaxKind::ImportDeclaration | SyntaxKind::ExportDeclaration => {
                let module = tree.node(node)?.module_specifier().map(|module| tree.text(module)).transpose()?;
                self.imports.extend(module.filter(|module| module.starts_with("./") || module.starts_with("../")));
            }
            SyntaxKind::VariableDeclaration
            | SyntaxKind::Parameter
            | SyntaxKind::BindingElement
            | SyntaxKind::FunctionDeclaration
            | SyntaxKind::FunctionExpression
            | SyntaxKind::ClassDeclaration
            | SyntaxKind::ClassExpression
            | SyntaxKind::ImportClause
            | SyntaxKind::ImportSpecifier
            | SyntaxKind::NamespaceImport => {
                if let Some(name) = tree.node(node)?.name()
                    && tree.kind(name)? == SyntaxKind::Identifier
                {
                    *self.declared.entry(tree.text(name)?).or_default() += 1;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn change(&mut self, tree: &Tree, node: NodeId, kind: SyntaxKind) -> Result<(), Error> {
        match kind {
            SyntaxKind::BinaryExpression => {
                if let [left, operator, _] = tree.children(node)?[..]
                    && is_assignment(tree.kind(operator)?)
                {
                    self.target(tree, left)?;
                }
            }
            SyntaxKind::PrefixUnaryExpression | SyntaxKind::PostfixUnaryExpression => {
                let text = tree.bytes().get(tree.start(node)?..tree.end(node)?).unwrap_or_default();
                let is_step = [b"++", b"--"].iter().any(|step| text.starts_with(*step) || text.ends_with(*step));
                if let (true, [operand]) = (is_step, &tree.children(node)?[..]) {
                    self.target(tree, *operand)?;
                }
            }
            SyntaxKind::DeleteExpression => {
                if let [operand] = tree.children(node)?[..] {
                    self.target(tree, operand)?;
                }
            }
            SyntaxKind::CallExpression => self.call(tree, node)?,
            _ => {}
        }
        Ok(())
    }

    /// `name = …`, `name.key = …`.
    fn target(&mut self, tree: &Tree, target: NodeId) -> Result<(), Error> {
        if tree.kind(target)? == SyntaxKind::Identifier {
            self.assigned.insert(tree.text(target)?);
        } else if let Some(root) = root_of(tree, target)? {
            self.changed.insert(root);
        }
        Ok(())
    }

    /// `name.push(…)`, `name.key.push(…)`.
    fn call(&mut self, tree: &Tree, call: NodeId) -> Result<(), Error> {
        let Some(called) = tree.node(call)?.expression() else { return Ok(()) };
        if tree.kind(called)? != SyntaxKind::PropertyAccessExpression {
            return Ok(());
        }
        let method = tree.node(called)?.name().map(|name| tree.text(name)).transpose()?;
        if method.is_some_and(|method| CHANGING.contains(&method.as_str())) {
            self.changed.extend(root_of(tree, called)?);
        }
        Ok(())
    }
}

/// `name` of `name.key[0].other`; `None` for other expressions.
fn root_of(tree: &Tree, expression: NodeId) -> Result<Option<String>, Error> {
    let mut part = expression;
    loop {
        match tree.kind(part)? {
            SyntaxKind::Identifier => return tree.text(part).map(Some),
            SyntaxKind::PropertyAccessExpression | SyntaxKind::ElementAccessExpression => {
                let Some(object) = tree.node(part)?.expression() else { return Ok(None) };
                part = object;
            }
            _ => return Ok(None),
        }
    }
}

fn is_function(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::FunctionDeclaration
            | SyntaxKind::FunctionExpression
            | SyntaxKind::ArrowFunction
            | SyntaxKind::MethodDeclaration
            | SyntaxKind::GetAccessor
            | SyntaxKind::SetAccessor
            | SyntaxKind::Constructor
    )
}

fn is_assignment(kind: SyntaxKind) -> bool {
    (SyntaxKind::EqualsToken as u16..=SyntaxKind::CaretEqualsToken as u16).contains(&(kind as u16))
}

fn name_of_function(tree: &Tree, function: NodeId) -> Result<Option<String>, Error> {
    let read = tree.node(function)?;
    let of_variable = match read.parent() {
        Some(parent) if tree.kind(parent)? == SyntaxKind::VariableDeclaration => tree.node(parent)?.name(),
        _ => None,
    };
    read.name().or(of_variable).map(|name| tree.text(name)).transpose()
}

/// The names of the functions that are called while the file is loaded. Immediately invoked functions are not
/// included.
fn called_at_load(tree: &Tree) -> Result<HashSet<String>, Error> {
    let mut called = HashSet::new();
    tree.walk(tree.root(), |node, kind| {
        if kind == SyntaxKind::CallExpression
            && let Some(function) = tree.node(node)?.expression()
            && tree.kind(function)? == SyntaxKind::Identifier
        {
            called.insert(tree.text(function)?);
        }
        Ok(!is_function(kind))
    })?;
    Ok(called)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let lost = lost_variables(&folder.path().join(files[0].0));
        let shown = |lost: LostVariable| {
            let file = lost.file.strip_prefix(folder.path()).unwrap().display().to_string();
            format!("{} {file}:{}", lost.name, lost.line)
        };
        lost.into_iter().map(shown).collect()
    }

    #[test]
    fn variables_changed_by_functions_are_lost() {
        let text = "
let count = 0, total = 1;
var other;
const log = [];
const byName = new Map(), seen = new Set();
const settings = { a: { b: [] } };
let kept = 0;
const path = [];
export default ({ $ }) => {
  count++; other ??= 1; --total;
  $`x`;
  defTool('t', '', s, () => { log.push(1); byName.set(1, 2); settings.a.b.push(1); });
  delete settings.a; seen['add'] = 1;
  console.log(kept, path.join('/'));
};
";
        let expected = ["count", "total", "other", "log", "byName", "seen", "settings"];
        let lines = [2, 2, 3, 4, 5, 5, 6];
        let expected: Vec<_> =
            expected.iter().zip(lines).map(|(name, line)| format!("{name} a.lmt.mjs:{line}")).collect();
        assert_eq!(found(&[("a.lmt.mjs", text)]), expected);
    }

    #[test]
    fn unclear_cases_are_not_reported() {
        let text = "
import { imported } from 'elsewhere';
let shadowed = 0;
let atLoad = 0;
const registry = [];
const client = new Client();
const text = read();
let typed: number;
export const config = {};
function register(x) { registry.push(x); }
register(1);
atLoad = 2;
const fill = () => { atLoad++; };
fill();
export default ({ $ }) => {
  let shadowed = 1;
  shadowed++;
  const registry2 = [];
  registry2.push(1);
  client.set('x', 1);
  text.x = 1;
  config.model = 'x';
  const { typed } = {};
  typed = 1;
  imported.x = 1; imported.push(1);
};
";
        assert_eq!(found(&[("a.lmt.ts", text)]), [""; 0]);
    }

    #[test]
    fn relative_imports_are_searched_and_unreadable_files_skipped() {
        let files = [
            (
                "a.lmt.mjs",
                "import { next } from './b.mjs';\nimport './gone.mjs';\nimport z from 'zod';\nexport default () => next();",
            ),
            ("b.mjs", "import './a.lmt.mjs';\nlet id = 0;\nexport const next = () => ++id;\nexport * from './c.js';"),
            ("c.js", "const cache = new Map();\nexport function look(x) { cache.set(x, 1); }"),
        ];
        assert_eq!(found(&files), ["id b.mjs:2", "cache c.js:1"]);
        assert_eq!(found(&[("a.lmt.mjs", "let x = 0; export default () => { x++")]), ["x a.lmt.mjs:1"]);
        assert_eq!(lost_variables(Path::new("/does/not/exist.mjs")), []);
    }
}
