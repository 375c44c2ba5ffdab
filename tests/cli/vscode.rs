//! The extension for VS Code: its commands, and that it can be packed and loaded.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::support::{Folder, LspClient, npm_packages, root};

/// Loads the extension with objects that have whatever is read of them in place of VS Code.
const LOAD: &str = "
const Module = require('node:module');
const anything = (of) => new Proxy(of, {
  get: (of, name) => (name in of || typeof name === 'symbol' ? of[name] : (of[name] = anything(class {}))),
});
const vscode = anything({ version: '1.91.0' });
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
console.log(Object.keys(require(process.argv[2])).join(' '));
";

fn folder() -> std::path::PathBuf {
    root().join("editors/vscode")
}

fn manifest() -> Value {
    serde_json::from_str(&fs::read_to_string(folder().join("package.json")).unwrap()).unwrap()
}

#[test]
fn the_extension_offers_the_commands_of_the_server() {
    let mut client = LspClient::start(&Folder::new(&[]), &[]);
    let result = client.initialize(json!({ "processId": null, "rootUri": null, "capabilities": {} }));
    let of_server = &result["capabilities"]["executeCommandProvider"]["commands"];
    let of_server: BTreeSet<&str> = of_server.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let manifest = manifest();
    let named = manifest["contributes"]["commands"].as_array().unwrap();
    let named: BTreeSet<&str> = named.iter().map(|command| command["command"].as_str().unwrap()).collect();
    assert_eq!(named.difference(&of_server).copied().collect::<Vec<_>>(), ["lmthing.restart"]);
    assert!(of_server.is_subset(&named), "{of_server:?}");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_extension_is_packed_and_can_be_loaded() {
    let manifest = manifest();
    let packages = manifest["devDependencies"].as_object().unwrap();
    let packages: Vec<String> =
        packages.iter().map(|(name, version)| format!("{name}@{}", version.as_str().unwrap())).collect();
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    let Some(home) = npm_packages::cached("the_extension_is_packed_and_can_be_loaded", &packages) else { return };
    let work = Folder::new(&[("load.cjs", LOAD)]);
    for name in ["package.json", "extension.js", "README.md"] {
        fs::copy(folder().join(name), work.path(name)).unwrap();
    }
    std::os::unix::fs::symlink(home.join("node_modules"), work.path("node_modules")).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(work.path("")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    run("npm", &["run", "package"]);
    let archive = fs::read(work.path("lmthing.vsix")).unwrap();
    for name in ["extension/package.json", "extension/dist/extension.js", "extension/readme.md"] {
        assert!(archive.windows(name.len()).any(|part| part == name.as_bytes()), "{name}");
    }
    let extension = work.path("dist/extension.js");
    assert!(Path::new(&extension).exists());
    assert_eq!(run("node", &["load.cjs", extension.to_str().unwrap()]), "activate deactivate\n");
}
