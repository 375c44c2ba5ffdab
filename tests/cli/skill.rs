//! `SKILL.md` and `llms.txt`, which travel with every package. What the skill shows is run by `docs_run`.

use std::{collections::BTreeSet, fs};

use crate::{
    pages::blocks,
    support::{Folder, root},
};

/// The length that the skill promises in its own description, and the longest description that agents read.
const MOST_LINES: usize = 200;
const LONGEST_DESCRIPTION: usize = 1024;

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("it is there")
}

#[test]
fn the_skill_is_short_and_names_itself() {
    let skill = text("SKILL.md");
    assert!(skill.lines().count() <= MOST_LINES, "{} lines", skill.lines().count());
    let (front, _) = skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("front matter");
    let [name, description] = front.lines().collect::<Vec<_>>()[..] else { panic!("{front}") };
    assert_eq!(name, "name: lmthing");
    let description = description.strip_prefix("description: ").expect("a description");
    assert!(description.len() <= LONGEST_DESCRIPTION && !description.contains(": "), "{description}");
}

/// The block of methods has names in place of values. With all of these declared as `any`, the type checker counts the
/// arguments and knows the methods.
#[test]
fn calls_that_the_skill_lists_type_check() {
    let blocks = blocks(&text("SKILL.md"));
    let calls = blocks.iter().find(|block| block.language == "ts").expect("the block of methods");
    let calls = calls.text.replace('…', "");
    let code: String =
        calls.lines().map(|line| line.split(" // ").next().unwrap_or_default().to_owned() + "\n").collect();
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '$';
    let names: BTreeSet<&str> = code.split(|letter| !is_of_name(letter)).filter(|name| !name.is_empty()).collect();
    let (methods, values): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| name.starts_with("def") || *name == "$");
    assert!(methods.len() >= 12, "{methods:?}");
    let taken = ["const", "value", "set", "else", "user", "message", "assistant"];
    let values = values.iter().filter(|name| !taken.contains(name));
    let declared: String = values.map(|name| format!("declare const {name}: any;\n")).collect();
    let file = format!(
        "import type {{ Prompt }} from 'lmthing';\n{declared}export const config = {{ model: 'mock' }};\n\
         export const mock = [];\nexport default async ({{ {} }}: Prompt) => {{\n{code}}};\n",
        methods.join(", "),
    );
    let folder = Folder::new(&[("methods.lmt.ts", &file)]);
    let outcome = folder.run("check --no-render methods.lmt.ts");
    assert_eq!(outcome.code, 0, "{}\n{file}", outcome.stdout);
}

/// The rows of a table as entries in the form of llmstxt.org. Links are relative to `folder`.
fn entry(row: &str, folder: &str) -> Option<String> {
    let (link, about) = row.strip_prefix("| [")?.strip_suffix(" |")?.split_once(" | ")?;
    let [link, about] = [link, about].map(|cell| cell.replace("](", &format!("]({folder}")));
    Some(format!("- [{link}: {about}\n"))
}

/// The lists of `docs/README.md`, and that of the examples in `README.md`.
fn lists_of_pages() -> String {
    let map = text("docs/README.md");
    let (_, sections) = map.split_once("\n## ").expect("sections");
    let (for_users, _) = sections.split_once("\n## For maintainers").expect("pages for maintainers");
    let mut lists = String::new();
    for line in format!("## {for_users}").lines() {
        match entry(line, "docs/") {
            Some(entry) => lists += &entry,
            None if line.starts_with("## ") => lists += &format!("\n{line}\n\n"),
            None => {}
        }
    }
    let readme = text("README.md");
    let (_, examples) = readme.split_once("\n## Examples\n").expect("examples");
    let (examples, _) = examples.split_once("\n## ").expect("a section after them");
    lists += "\n## Examples\n\n";
    for (names, about) in
        examples.lines().filter_map(|row| row.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "))
    {
        for name in names.split("`, `") {
            lists += &format!("- [{name}](examples/{name}.lmt.mjs): {about}\n");
        }
    }
    lists
}

#[test]
fn llms_txt_lists_the_pages_of_the_documentation() {
    let written = text("llms.txt");
    let lists = lists_of_pages();
    assert!(written.starts_with("# lmthing\n\n> "), "a heading, then a quote");
    assert!(written.ends_with(&lists), "llms.txt has to end with the lists of docs/README.md and README.md:\n{lists}");
}
