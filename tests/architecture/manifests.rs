//! The dependencies that the manifests declare.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The crates of the workspace in an order in which each may depend only on those before it, and those that it may
/// depend on; unit tests and examples included.
const CRATES: &[(&str, &[&str])] = &[
    ("build", &[]),
    ("data", &["build"]),
    ("runtime", &["build"]),
    ("base", &["data"]),
    ("system", &["base"]),
    ("typescript", &["base", "data"]),
    ("node", &["base", "data", "system"]),
    ("providers", &["base", "system"]),
    ("store", &["base", "system"]),
    ("engine", &["base", "node", "providers", "system", "typescript"]),
    ("check", &["base", "engine", "node", "providers", "system", "typescript"]),
    ("lsp", &["base", "check", "engine", "node", "providers", "system", "typescript"]),
    ("testing", &["base", "engine", "node", "providers", "system"]),
    ("map", &["base", "engine", "node", "providers", "system"]),
    ("eval", &["base", "check", "engine", "map", "node", "providers", "system", "testing"]),
    ("serve", &["base", "system"]),
    ("worker", &["base", "engine", "node", "providers", "serve", "store", "system"]),
];

/// What the unit tests and examples of a crate may use besides.
const IN_TESTS: &[(&str, &[&str])] = &[
    ("node", &["runtime", "typescript"]),
    ("store", &["runtime"]),
    ("engine", &["runtime"]),
    ("check", &["runtime"]),
    ("eval", &["runtime"]),
    ("worker", &["runtime"]),
];

/// The packages in each section of a manifest whose name ends with "dependencies".
fn sections(manifest: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut sections: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut section = "";
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]")
            && let Some(end) = line.find(['.', ' '])
            && line.contains('=')
        {
            sections.entry(section).or_default().insert(&line[..end]);
        }
    }
    sections
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

#[test]
fn crates_depend_on_allowed_crates_only() {
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).expect("the crates");
    let folders: BTreeSet<String> =
        folders.map(|entry| entry.expect("a crate").file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(folders, CRATES.iter().map(|(name, _)| (*name).to_owned()).collect(), "the crates have one line each");
    let mut wrong = Vec::new();
    for (index, (name, allowed)) in CRATES.iter().enumerate() {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        assert!(manifest.contains("\ninclude.workspace = true\n"), "crates/{name}: what its package has (.ci/crates)");
        let in_tests = IN_TESTS.iter().find(|(tested, _)| tested == name).map_or(&[][..], |(_, others)| others);
        for (section, packages) in sections(&manifest) {
            for package in packages.iter().filter_map(|package| package.strip_prefix("lmthing-")) {
                let is_before = CRATES[..index].iter().any(|(before, _)| *before == package);
                let is_test = section == "[dev-dependencies]" && in_tests.contains(&package);
                if !is_before || !(is_test || allowed.contains(&package)) {
                    wrong.push(format!("{name} -> {package} in {section}"));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0], "dependencies that CRATES does not allow");
}

#[test]
fn every_dependency_is_used_and_explained() {
    let root = read("Cargo.toml");
    let mut declared = BTreeSet::new();
    let mut used = BTreeSet::new();
    for (section, packages) in sections(&root) {
        let list = if section == "[workspace.dependencies]" { &mut declared } else { &mut used };
        list.extend(packages.into_iter().map(str::to_owned));
    }
    for (name, _) in CRATES {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        used.extend(sections(&manifest).into_values().flatten().map(str::to_owned));
    }
    assert_eq!(declared, used, "the packages of the workspace, and those that its crates use");
    used.retain(|package| !package.starts_with("lmthing-"));
    let npm: serde_json::Value = serde_json::from_str(&read("runtime-js/package.json")).expect("JSON");
    for key in ["dependencies", "devDependencies"] {
        used.extend(npm[key].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
    }
    let page = read("docs/maintainers/dependencies.md");
    let name = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    let explained: BTreeSet<String> = page.lines().filter_map(name).collect();
    assert_eq!(explained, used, "the packages of docs/maintainers/dependencies.md, and those that are used");
}
