//! Checks the pages of the repository: snippets, links, contents, line lengths and model names.
//!
//! In `README.md` and `docs/` a `js` block with a default export and a mock is a prompt file; the `text` block after
//! it is its output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::support::root;

const LONGEST_LINE: usize = 120;

/// The models that pages, examples and templates may name. All of them are in the price table.
const MODELS: &[&str] = &[
    "anthropic:claude-haiku-5-5",
    "anthropic:claude-sonnet-5-5",
    "bedrock:global.anthropic.claude-sonnet-5-v1:0",
    "groq:openai/gpt-oss-120b",
    "mistral:mistral-large-4",
    "openai:gpt-6-luna",
    "openai:gpt-6.1-sol",
];

/// A name for a model that the price table does not have.
const UNKNOWN_MODEL: &str = "openai:gpt-x";

const PROVIDERS: &[&str] =
    &["openai", "anthropic", "google", "mistral", "azure", "groq", "cohere", "bedrock", "vertex"];

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
fn texts(endings: &[&str]) -> BTreeMap<PathBuf, String> {
    let mut files = Vec::new();
    files_below(root(), endings, &mut files);
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page is text");
        (path.strip_prefix(root()).expect("below the root").to_owned(), text)
    };
    files.into_iter().map(text).collect()
}

fn pages() -> BTreeMap<PathBuf, String> {
    texts(&[".md"])
}

fn is_documentation(path: &Path) -> bool {
    path.starts_with("docs") || path == Path::new("README.md")
}

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

/// The lines of a page that are not in fenced blocks: (number, line).
fn prose(page: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut prose = Vec::new();
    for (index, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            prose.push((index + 1, line));
        }
    }
    prose
}

fn headings(page: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(page).into_iter().filter_map(|(_, line)| {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        Some((level, line[level..].strip_prefix(' ')?)).filter(|_| (1..=6).contains(&level))
    })
}

/// The anchor of a heading, by GitHub's rules.
fn anchor(heading: &str) -> String {
    let stored = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(stored).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// The targets of the links of a page, `[text](target)`, with the number of their line.
fn links(page: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(page) {
        // Code in a line may look like a link.
        let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for rest in text.split("](").skip(1) {
            if let Some((target, _)) = rest.split_once(')') {
                links.push((number, target.to_owned()));
            }
        }
    }
    links
}

/// The path that a relative link leads to, from the root of the repository.
fn resolved(page: &Path, target: &str) -> PathBuf {
    let mut path = page.parent().expect("a page is in a folder").to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

#[test]
fn every_prompt_file_prints_what_its_page_says() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut count = 0;
    for (page, text) in pages().into_iter().filter(|(page, _)| is_documentation(page)) {
        let page = page.to_string_lossy().replace('/', "-");
        let blocks = blocks(&text);
        for (index, (line, language, code)) in blocks.iter().enumerate() {
            // A file with a real model needs a server.
            if language != "js" || !code.contains("export default") || !code.contains("model: 'mock'") {
                continue;
            }
            let file = directory.path().join(format!("{page}-{line}.lmt.mjs"));
            fs::write(&file, code).expect("a file can be written");
            let output = Command::new(env!("CARGO_BIN_EXE_lmthing")).arg("run").arg(&file).output().expect("it runs");
            let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success() && stderr.is_empty(), "{page}:{line}: {}: {stderr}", output.status);
            let expected = blocks.get(index + 1).filter(|(_, language, _)| language == "text");
            let (_, _, expected) = expected.unwrap_or_else(|| panic!("{page}:{line}: no text block with its output"));
            assert_eq!(stdout, expected.as_str(), "{page}:{line}");
            count += 1;
        }
    }
    assert!(count >= 7, "only {count} prompt files were found");
}

#[test]
fn the_tests_in_the_guide_pass() {
    let page = fs::read_to_string(root().join("docs/guide/testing.md")).expect("the page exists");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut count = 0;
    for (_, _, code) in blocks(&page).iter().filter(|(_, language, _)| language == "js") {
        // The first line of a file is its name.
        let name =
            code.lines().next().and_then(|line| line.strip_prefix("// ")).filter(|name| name.ends_with(".lmt.mjs"));
        let Some(name) = name else { continue };
        fs::write(directory.path().join(name), code).expect("a file can be written");
        count += 1;
    }
    assert!(count >= 5, "only {count} files were found");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
    let output = command.arg("test").current_dir(directory.path()).env_remove("CI").output().expect("it runs");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stdout.contains(&format!(" Test Files  {count} passed ({count})\n")), "{stdout}");
}

#[test]
fn every_relative_link_leads_somewhere() {
    let pages = pages();
    let anchors = |path: &Path| -> BTreeSet<String> {
        pages.get(path).map(|page| headings(page).map(|(_, heading)| anchor(heading)).collect()).unwrap_or_default()
    };
    let mut broken = Vec::new();
    let mut count = 0;
    for (page, text) in &pages {
        for (line, target) in links(text) {
            if target.contains("://") {
                continue;
            }
            count += 1;
            let (file, section) = target.split_once('#').unwrap_or((&target, ""));
            let path = if file.is_empty() { page.clone() } else { resolved(page, file) };
            let found = root().join(&path).exists() && (section.is_empty() || anchors(&path).contains(section));
            if !found {
                broken.push(format!("{}:{line}: {target}", page.display()));
            }
        }
    }
    assert_eq!(broken, [""; 0]);
    assert!(count > 300, "only {count} links were found");
}

#[test]
fn comments_name_pages_that_exist() {
    let mut missing = Vec::new();
    for (path, text) in texts(&[".rs", ".mjs", ".js", ".ts", ".toml", ".yml", ".py"]) {
        let comments = text.lines().filter(|line| line.trim_start().starts_with(['/', '#', '*']));
        for rest in comments.flat_map(|line| line.split("docs/").skip(1)) {
            let end = rest.find(|letter: char| !(letter.is_alphanumeric() || "/-_.".contains(letter)));
            let page = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
            if page.ends_with(".md") && !root().join("docs").join(page).exists() {
                missing.push(format!("{}: docs/{page}", path.display()));
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
fn lines_of_prose_are_short() {
    let mut long = Vec::new();
    for (page, text) in pages() {
        for (number, line) in prose(&text) {
            if line.chars().count() > LONGEST_LINE && !line.trim_start().starts_with('|') {
                long.push(format!("{}:{number}", page.display()));
            }
        }
    }
    assert_eq!(long, [""; 0], "lines over {LONGEST_LINE} characters");
}

#[test]
fn pages_of_the_reference_have_contents() {
    for (page, text) in pages().into_iter().filter(|(page, _)| page.starts_with("docs/reference")) {
        let sections: Vec<_> = headings(&text).filter(|(level, _)| *level == 2).map(|(_, heading)| heading).collect();
        if sections.is_empty() {
            continue;
        }
        let (_, rest) = text.split_once("\n**Contents:** ").unwrap_or_else(|| panic!("{}: contents", page.display()));
        let (contents, _) = rest.split_once("\n\n").expect("a paragraph ends");
        let listed: Vec<_> = links(contents).into_iter().map(|(_, target)| target).collect();
        let expected: Vec<_> = sections.iter().map(|heading| format!("#{}", anchor(heading))).collect();
        assert_eq!(listed, expected, "{}", page.display());
    }
}

#[test]
fn the_map_lists_every_page() {
    let maps = [Path::new("docs/README.md"), Path::new("docs/maintainers/decisions/README.md")];
    let pages = pages();
    let listed: BTreeSet<PathBuf> = maps
        .iter()
        .flat_map(|map| links(&pages[*map]).into_iter().map(|(_, target)| resolved(map, &target)))
        .chain([maps[0].to_owned()])
        .collect();
    let all: BTreeSet<&PathBuf> = pages.keys().filter(|page| page.starts_with("docs")).collect();
    let missing: Vec<_> = all.into_iter().filter(|page| !listed.contains(*page)).collect();
    assert_eq!(missing, Vec::<&PathBuf>::new(), "docs/README.md");
}

/// The model strings of built-in providers in a text.
fn models(text: &str) -> BTreeSet<String> {
    let of_name = |letter: char| letter.is_ascii_alphanumeric() || "-._/:".contains(letter);
    let tokens = text.split(|letter: char| !of_name(letter)).map(|token| token.trim_end_matches(['.', ':', '/']));
    let is_model = |token: &&str| {
        token.split_once(':').is_some_and(|(provider, model)| {
            PROVIDERS.contains(&provider) && model.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        })
    };
    tokens.filter(is_model).map(str::to_owned).collect()
}

#[test]
fn pages_examples_and_templates_name_current_models() {
    let prompts = texts(&[".lmt.mjs"]).into_iter().filter(|(path, _)| !path.starts_with("tests"));
    for (path, text) in pages().into_iter().chain(prompts) {
        for model in models(&text) {
            let known = MODELS.contains(&model.as_str()) || model == UNKNOWN_MODEL;
            assert!(known, "{}: {model}", path.display());
        }
    }
}

#[test]
fn the_price_table_has_the_models() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
    let output = command.args(["models", "--prices", "--json"]).output().expect("it runs");
    let table: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = table["prices"].as_array().expect("a list");
    let known: BTreeSet<&str> = rows.iter().filter_map(|row| row["model"].as_str()).collect();
    let missing: Vec<_> = MODELS.iter().filter(|model| !known.contains(*model)).collect();
    assert_eq!(missing, Vec::<&&str>::new());
}

/// The long options that a command's help lists.
fn options(command: &str) -> BTreeSet<String> {
    let mut process = Command::new(env!("CARGO_BIN_EXE_lmthing"));
    let output = process.args([command, "--help"]).output().expect("it runs");
    let help = String::from_utf8(output.stdout).expect("text");
    let option = |line: &str| {
        let line = line.trim_start();
        let (_, long) = line.strip_prefix("--").map(|long| ("", long)).or_else(|| line.split_once(", --"))?;
        let end = long.find(|letter: char| !(letter.is_ascii_lowercase() || letter == '-')).unwrap_or(long.len());
        Some(format!("--{}", &long[..end])).filter(|_| line.starts_with('-'))
    };
    help.lines().filter_map(option).collect()
}

#[test]
fn pages_of_commands_name_every_option() {
    let names = ["run", "resume", "map", "check", "test", "new", "models", "runs", "view", "mcp", "worker"];
    let pages = names.map(|name| (name, name)).into_iter().chain([("approve", "remote")]);
    for (command, page) in pages {
        let path = format!("docs/reference/{page}.md");
        let text = fs::read_to_string(root().join(&path)).expect("the page exists");
        for option in options(command) {
            let general = ["--help", "--version"].contains(&option.as_str());
            let of_run = option.starts_with("--allow-") && text.contains("`--allow-…`");
            // Rows are never stored, so that nothing can wait for a decision.
            let ignored = command == "map" && option == "--on-approval";
            assert!(general || of_run || ignored || text.contains(&option), "{path}: {option}");
        }
    }
}

#[test]
fn the_typed_file_of_the_guide_has_the_help_and_the_error_shown() {
    let page = fs::read_to_string(root().join("docs/guide/typed-files.md")).expect("the page exists");
    let blocks = blocks(&page);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (_, _, code) = &blocks[0];
    fs::write(directory.path().join("weather.lmt.mjs"), code).expect("a file can be written");
    let shown: Vec<&str> =
        blocks.iter().filter(|(_, kind, _)| kind == "text").map(|(_, _, text)| text.as_str()).collect();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
        command
            .args(["run", "weather.lmt.mjs"])
            .args(arguments)
            .current_dir(directory.path())
            .output()
            .expect("it runs")
    };
    // The notes below the options are left out on the page.
    let help = String::from_utf8(run(&["--help"]).stdout).expect("text");
    assert!(help.starts_with(shown[0]), "{help}");
    assert_eq!(String::from_utf8_lossy(&run(&["Rome", "--days", "many"]).stderr), shown[1]);
}
