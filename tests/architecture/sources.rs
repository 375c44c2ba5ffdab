//! Finds the sources of all crates.

use std::fs;
use std::path::{Path, PathBuf};

/// One file of `src/` or `crates/*/src/`.
pub(crate) struct Source {
    /// Relative to the root of the repository, with `/`.
    pub path: String,
    pub text: String,
}

impl Source {
    /// The crate and the module: `crates/base/src/chat/step.rs` is `["base", "chat", "step"]`, `src/cli/mod.rs` is
    /// `["lmthing", "cli"]`.
    pub(crate) fn module(&self) -> Vec<String> {
        let (name, inside) = match self.path.strip_prefix("crates/") {
            Some(path) => path.split_once("/src/").expect("a source of a crate"),
            None => ("lmthing", self.path.strip_prefix("src/").expect("a source of the program")),
        };
        let mut module: Vec<&str> = [name].into_iter().chain(inside.trim_end_matches(".rs").split('/')).collect();
        module.pop_if(|last| *last == "mod" || inside == "lib.rs");
        module.into_iter().map(str::to_owned).collect()
    }
}

/// Every source, sorted by path.
pub(crate) fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    for entry in fs::read_dir(root.join("crates")).expect("the crates") {
        collect(&entry.expect("a crate").path().join("src"), &mut files);
    }
    files.sort();
    let read = |path: PathBuf| Source {
        path: path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/"),
        text: fs::read_to_string(&path).expect("a source is text"),
    };
    files.into_iter().map(read).collect()
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
