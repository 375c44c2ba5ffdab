//! The tree of modules of all crates: resolves a path to the file that defines its item.

use std::collections::BTreeMap;

use crate::paths::{Names, Use, code, names, without_tests};
use crate::sources::Source;

/// Longest chain of re-exports that is followed.
const MAX_HOPS: usize = 8;

/// Every module that is a file, by crate and path.
pub(crate) struct Tree<'a> {
    modules: BTreeMap<Vec<String>, Module<'a>>,
}

struct Module<'a> {
    source: &'a Source,
    names: Names,
}

impl<'a> Tree<'a> {
    /// Reads `sources` without unit tests.
    pub(crate) fn without_tests(sources: &'a [Source]) -> Self {
        let (mut modules, mut tests) = (BTreeMap::new(), Vec::new());
        for source in sources {
            let (code, test_modules) = without_tests(&code(&source.text));
            let module = source.module();
            tests.extend(test_modules.into_iter().map(|name| [module.clone(), vec![name]].concat()));
            modules.insert(module, Module { source, names: names(&code) });
        }
        modules.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        Self { modules }
    }

    /// The files that the file of `module` depends on, and a name it takes from each. A name that it only re-exports
    /// (`pub use`) does not count: files that import that name depend on the file that defines it.
    pub(crate) fn dependencies(&self, module: &[String]) -> BTreeMap<&'a str, String> {
        let Module { source, names } = &self.modules[module];
        let is_used = |import: &&Use| !import.is_public || names.identifiers.contains(&import.name);
        let imports = names.uses.iter().filter(is_used).map(|import| &import.path);
        let is_item = |path: &&Vec<String>| !self.is_module(module, path);
        let mut dependencies = BTreeMap::new();
        for path in imports.filter(is_item).chain(&names.paths) {
            let target = self.absolute(module, path, MAX_HOPS).and_then(|path| self.file(&path, MAX_HOPS));
            if let Some(target) = target.filter(|target| *target != source.path) {
                dependencies.entry(target).or_insert_with(|| path.join("::"));
            }
        }
        dependencies
    }

    pub(crate) fn contains(&self, module: &[String]) -> bool {
        self.modules.contains_key(module)
    }

    pub(crate) fn modules(&self) -> impl Iterator<Item = (&[String], &'a str)> {
        self.modules.iter().map(|(path, module)| (path.as_slice(), module.source.path.as_str()))
    }

    /// Whether `path` names a module. The paths that go through that name then show which items are used.
    fn is_module(&self, module: &[String], path: &[String]) -> bool {
        self.absolute(module, path, MAX_HOPS).is_some_and(|path| self.modules.contains_key(&path))
    }

    /// `path`, as written in `module`, with the name of the crate first; `None` for paths into other crates.
    fn absolute(&self, module: &[String], path: &[String], hops: usize) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => module[..1].to_vec(),
            "lmthing" if module == ["lmthing", "main"] => module[..1].to_vec(),
            "self" => module.to_vec(),
            "super" => return above(module, rest),
            _ => {
                let child: Vec<String> = module.iter().chain([first]).cloned().collect();
                if self.modules.contains_key(&child) { child } else { self.imported(module, first, hops)? }
            }
        };
        Some(start.into_iter().chain(rest.iter().cloned()).collect())
    }

    /// The path that a `use` statement of `module` imports as `name`.
    fn imported(&self, module: &[String], name: &str, hops: usize) -> Option<Vec<String>> {
        let import = self.modules.get(module)?.names.uses.iter().find(|import| import.name == *name)?;
        if import.path.first().is_some_and(|first| first == name) {
            return None; // the name of another crate
        }
        self.absolute(module, &import.path, hops.checked_sub(1)?)
    }

    /// The file that defines the item with this absolute path.
    fn file(&self, path: &[String], hops: usize) -> Option<&'a str> {
        let depth = (0..=path.len()).rev().find(|depth| self.modules.contains_key(&path[..*depth]))?;
        let (module, rest) = path.split_at(depth);
        let here = self.modules[module].source;
        let (Some(item), Some(hops)) = (rest.first(), hops.checked_sub(1)) else { return Some(&here.path) };
        if let Some(imported) = self.imported(module, item, hops) {
            return self.file(&imported, hops);
        }
        if defines(&here.text, item) {
            return Some(&here.path);
        }
        let globs = self.modules[module].names.uses.iter().filter(|import| import.name == "*" && import.is_public);
        let mut targets = globs.filter_map(|glob| {
            let target = self.absolute(module, &glob.path[..glob.path.len() - 1], hops)?;
            defines(&self.modules.get(&target)?.source.text, item).then(|| self.file(&target, hops))?
        });
        Some(targets.next().unwrap_or(&here.path))
    }
}

fn defines(text: &str, item: &str) -> bool {
    let code = code(text);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    ["struct", "enum", "trait", "fn", "type", "const", "static"].iter().any(|keyword| {
        let wanted = format!("{keyword} {item}");
        code.match_indices(&wanted).any(|(at, _)| !code[at + wanted.len()..].starts_with(is_name))
    })
}

/// The absolute path of `super::rest` in `module`.
fn above(module: &[String], rest: &[String]) -> Option<Vec<String>> {
    let (_, parent) = module.split_last()?;
    match rest.split_first() {
        Some((next, rest)) if next == "super" => above(parent, rest),
        _ => Some(parent.iter().chain(rest).cloned().collect()),
    }
}
