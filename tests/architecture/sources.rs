//! Reads the sources of the crate. A scanner of text, not a compiler: it relies on rustfmt's layout.

use std::fs;
use std::path::{Path, PathBuf};

/// One file of `src/`.
pub(crate) struct Source {
    /// Relative to the root of the crate, with `/`.
    pub path: String,
    pub text: String,
}

impl Source {
    /// The directory or file directly under `src/` that the file belongs to: `chat` for `src/chat/step.rs` and
    /// `src/chat.rs`.
    pub(crate) fn room(&self) -> &str {
        let inside = self.path.strip_prefix("src/").expect("all sources are in src/");
        inside.split('/').next().map_or(inside, |first| first.trim_end_matches(".rs"))
    }

    /// The file's module: `src/chat/step.rs` is `chat::step`, `src/chat/mod.rs` is `chat`, `src/lib.rs` the root.
    pub(crate) fn module(&self) -> Vec<String> {
        let inside = self.path.strip_prefix("src/").expect("all sources are in src/").trim_end_matches(".rs");
        let mut names: Vec<String> = inside.split('/').map(str::to_owned).collect();
        if names.last().is_some_and(|name| name == "mod") || inside == "lib" {
            names.pop();
        }
        names
    }
}

/// Every file of `src/`, by path.
pub(crate) fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(&root.join("src"), &mut found);
    found.sort();
    let read = |path: PathBuf| Source {
        path: path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/"),
        text: fs::read_to_string(&path).expect("a source is text"),
    };
    let sources: Vec<Source> = found.into_iter().map(read).collect();
    assert!(sources.len() > 50, "the sources were not found");
    sources
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}
