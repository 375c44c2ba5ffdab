//! Runs every complete prompt file of the README and of `docs/`, and holds what it prints.
//!
//! A `js` block with a default export is a file; the `text` block after it is what it prints.

use std::{fs, path::Path, process::Command};

/// The fenced blocks of a page: (line, language, text).
fn blocks(page: &str) -> Vec<(usize, String, String)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else { continue };
        let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
        let text: String = body.flat_map(|line| [line, "\n"]).collect();
        blocks.push((number + 1, language.to_owned(), text));
    }
    blocks
}

fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).expect("docs/ is there");
    let docs = docs.map(|entry| entry.expect("a readable directory").path());
    let pages = docs.chain([root.join("README.md")]).filter(|path| path.extension().is_some_and(|end| end == "md"));
    let named = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).expect("a page is text");
        (path.file_name().expect("a file").to_string_lossy().into_owned(), text)
    };
    pages.map(named).collect()
}

#[test]
fn every_prompt_file_of_the_docs_prints_what_they_say() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut count = 0;
    for (page, text) in pages() {
        let blocks = blocks(&text);
        for (index, (line, language, code)) in blocks.iter().enumerate() {
            // A file with a real model needs a server; the examples are run against one.
            if language != "js" || !code.contains("export default") || !code.contains("model: 'mock'") {
                continue;
            }
            let file = directory.path().join(format!("{page}-{line}.lmt.mjs"));
            fs::write(&file, code).expect("a file can be written");
            let output = Command::new(env!("CARGO_BIN_EXE_lmthing")).arg("run").arg(&file).output().expect("it runs");
            let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success() && stderr.is_empty(), "{page}:{line}: {}: {stderr}", output.status);
            let expected = blocks.get(index + 1).filter(|(_, language, _)| language == "text");
            let (_, _, expected) = expected.unwrap_or_else(|| panic!("{page}:{line}: say what it prints"));
            assert_eq!(stdout, expected.as_str(), "{page}:{line}");
            count += 1;
        }
    }
    assert!(count >= 4, "the prompt files of the docs were not found");
}

#[test]
fn the_tests_of_the_docs_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/testing.md")).expect("the page is there");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut count = 0;
    for (_, _, code) in blocks(&page).iter().filter(|(_, language, _)| language == "js") {
        // A file says what it is called.
        let name =
            code.lines().next().and_then(|line| line.strip_prefix("// ")).filter(|name| name.ends_with(".lmt.mjs"));
        let Some(name) = name else { continue };
        fs::write(directory.path().join(name), code).expect("a file can be written");
        count += 1;
    }
    assert!(count >= 5, "the tests of the docs were not found");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
    let output = command.arg("test").current_dir(directory.path()).env_remove("CI").output().expect("it runs");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stdout.contains(&format!(" Test Files  {count} passed ({count})\n")), "{stdout}");
}
