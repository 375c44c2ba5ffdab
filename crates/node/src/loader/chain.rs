//! Finds the chain of imports that led from the author's own code to a module of a package.

use std::collections::HashSet;

use super::modules::{Import, Modules};
use super::position;
use lmthing_base::diagnostic::Location;

/// One import of the chain.
pub(crate) struct ImportSite {
    /// The specifier.
    pub specifier: String,
    /// Where the import is written; the column counts bytes.
    pub location: Location,
}

/// The imports that lead from the author's own code to the module `name` of a package, the nearest to it first; empty
/// if no importer is known.
pub(crate) fn import_chain(modules: &Modules, name: &str) -> Vec<ImportSite> {
    let mut seen = HashSet::new();
    let mut chain = Vec::new();
    let mut module = name.to_owned();
    while is_package(&module) && seen.insert(module.clone()) {
        let importers = modules.imports_where(|resolved| resolved == module);
        // The author's own import, if there is one, is the shortest chain.
        let own = importers.iter().find(|import| !is_package(&import.importer));
        let Some(Import { importer, specifier, .. }) = own.or(importers.first()) else { break };
        let location = position::of_specifier(modules, importer, specifier);
        let start = || Location { path: importer.clone(), line: 1, column: 1 };
        chain.push(ImportSite { specifier: specifier.clone(), location: location.unwrap_or_else(start) });
        module.clone_from(importer);
    }
    chain
}

/// Whether a module belongs to a package.
pub(crate) fn is_package(module: &str) -> bool {
    module.contains("/node_modules/")
}
