//! Where an import stands: QuickJS gives no position for an import that fails, so the importer's text is parsed again.

use swc_common::{BytePos, Spanned};
use swc_ecma_ast::{
    BindingIdent, CallExpr, Callee, Decl, EsVersion, ExportAll, ExportDecl, ExportDefaultDecl, ExportDefaultExpr,
    ExportNamedSpecifier, ExportSpecifier, Expr, ImportDecl, ImportSpecifier, Lit, Module, ModuleExportName,
    ModuleItem, NamedExport, Stmt, Str,
};
use swc_ecma_parser::{EsSyntax, Parser, StringInput, Syntax, TsSyntax, lexer::Lexer};
use swc_ecma_visit::{Visit, VisitWith};

use super::modules::Modules;
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
    let mut exports = Exports::default();
    parse(module, text)?.visit_with(&mut exports);
    Some(exports.0)
}

/// Whether `text` has import or export statements; text that is no module at all has none.
pub(super) fn is_module(text: &str) -> bool {
    parse("", text).is_some_and(|module| module.body.iter().any(ModuleItem::is_module_decl))
}

/// One import: its specifier, where that stands, and where each imported name stands (byte offsets).
#[derive(Default)]
struct Site {
    specifier: String,
    at: usize,
    names: Vec<(String, usize)>,
}

fn sites(module: &str, text: &str) -> Option<Vec<Site>> {
    let mut sites = Sites::default();
    parse(module, text)?.visit_with(&mut sites);
    Some(sites.0)
}

/// Offsets count from 1 in the parser, which keeps 0 for "nowhere".
const START: u32 = 1;

fn parse(module: &str, text: &str) -> Option<Module> {
    let path = module.split('?').next().unwrap_or(module);
    let syntax = match path.rsplit('.').next() {
        Some("ts" | "mts") => Syntax::Typescript(TsSyntax::default()),
        _ => Syntax::Es(EsSyntax::default()),
    };
    let end = u32::try_from(text.len()).ok()?.checked_add(START)?;
    let input = StringInput::new(text, BytePos(START), BytePos(end));
    Parser::new_from(Lexer::new(syntax, EsVersion::latest(), input, None)).parse_module().ok()
}

fn offset(position: BytePos) -> usize {
    position.0.saturating_sub(START) as usize
}

fn text_of(literal: &Str) -> String {
    literal.value.to_string_lossy().into_owned()
}

#[derive(Default)]
struct Sites(Vec<Site>);

impl Sites {
    fn add(&mut self, source: &Str, names: Vec<(String, usize)>) {
        self.0.push(Site { specifier: text_of(source), at: offset(source.span.lo), names });
    }
}

impl Visit for Sites {
    fn visit_import_decl(&mut self, import: &ImportDecl) {
        let name = |specifier: &ImportSpecifier| {
            let name = match specifier {
                ImportSpecifier::Named(named) => {
                    named.imported.as_ref().map_or_else(|| named.local.sym.to_string(), export_name)
                }
                ImportSpecifier::Default(_) => "default".to_owned(),
                ImportSpecifier::Namespace(_) => return None,
            };
            Some((name, offset(specifier.span().lo)))
        };
        self.add(&import.src, import.specifiers.iter().filter_map(name).collect());
    }

    fn visit_named_export(&mut self, export: &NamedExport) {
        let Some(source) = &export.src else { return };
        let name = |specifier: &ExportSpecifier| match specifier {
            ExportSpecifier::Named(named) => Some((export_name(&named.orig), offset(named.span.lo))),
            _ => None,
        };
        self.add(source, export.specifiers.iter().filter_map(name).collect());
    }

    fn visit_export_all(&mut self, export: &ExportAll) {
        self.add(&export.src, Vec::new());
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        if let (Callee::Import(_), Some(Expr::Lit(Lit::Str(source)))) =
            (&call.callee, call.args.first().map(|arg| &*arg.expr))
        {
            self.add(source, Vec::new());
        }
        call.visit_children_with(self);
    }
}

fn export_name(name: &ModuleExportName) -> String {
    name.atom().to_string()
}

#[derive(Default)]
struct Exports(Vec<String>);

impl Visit for Exports {
    fn visit_export_decl(&mut self, export: &ExportDecl) {
        match &export.decl {
            Decl::Class(class) => self.0.push(class.ident.sym.to_string()),
            Decl::Fn(function) => self.0.push(function.ident.sym.to_string()),
            Decl::Var(variables) => variables.visit_children_with(self),
            _ => {}
        }
    }

    fn visit_binding_ident(&mut self, binding: &BindingIdent) {
        self.0.push(binding.id.sym.to_string());
    }

    /// Initializers and bodies bind names of their own.
    fn visit_expr(&mut self, _: &Expr) {}

    fn visit_stmt(&mut self, _: &Stmt) {}

    fn visit_export_default_decl(&mut self, _: &ExportDefaultDecl) {
        self.0.push("default".to_owned());
    }

    fn visit_export_default_expr(&mut self, _: &ExportDefaultExpr) {
        self.0.push("default".to_owned());
    }

    fn visit_export_named_specifier(&mut self, export: &ExportNamedSpecifier) {
        self.0.push(export_name(export.exported.as_ref().unwrap_or(&export.orig)));
    }
}

/// The position of byte `at` of `text`; the column in bytes, as everywhere before the diagnostic.
fn locate(path: &str, text: &str, at: usize) -> Location {
    let at = at.min(text.len());
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX);
    let column = u32::try_from(at - line_start + 1).unwrap_or(u32::MAX);
    Location { path: path.to_owned(), line, column }
}
