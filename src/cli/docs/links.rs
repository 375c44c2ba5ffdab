//! Pages as they are printed: links name topics, and comments for the tests of the pages are left out.

use super::{LIST, Page, pages, sections::lines};

/// A page, or a section of it, as Markdown. Links lead to topics of `lmthing docs`.
pub(super) fn printed(page: &Page, text: &str) -> String {
    if !page.is_markdown() {
        let language = page.path.rsplit('.').next().unwrap_or_default().replace("mjs", "js");
        return format!("# {}\n\n```{language}\n{}\n```\n", page.path, text.trim_end());
    }
    let mut printed = String::new();
    // Of a code span, which may go on in the next line.
    let mut is_code = false;
    for (_, line, is_fenced) in lines(text) {
        if is_fenced {
            printed += line;
        } else if !(line.starts_with("<!-- ") && line.trim_end().ends_with(" -->")) {
            is_code &= !line.trim().is_empty();
            let line = with_topics(page, line, &mut is_code);
            printed += &if page.topic == LIST { as_entry(&line).unwrap_or(line) } else { line };
        }
    }
    printed
}

fn with_topics(page: &Page, line: &str, is_code: &mut bool) -> String {
    let mut changed = String::new();
    for (index, part) in line.split('`').enumerate() {
        if index > 0 {
            changed.push('`');
            *is_code = !*is_code;
        }
        let mut targets = part.split("](");
        changed += targets.next().unwrap_or_default();
        for target in targets {
            changed += "](";
            match target.split_once(')') {
                Some((target, rest)) if !*is_code => changed += &format!("{}){rest}", topic(page, target)),
                _ => changed += target,
            }
        }
    }
    changed
}

/// What a link of a page leads to: a topic, or else a path from the root of the repository.
fn topic(page: &Page, target: &str) -> String {
    if target.contains("://") {
        return target.to_owned();
    }
    let (file, section) = target.split_once('#').map_or((target, None), |(file, section)| (file, Some(section)));
    let path = if file.is_empty() { page.path.to_owned() } else { resolved(page.path, file) };
    let known = pages().iter().find(|page| page.path == path).map(|page| page.topic.to_owned());
    let topic = known.unwrap_or(path);
    section.map_or(topic.clone(), |section| format!("{topic}#{section}"))
}

fn resolved(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// A link of the list of pages as an entry that begins with what to type: ``- `guide/tools`: about``.
fn as_entry(line: &str) -> Option<String> {
    let (_, entry) = line.strip_prefix("- [").and_then(|link| link.split_once("]("))?;
    let (topic, about) = entry.split_once(')')?;
    Some(format!("- `{topic}`{about}"))
}
