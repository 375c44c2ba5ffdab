//! The imports of a file: whether they lead anywhere when the file runs, and what the type checker is to make of them. Must not
//! know what is imported.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::edited::Edit;
use super::shapes;
use crate::code::Tree;
use crate::script::{ImportLookup, ImportProblem, ImportTarget};

/// Larger JSON files, in bytes, have no types.
const MOST_JSON: u64 = 1 << 20;

/// What became of the imports of a file.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// Files that are checked with it.
    pub(super) files: Vec<PathBuf>,
    /// JSON files.
    pub(super) json: Vec<PathBuf>,
    /// Files that it is made of and that have no types: texts, CommonJS.
    pub(super) plain: Vec<PathBuf>,
    /// Whether it imports a module of Node.
    pub(super) uses_node: bool,
    /// Those that lead nowhere, by the bytes of their specifiers.
    pub(super) problems: Vec<(Range<usize>, ImportProblem)>,
    /// The bytes of all specifiers that lead somewhere when the file runs.
    pub(super) found: Vec<Range<usize>>,
    /// What has to be said otherwise, so that the type checker finds it.
    pub(super) edits: Vec<Edit>,
}

/// An `import` or `export … from`.
struct Site {
    specifier: String,
    range: Range<usize>,
    attribute: Option<String>,
    /// It may fail: an `import()` in a `try`.
    is_tried: bool,
    /// It is gone when the file runs.
    is_type_only: bool,
}

impl Imports {
    /// Looks up the imports of the file at `path`.
    ///
    /// # Errors
    /// When the tree is broken.
    pub(super) fn of(tree: &Tree, path: &Path, lookup: &ImportLookup) -> Result<Self, Error> {
        let mut imports = Self::default();
        for site in sites(tree)? {
            imports.add(lookup, path, site);
        }
        Ok(imports)
    }

    fn add(&mut self, lookup: &ImportLookup, importer: &Path, site: Site) {
        match lookup.find(importer, &site.specifier, site.attribute.as_deref()) {
            // Types alone may come from where nothing runs; the type checker says whether they are there.
            Err(_) if site.is_type_only => {}
            Ok(target) => {
                if !site.is_type_only {
                    self.found.push(site.range.clone());
                }
                self.follow(target, &site);
            }
            Err(problem) => {
                self.replace(&site, shapes::ANY_MODULE);
                if !site.is_tried {
                    self.problems.push((site.range, problem));
                }
            }
        }
    }

    fn follow(&mut self, target: ImportTarget, site: &Site) {
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
                // What takes the type checker long to read says little.
                if std::fs::metadata(&path).is_ok_and(|found| found.len() > MOST_JSON) {
                    self.replace(site, shapes::ANY_MODULE);
                }
                self.json.push(path);
            }
            ImportTarget::Text(path) => {
                self.replace(site, shapes::TEXT_MODULE);
                self.plain.push(path);
            }
            // What these export is known when they have run.
            ImportTarget::CommonJs(path) => {
                if super::language::is_own(&path) {
                    self.replace(site, shapes::ANY_MODULE);
                    self.plain.push(path);
                }
            }
            ImportTarget::Address => self.replace(site, shapes::ANY_MODULE),
        }
    }

    fn replace(&mut self, site: &Site, specifier: &str) {
        let quoted = serde_json::Value::from(specifier).to_string();
        self.edits.push(Edit { replaced: site.range.clone(), text: quoted, meaning: site.range.clone() });
    }
}

fn sites(tree: &Tree) -> Result<Vec<Site>, Error> {
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

fn site(tree: &Tree, node: NodeId, kind: SyntaxKind, tried: &[Range<usize>]) -> Result<Option<Site>, Error> {
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
    let is_tried = kind == SyntaxKind::CallExpression && tried.iter().any(|block| block.contains(&range.start));
    Ok(Some(Site { specifier: tree.text(source)?, attribute: attribute(tree, node)?, range, is_tried, is_type_only }))
}

/// `x` of `with { type: 'x' }`.
fn attribute(tree: &Tree, node: NodeId) -> Result<Option<String>, Error> {
    let mut found = None;
    tree.walk(node, |part, kind| {
        if matches!(kind, SyntaxKind::ImportAttribute | SyntaxKind::PropertyAssignment)
            && let [name, value] = tree.children(part)?[..]
            && tree.kind(value)? == SyntaxKind::StringLiteral
            && tree.text(name)? == "type"
        {
            found = Some(tree.text(value)?);
        }
        Ok(true)
    })?;
    Ok(found)
}
