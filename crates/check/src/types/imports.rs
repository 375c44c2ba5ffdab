//! Resolves the imports of a file by the loader's rules, and rewrites those that the type checker resolves
//! differently.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::edited_text::Edit;
use super::internal_modules;
use lmthing_engine::bindings::NATIVE_MODULES;
use lmthing_node::{ImportLookup, ImportProblem, ImportTarget};
use lmthing_typescript::code::{Tree, TypeScriptParser};

/// In bytes. Larger JSON files have the type `any`, as checking them is slow.
const MOST_JSON: u64 = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Imports {
    pub(super) files: Vec<PathBuf>,
    pub(super) json: Vec<PathBuf>,
    /// Files without types that it imports: texts, CommonJS.
    pub(super) plain: Vec<PathBuf>,
    pub(super) uses_node: bool,
    /// With the bytes of their specifiers.
    pub(super) problems: Vec<(Range<usize>, ImportProblem)>,
    pub(super) resolved: Vec<Range<usize>>,
    pub(super) edits: Vec<Edit>,
}

pub(super) fn import_lookup() -> ImportLookup {
    ImportLookup::new(NATIVE_MODULES, Rc::new(TypeScriptParser))
}

struct ImportSite {
    specifier: String,
    range: Range<usize>,
    attribute: Option<String>,
    /// An `import()` inside `try`, which may fail.
    is_in_try: bool,
    /// Type imports are removed before the file runs.
    is_type_only: bool,
}

impl Imports {
    pub(super) fn of(tree: &Tree, path: &Path, lookup: &ImportLookup) -> Result<Self, Error> {
        let mut imports = Self::default();
        for site in sites(tree)? {
            imports.add(lookup, path, site);
        }
        Ok(imports)
    }

    fn add(&mut self, lookup: &ImportLookup, importer: &Path, site: ImportSite) {
        match lookup.find(importer, &site.specifier, site.attribute.as_deref()) {
            // A type import may come from a module that cannot run; the type checker reports a missing one.
            Err(_) if site.is_type_only => {}
            Ok(target) => {
                if !site.is_type_only {
                    self.resolved.push(site.range.clone());
                }
                self.follow(target, &site);
            }
            Err(problem) => {
                self.replace(&site, internal_modules::ANY_MODULE);
                if !site.is_in_try {
                    self.problems.push((site.range, problem));
                }
            }
        }
    }

    fn follow(&mut self, target: ImportTarget, site: &ImportSite) {
        match target {
            ImportTarget::BuiltIn(name) => self.uses_node |= name.starts_with("node:"),
            ImportTarget::Module { path, is_mapped } => {
                if is_mapped || site.specifier.starts_with("file:") || site.specifier.contains(['?', '%', '#']) {
                    let is_of_package = site.specifier.starts_with('#');
                    if let Some(path) = path.to_str().filter(|_| !is_of_package) {
                        self.replace(site, path);
                    }
                }
                self.files.push(path);
            }
            ImportTarget::Json(path) => {
                if std::fs::metadata(&path).is_ok_and(|metadata| metadata.len() > MOST_JSON) {
                    self.replace(site, internal_modules::ANY_MODULE);
                }
                self.json.push(path);
            }
            ImportTarget::Text(path) => {
                self.replace(site, internal_modules::TEXT_MODULE);
                self.plain.push(path);
            }
            // The exports of CommonJS modules are known only after they have run.
            ImportTarget::CommonJs(path) => {
                if super::compiler_options::is_own(&path) {
                    self.replace(site, internal_modules::ANY_MODULE);
                    self.plain.push(path);
                }
            }
            ImportTarget::Address => self.replace(site, internal_modules::ANY_MODULE),
        }
    }

    fn replace(&mut self, site: &ImportSite, specifier: &str) {
        let quoted = serde_json::Value::from(specifier).to_string();
        self.edits.push(Edit { replaced: site.range.clone(), text: quoted, meaning: site.range.clone() });
    }
}

fn sites(tree: &Tree) -> Result<Vec<ImportSite>, Error> {
    let mut sites = Vec::new();
    let mut tried: Vec<Range<usize>> = Vec::new();
    tree.walk(tree.root(), |node, kind| {
        if kind == SyntaxKind::TryStatement
            && let Some(block) = tree.children(node)?.first()
        {
            tried.push(tree.start(*block)?..tree.end(*block)?);
        }
        sites.extend(site(tree, node, kind, &tried)?);
        Ok(true)
    })?;
    Ok(sites)
}

fn site(tree: &Tree, node: NodeId, kind: SyntaxKind, tried: &[Range<usize>]) -> Result<Option<ImportSite>, Error> {
    let read = tree.node(node)?;
    let (source, is_type_only) = match kind {
        SyntaxKind::ImportDeclaration => {
            let clause = read.import_clause().map(|clause| tree.node(clause)).transpose()?;
            (read.module_specifier(), clause.is_some_and(|clause| clause.is_type_only()))
        }
        SyntaxKind::ExportDeclaration => (read.module_specifier(), read.is_type_only()),
        SyntaxKind::CallExpression => match tree.children(node)?[..] {
            [callee, source, ..] if tree.kind(callee)? == SyntaxKind::ImportKeyword => (Some(source), false),
            _ => (None, false),
        },
        _ => (None, false),
    };
    let Some(source) = source else { return Ok(None) };
    if !matches!(tree.kind(source)?, SyntaxKind::StringLiteral | SyntaxKind::NoSubstitutionTemplateLiteral) {
        return Ok(None);
    }
    let range = tree.start(source)?..tree.end(source)?;
    let is_in_try = kind == SyntaxKind::CallExpression && tried.iter().any(|block| block.contains(&range.start));
    Ok(Some(ImportSite {
        specifier: tree.text(source)?,
        attribute: attribute(tree, node)?,
        range,
        is_in_try,
        is_type_only,
    }))
}

/// `x` of `with { type: 'x' }`.
fn attribute(tree: &Tree, node: NodeId) -> Result<Option<String>, Error> {
    let mut attribute = None;
    tree.walk(node, |part, kind| {
        if matches!(kind, SyntaxKind::ImportAttribute | SyntaxKind::PropertyAssignment)
            && let [name, value] = tree.children(part)?[..]
            && tree.kind(value)? == SyntaxKind::StringLiteral
            && tree.text(name)? == "type"
        {
            attribute = Some(tree.text(value)?);
        }
        Ok(true)
    })?;
    Ok(attribute)
}
