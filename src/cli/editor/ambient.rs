//! Converts the declarations of packages into one file each, which TypeScript accepts without `node_modules`. Each file
//! becomes an ambient module, such as `declare module 'zod/v4/core/util' { … }`, and relative imports become names of
//! such modules.

use super::first_line;
use lmthing_check::declarations;

const ZOD: Package = Package {
    folder: "/lmthing-types/node_modules/zod/",
    name: "zod",
    extra: "declare module 'zod/locales' {\nexport * from 'zod/v4/locales';\n}\n",
};
const NODE: Package = Package { folder: "/lmthing-types/node_modules/@types/node/", name: "@types/node", extra: "" };
const UNDICI: Package =
    Package { folder: "/lmthing-types/node_modules/undici-types/", name: "undici-types", extra: "" };

struct Package {
    /// With a trailing slash.
    folder: &'static str,
    name: &'static str,
    /// Declarations for names that do not correspond to files.
    extra: &'static str,
}

/// The file `lmthing.d.ts`: the built-in modules except Node's.
pub(in crate::cli) fn declarations() -> String {
    let own = ["/lmthing-types/lmthing.d.ts", "/lmthing-types/additions.d.ts"];
    let own: Vec<&str> = own.into_iter().filter_map(declarations::read).collect();
    format!("{}{}\n{}", first_line(), own.join("\n"), ZOD.ambient())
}

/// The file `node/index.d.ts`, for projects without `@types/node`.
pub(in crate::cli) fn node_declarations() -> String {
    format!("{}{}{}", first_line(), NODE.ambient(), UNDICI.ambient())
}

impl Package {
    fn ambient(&self) -> String {
        let mut paths: Vec<&str> =
            declarations::files().filter_map(|path| path.strip_prefix(self.folder)?.strip_suffix(".d.ts")).collect();
        paths.sort_unstable();
        let text = |path: &str| declarations::read(&format!("{}{path}.d.ts", self.folder)).unwrap_or_default();
        let modules = paths.into_iter().map(|path| self.module(path, text(path)));
        format!("{}{}{}", self.notice(), modules.collect::<String>(), self.extra)
    }

    /// Name, version and licence of the package, as a comment. The manifest is reduced by our build.
    fn notice(&self) -> String {
        let manifest = declarations::read(&format!("{}package.json", self.folder)).unwrap_or_default();
        let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap_or_default();
        let part = |name: &str| manifest[name].as_str().unwrap_or_default().to_owned();
        let name = self.name;
        format!(
            "\n// {name} {}, without comments; licence: {}, see https://www.npmjs.com/package/{name}\n\n",
            part("version"),
            part("license")
        )
    }

    /// Converts a file. Files that declare globals or ambient modules are taken unchanged.
    fn module(&self, path: &str, text: &str) -> String {
        let is_module = text.lines().any(|line| line.starts_with("export ") || line.starts_with("import "))
            && !text.contains("\ndeclare module ")
            && !text.starts_with("declare module ");
        if !is_module {
            let lines = text.lines().filter(|line| !line.starts_with("/// <reference path"));
            return lines.flat_map(|line| [line, "\n"]).collect();
        }
        // `declare` is an error within an ambient module.
        let text = self.with_names(path, text).replace("\nexport declare ", "\nexport ").replace("\ndeclare ", "\n");
        let text = text.strip_prefix("export declare ").map(|rest| format!("export {rest}")).unwrap_or(text);
        let text = text.strip_prefix("declare ").map(str::to_owned).unwrap_or(text);
        format!("declare module '{}' {{\n{text}}}\n", self.name_of(path))
    }

    /// The module name for a path without extension.
    fn name_of(&self, path: &str) -> String {
        let path = path.strip_suffix("index").map_or(path, |folder| folder.trim_end_matches('/'));
        if path.is_empty() { self.name.to_owned() } else { format!("{}/{path}", self.name) }
    }

    /// Replaces relative paths by module names. In declarations every string that begins like a relative path is one.
    fn with_names(&self, path: &str, text: &str) -> String {
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find("\"./").into_iter().chain(rest.find("\"../")).chain(rest.find("'./")).min() {
            let (before, quoted) = rest.split_at(start);
            let quote = quoted.chars().next().unwrap_or('"');
            let Some(length) = quoted[1..].find(quote) else { break };
            let (relative, after) = quoted[1..].split_at(length);
            named.push_str(before);
            named.push_str(&format!("'{}'", self.name_of(&joined(path, relative.trim_end_matches(".js")))));
            rest = &after[1..];
        }
        named + rest
    }
}

fn joined(path: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in relative.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_modules_that_import_each_other() {
        let text = "import * as core from \"../core/index.js\";\nexport declare const a: import(\"./b.js\").B;\n\
                    declare const c: \"x/./y\";\nexport * from \"../index.js\";\n";
        assert_eq!(
            ZOD.module("v4/classic/a", text),
            "declare module 'zod/v4/classic/a' {\nimport * as core from 'zod/v4/core';\n\
             export const a: import('zod/v4/classic/b').B;\nconst c: \"x/./y\";\nexport * from 'zod/v4';\n}\n"
        );
        assert_eq!(ZOD.name_of("index"), "zod");
    }

    #[test]
    fn globals_and_ambient_modules_are_unchanged() {
        let text = "/// <reference path=\"b.d.ts\" />\ndeclare module \"a\" {\nexport const a: 1;\n}\n";
        assert_eq!(NODE.module("a", text), "declare module \"a\" {\nexport const a: 1;\n}\n");
        let globals = "export {};\ndeclare global {\ninterface A {}\n}\n";
        assert_eq!(
            NODE.module("web/a", globals),
            "declare module '@types/node/web/a' {\nexport {};\nglobal {\ninterface A {}\n}\n}\n"
        );
    }

    #[test]
    fn all_relative_paths_are_replaced() {
        for text in [declarations(), node_declarations()] {
            let left = text.lines().find(|line| {
                [" from \".", " from '.", "import(\".", "import('."].iter().any(|opening| line.contains(opening))
                    && !line.trim_start().starts_with(['*', '/'])
            });
            assert_eq!(left, None);
            assert!(text.starts_with(super::super::MARK));
        }
    }
}
