//! Finds chains of imports: from the author's own code to a module of a package, and from a module back to itself.

use std::collections::{HashMap, HashSet, VecDeque};

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

/// The shortest circle of imports that begins with `module`'s import of `specifier`, or with any of its imports: the
/// modules in order, `module` first and last. `None` if these imports do not lead back to it.
pub(crate) fn import_circle(modules: &Modules, module: &str, specifier: Option<&str>) -> Option<Vec<String>> {
    let imports = modules.imports_where(|_| true);
    let is_start = |import: &&Import| import.importer == module && specifier.is_none_or(|it| it == import.specifier);
    let mut importers: HashMap<&str, &str> = HashMap::new();
    let mut pending: VecDeque<&Import> = imports.iter().filter(is_start).collect();
    while let Some(Import { importer, resolved, .. }) = pending.pop_front() {
        if importers.contains_key(resolved.as_str()) {
            continue;
        }
        importers.insert(resolved, importer);
        if resolved == module {
            let mut circle = vec![module.to_owned()];
            let mut at = importer.as_str();
            while at != module {
                circle.push(at.to_owned());
                at = importers.get(at)?;
            }
            circle.push(module.to_owned());
            circle.reverse();
            return Some(circle);
        }
        pending.extend(imports.iter().filter(|import| import.importer == *resolved));
    }
    None
}

/// Whether a module belongs to a package.
pub(crate) fn is_package(module: &str) -> bool {
    module.contains("/node_modules/")
}
