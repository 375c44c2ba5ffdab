//! The pages of the repository, and the blocks that they show.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::support::root;

/// The files below a folder of the repository whose names end so, without what is built or installed.
fn files_below(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if !(name.starts_with('.') || name == "target" || name == "node_modules") {
                files_below(&path, endings, files);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            files.push(path);
        }
    }
}

/// Path from the root of the repository, and text.
pub(crate) fn texts(endings: &[&str]) -> BTreeMap<PathBuf, String> {
    let mut files = Vec::new();
    files_below(root(), endings, &mut files);
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page is text");
        (path.strip_prefix(root()).expect("below the root").to_owned(), text)
    };
    files.into_iter().map(text).collect()
}

pub(crate) fn pages() -> BTreeMap<PathBuf, String> {
    texts(&[".md"])
}

pub(crate) fn is_documentation(path: &Path) -> bool {
    path.starts_with("docs") || ["README.md", "SKILL.md"].map(Path::new).contains(&path)
}

/// A fenced block, or a comment that readers do not see.
#[derive(Debug)]
pub(crate) struct Block {
    /// From 1.
    pub line: usize,
    /// `js`, `sh`, `text`, …; `<!--` for a comment.
    pub language: String,
    pub text: String,
}

pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let comment = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let (language, text) = match (line.strip_prefix("```"), comment) {
            (Some(language), _) => {
                let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
                (language, body.flat_map(|line| [line, "\n"]).collect())
            }
            (None, Some(comment)) => ("<!--", comment.to_owned()),
            (None, None) => continue,
        };
        blocks.push(Block { line: index + 1, language: language.to_owned(), text });
    }
    blocks
}
