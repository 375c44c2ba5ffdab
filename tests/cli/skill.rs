//! `SKILL.md` and `llms.txt`, which travel with every package. What the skill shows is run by `docs_run`.

use std::fs;

use crate::support::root;

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

/// The lists of `docs/README.md` in the form of llmstxt.org.
fn lists_of_pages() -> String {
    let map = text("docs/README.md");
    let (_, sections) = map.split_once("\n## ").expect("sections");
    let (for_users, _) = sections.split_once("\n## For maintainers").expect("pages for maintainers");
    let mut lists = String::new();
    for line in format!("## {for_users}").lines() {
        let row = line.strip_prefix("| [").and_then(|row| row.strip_suffix(" |")).and_then(|row| row.split_once(" | "));
        match row {
            Some((link, about)) => {
                let [link, about] = [link, about].map(|cell| cell.replace("](", "](docs/"));
                lists += &format!("- [{link}: {about}\n");
            }
            None if line.starts_with("## ") => lists += &format!("\n{line}\n\n"),
            None => {}
        }
    }
    lists
}

#[test]
fn llms_txt_lists_the_pages_of_the_documentation() {
    let written = text("llms.txt");
    let lists = lists_of_pages();
    assert!(written.starts_with("# lmthing\n\n> "), "a heading, then a quote");
    assert!(written.ends_with(&lists), "llms.txt has to end with the lists of docs/README.md:\n{lists}");
}
