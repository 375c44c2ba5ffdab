//! Checks the pages of the repository: links, contents, line lengths and model names. What they show is run by
//! `docs_run`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::{
    pages::{pages, texts},
    support::root,
};

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
fn every_relative_link_leads_somewhere() {
    let pages = texts(&[".md", "llms.txt"]);
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
            // Tables and the front matter of SKILL.md cannot be broken.
            let is_breakable = !line.trim_start().starts_with('|') && !line.starts_with("description: ");
            if line.chars().count() > LONGEST_LINE && is_breakable {
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
    let names =
        ["run", "resume", "map", "check", "test", "new", "models", "runs", "view", "mcp", "worker", "docs", "ask"];
    let pages = names.map(|name| (name, name)).into_iter().chain([("approve", "remote")]);
    for (command, page) in pages {
        let path = format!("docs/reference/{page}.md");
        let text = fs::read_to_string(root().join(&path)).expect("the page exists");
        for option in options(command) {
            let general = ["--help", "--version"].contains(&option.as_str());
            let of_run = option.starts_with("--allow-") && text.contains("`--allow-…`");
            assert!(general || of_run || text.contains(&option), "{path}: {option}");
        }
    }
}
