//! Finds what a topic of `lmthing docs` means: a page, a section, or a name that the pages explain.

use std::cmp::Reverse;

use lmthing_base::diagnostic::closest;

use super::{
    DECLARATIONS, LIST, Page,
    links::printed,
    pages,
    sections::{Section, anchor, sections},
    topics,
};

/// The most topics that a message names.
const MOST_NAMED: usize = 6;

/// The page about `lmthing docs`, whose examples of names explain nothing.
const OWN_PAGE: &str = "reference/docs";

/// What was found.
pub(in crate::cli) struct Found {
    /// Markdown.
    pub(in crate::cli) text: String,
    /// Its full name, where it is not the one that was asked for.
    pub(in crate::cli) topic: String,
    /// Other topics of the same name, or about it.
    pub(in crate::cli) others: Vec<String>,
}

/// Why nothing was found.
#[derive(Debug)]
pub(in crate::cli) enum NotFound {
    /// Several sections have this heading.
    Ambiguous(Vec<String>),
    /// The page has other sections.
    NoSection { page: &'static str, sections: Vec<String> },
    /// Nothing has this name; one that is similar.
    Unknown(Option<String>),
    /// Nothing has this name, but these topics mention it.
    Mentioned(Vec<String>),
}

/// Finds a topic: `guide/tools`, `tools`, `tools#options`, `exit codes`, `defTool`, or where a link leads.
pub(in crate::cli) fn find(asked: &str) -> Result<Found, NotFound> {
    let asked = asked.trim().trim_start_matches('#');
    let (name, section) = asked.split_once('#').map_or((asked, None), |(name, section)| (name, Some(section)));
    let name = name.trim().trim_start_matches("../").trim_start_matches("./").trim_start_matches("docs/");
    let name = name.trim_end_matches(".md").trim_end_matches(".mjs").trim_end_matches(".lmt");
    let is_folder = !name.is_empty()
        && topics().iter().any(|topic| topic.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')));
    let name = if name.is_empty() || is_folder { LIST } else { name };
    match (page(name), section) {
        (Some(page), None) => Ok(of_page(page)),
        (Some(page), Some(section)) => section_of(page, section),
        (None, _) => section_named(name),
    }
}

/// The page of a topic; of a last part that several have, the first one's, which is that of the guide.
fn page(name: &str) -> Option<&'static Page> {
    let by = |is_it: &dyn Fn(&Page) -> bool| pages().iter().find(|page| is_it(page));
    let without_s = |name: &str| name.trim_end_matches('s').to_owned();
    let name = name.replace(' ', "-");
    by(&|page| page.topic.eq_ignore_ascii_case(&name) || page.path.eq_ignore_ascii_case(&name))
        .or_else(|| by(&|page| page.short_name().eq_ignore_ascii_case(&name)))
        .or_else(|| by(&|page| without_s(page.short_name()) == without_s(&name.to_lowercase())))
}

fn of_page(page: &'static Page) -> Found {
    let files = pages().iter().filter(|other| other.topic == page.topic);
    let text = files.map(|file| printed(file, file.text)).collect::<Vec<_>>().join("\n");
    let same = |other: &&Page| other.short_name() == page.short_name() && other.topic != page.topic;
    let mut others: Vec<String> = pages().iter().filter(same).map(|other| other.topic.to_owned()).collect();
    others.dedup();
    Found { text, topic: page.topic.to_owned(), others }
}

fn of_section(section: &Section, others: Vec<String>) -> Found {
    let text = printed(section.page, section.whole.trim_end()) + "\n";
    Found { text, topic: section.topic(), others }
}

fn section_of(page: &'static Page, asked: &str) -> Result<Found, NotFound> {
    let sections = sections(page);
    let wanted = anchor(asked);
    if let Some(section) = sections.iter().find(|section| section.anchor() == wanted) {
        return Ok(of_section(section, Vec::new()));
    }
    let others = sections.iter().filter(|section| !section.is_page).map(Section::topic).collect();
    Err(NotFound::NoSection { page: page.topic, sections: others })
}

/// The section with this heading, else the one that explains this name.
fn section_named(name: &str) -> Result<Found, NotFound> {
    let sections: Vec<Section> = pages().iter().filter(|page| page.topic != LIST).flat_map(sections).collect();
    let wanted = anchor(name);
    let of_command = format!("lmthing-{wanted}");
    let headings: Vec<&Section> =
        sections.iter().filter(|section| [&wanted, &of_command].contains(&&section.anchor())).collect();
    match headings[..] {
        [] => explained(name, &sections).ok_or_else(|| not_found(name, &sections)),
        [section] => Ok(of_section(section, Vec::new())),
        _ => Err(NotFound::Ambiguous(headings.iter().map(|section| section.topic()).collect())),
    }
}

/// The section that explains a name of the code, such as a method, an option or a property.
fn explained(name: &str, sections: &[Section]) -> Option<Found> {
    if !name.contains(is_of_name) {
        return None;
    }
    let explaining = sections.iter().filter(|section| section.page.topic != OWN_PAGE);
    let mut about: Vec<(usize, &Section)> =
        explaining.map(|section| (weight(section, name), section)).filter(|(weight, _)| *weight > 0).collect();
    // Stable: of equal ones the first stays the first.
    about.sort_by_key(|(weight, _)| Reverse(*weight));
    let (_, best) = about.first()?;
    let others = about[1..].iter().map(|(_, section)| section.topic()).take(MOST_NAMED).collect();
    Some(of_section(best, others))
}

/// How much a section says about a name of the code: most where it is in a heading or in the list of pages, much where an
/// entry of a list or a row of a table begins with it.
fn weight(section: &Section, name: &str) -> usize {
    let mut weight = 0;
    for line in section.own.lines() {
        let count = codes(line).filter(|code| has_name(code, name)).count();
        let begins = start_of_entry(line).is_some_and(|start| codes(start).any(|code| has_name(code, name)));
        weight += count + if begins { 10 } else { 0 } + if line.starts_with('#') { 50 * count } else { 0 };
    }
    let is_rule = section.page.topic.starts_with("reference/");
    let is_listed = section.is_page && codes(listed(section.page)).any(|code| code.eq_ignore_ascii_case(name));
    weight + if is_rule && weight > 0 { 5 } else { 0 } + if is_listed { 40 } else { 0 }
}

/// What a row of a table or an entry of a list is about: its first cell, what is before a colon, or the code it begins with.
fn start_of_entry(line: &str) -> Option<&str> {
    if let Some(row) = line.strip_prefix("| ") {
        return row.split(" | ").next();
    }
    let entry = line.strip_prefix("- ").filter(|entry| entry.starts_with('`'))?;
    let code = entry[1..].find('`').map_or(entry.len(), |end| end + 2);
    Some(&entry[..entry.find("`: ").map_or(code, |colon| colon + 1)])
}

/// What is between backticks.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn names_in(code: &str) -> impl Iterator<Item = &str> {
    code.split(|letter| !is_of_name(letter)).filter(|name| name.len() > 3)
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// What the list of pages says of a page.
fn listed(page: &Page) -> &'static str {
    let list = pages().iter().find(|page| page.topic == LIST).map_or("", |list| list.text);
    let link = format!("]({}): ", page.path);
    list.lines().find_map(|line| Some(line.split_once(&link)?.1)).unwrap_or_default()
}

/// Whether code has a name as a whole, as `defTool(name, …)` has `defTool`.
fn has_name(code: &str, name: &str) -> bool {
    let (code, name) = (code.to_lowercase(), name.to_lowercase());
    code.match_indices(&name)
        .any(|(at, _)| !code[..at].ends_with(is_of_name) && !code[at + name.len()..].starts_with(is_of_name))
}

fn not_found(name: &str, sections: &[Section]) -> NotFound {
    let topics = topics();
    let anchors: Vec<String> = sections.iter().map(Section::anchor).collect();
    let short = topics.iter().filter_map(|topic| topic.rsplit('/').next());
    let candidates = short.chain(topics.iter().copied()).chain(anchors.iter().map(String::as_str));
    let names = sections.iter().flat_map(|section| codes(section.own)).flat_map(names_in);
    let similar = closest(name, candidates);
    let mentioned = if similar.is_none() { mentions(name, sections) } else { Vec::new() };
    if !mentioned.is_empty() {
        return NotFound::Mentioned(mentioned);
    }
    NotFound::Unknown(similar.or_else(|| closest(name, names)).map(str::to_owned))
}

/// The topics that mention a text, without regard to case, spaces and signs, then those that have all of its words; those
/// first that have them most often.
fn mentions(text: &str, sections: &[Section]) -> Vec<String> {
    let letters =
        |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase();
    let whole = letters(text);
    if whole.is_empty() {
        return Vec::new();
    }
    let words: Vec<String> = text.split_whitespace().map(letters).collect();
    let weight = |own: &str| {
        let own = letters(own);
        let count = |text: &String| own.matches(text.as_str()).count();
        (count(&whole), words.iter().map(count).min().unwrap_or_default())
    };
    let mut about: Vec<_> = sections.iter().map(|section| (weight(section.own), section.topic())).collect();
    about.retain(|(weight, _)| *weight > (0, 0));
    about.sort_by_key(|(weight, _)| Reverse(*weight));
    about.truncate(MOST_NAMED);
    let declared = pages().iter().filter(|page| page.path == DECLARATIONS.0 && letters(page.text).contains(&whole));
    about.into_iter().map(|(_, topic)| topic).chain(declared.map(|page| page.topic.to_owned())).collect()
}
