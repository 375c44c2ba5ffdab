//! Whether a file exports a name, found without running it.

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use super::module::Module;
use lmthing_base::parser::Language;
use lmthing_system::files::read_source_text;
use lmthing_typescript::code::{Tree, check_nesting};

enum ExportSource {
    Named,
    /// `export *` from these modules: it exports the name if one of them does.
    Modules(Vec<String>),
}

/// Whether `file` exports `name`, itself or by `export *` of a relative import. A file that cannot be read or parsed
/// is searched as text.
pub fn has_export(file: &Path, name: &str) -> bool {
    let mut open = vec![file.to_owned()];
    let mut known: HashSet<PathBuf> = HashSet::new();
    while let Some(file) = open.pop() {
        if !known.insert(file.clone()) {
            continue;
        }
        let Ok(text) = read_source_text(&file) else { continue };
        // Parsing is slow, and most files do not contain the name.
        if !(text.contains(name) || text.contains("export") && text.contains('*')) {
            continue;
        }
        match export_of(&text, Language::of_file(&file).unwrap_or(Language::JavaScript), name) {
            ExportSource::Named => return true,
            ExportSource::Modules(modules) => {
                let folder = file.parent().unwrap_or(Path::new(""));
                let own = modules.iter().filter(|module| module.starts_with('.'));
                open.extend(own.map(|module| folder.join(module)));
            }
        }
    }
    false
}

fn export_of(text: &str, language: Language, name: &str) -> ExportSource {
    let seems = || match text.contains(&format!("export const {name}")) {
        true => ExportSource::Named,
        false => ExportSource::Modules(Vec::new()),
    };
    if check_nesting(text).is_err() {
        return seems();
    }
    // The parser may panic on invalid text.
    let module = catch_unwind(AssertUnwindSafe(|| Tree::parse(text, language).and_then(|tree| Module::of(&tree))));
    match module {
        Ok(Ok(module)) if module.export(name).is_some() => ExportSource::Named,
        Ok(Ok(module)) => ExportSource::Modules(module.star_modules),
        Ok(Err(_)) | Err(_) => seems(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn exports_are_found_in_the_syntax_tree() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mocks.mjs"), "export const mock = [];").unwrap();
        fs::write(folder.path().join("round.mjs"), "export * from './round.mjs'; export * from './gone.mjs';").unwrap();
        for (name, text, expected) in [
            ("const.lmt.mjs", "export const mock = [];", true),
            ("let.lmt.ts", "export let mock: unknown[] = [];", true),
            ("list.lmt.mjs", "const mock = [];\nexport { mock };", true),
            ("renamed.lmt.mjs", "const items = [];\nexport { items as mock };", true),
            ("text.lmt.mjs", "const items = [];\nexport { items as 'mock' };", true),
            ("elsewhere.lmt.mjs", "export { mock } from './mocks.mjs';", true),
            ("star.lmt.mjs", "export * from './mocks.mjs';", true),
            ("pattern.lmt.mjs", "export const { mock, config } = both;", true),
            ("function.lmt.mjs", "export function* mock() {}", true),
            ("own.lmt.mjs", "const mock = [];", false),
            ("away.lmt.mjs", "const mock = [];\nexport { mock as items };", false),
            ("space.lmt.mjs", "export * as all from './mocks.mjs';", false),
            ("round.lmt.mjs", "export * from './round.mjs';", false),
            ("package.lmt.mjs", "export * from 'mock';", false),
            (
                "comment.lmt.mjs",
                "// export const mock = [];\nexport default async ({ $ }) => { $`export const mock`; };",
                false,
            ),
            ("inner.lmt.mjs", "export const config = { mock: 1 };", false),
        ] {
            let file = folder.path().join(name);
            fs::write(&file, text).unwrap();
            assert_eq!(has_export(&file, "mock"), expected, "{name}");
        }
        assert!(!has_export(&folder.path().join("gone.lmt.mjs"), "mock"));
    }
}
