//! Search among many functions: an overview of names, a search by query, and the functions that code mentions.

use std::{cmp::Reverse, rc::Rc};

use super::declarations::{Declaration, DeclarationError, Declarations, FunctionSignature};

/// With more functions than this, code is first checked against those alone that it mentions.
const SEARCH_THRESHOLD: usize = 50;

const MOST_RESULTS: usize = 8;

const LONGEST_DESCRIPTION: usize = 80;

type Member<'a> = (Option<&'a str>, &'a FunctionSignature);

fn members(declarations: &[Rc<Declaration>]) -> impl Iterator<Item = Member<'_>> {
    declarations.iter().flat_map(|declaration| match &**declaration {
        Declaration::Function(function) => vec![(None, function)],
        Declaration::Namespace { name, functions, .. } => {
            functions.iter().map(|function| (Some(name.as_str()), function)).collect()
        }
    })
}

fn full_name((namespace, function): &Member<'_>) -> String {
    namespace.map_or_else(|| function.name.clone(), |namespace| format!("{namespace}.{}", function.name))
}

/// A line for each function with the start of its description, in at most `budget` bytes. Descriptions are left out
/// if they do not fit, and names if they do not fit either.
pub fn overview(declarations: &[Rc<Declaration>], budget: usize) -> String {
    let all: Vec<Member<'_>> = members(declarations).collect();
    for length in [LONGEST_DESCRIPTION, 0] {
        let text: String = all.iter().map(|member| line(member, length)).collect();
        if text.len() <= budget {
            return text;
        }
    }
    let mut text = String::new();
    for (number, member) in all.iter().enumerate() {
        let line = line(member, 0);
        let rest = format!("… and {} more\n", all.len() - number);
        if text.len() + line.len() + rest.len() > budget {
            return text + &rest;
        }
        text.push_str(&line);
    }
    text
}

fn line(member: &Member<'_>, length: usize) -> String {
    let name = full_name(member);
    let first = member.1.description.lines().next().unwrap_or_default().trim();
    let shown: String = first.chars().take(length).collect();
    let more = if shown.len() < first.len() { "…" } else { "" };
    if shown.is_empty() { format!("{name}\n") } else { format!("{name}: {shown}{more}\n") }
}

/// The declarations of the functions that match a query best, in at most `budget` bytes, or a message if none does.
pub fn search(declarations: &[Rc<Declaration>], query: &str, budget: usize) -> Result<String, DeclarationError> {
    let mut found = Vec::new();
    let mut text = String::new();
    for member in named(declarations, query).unwrap_or_else(|| best(declarations, query)) {
        found.push(member);
        let next = Declarations::new(&grouped(declarations, &found))?.text().to_owned();
        if next.len() > budget && !text.is_empty() {
            break;
        }
        text = next;
    }
    if !text.is_empty() {
        return Ok(text);
    }
    let names: Vec<&str> = declarations.iter().map(|declaration| declaration.name()).collect();
    Ok(format!(
        "No function matches {query:?}. There are {}: {}",
        members(declarations).count(),
        shortened(&names.join(", "))
    ))
}

/// The functions that a query names, if it has nothing but names: no others are wanted then. A single plain word may
/// be meant as a word.
fn named<'a>(declarations: &'a [Rc<Declaration>], query: &str) -> Option<Vec<Member<'a>>> {
    let names: Vec<&str> = query.split([' ', ',', ';', '\n']).filter(|name| !name.is_empty()).collect();
    if names.len() == 1 && words(query).len() == 1 {
        return None;
    }
    let mut found = Vec::new();
    for name in &names {
        let before = found.len();
        found.extend(members(declarations).filter(|member| is_named(member, name)));
        if found.len() == before {
            return None;
        }
    }
    Some(found).filter(|found| !found.is_empty())
}

fn is_named(member: &Member<'_>, name: &str) -> bool {
    member.1.name == name || full_name(member) == name
}

fn best<'a>(declarations: &'a [Rc<Declaration>], query: &str) -> Vec<Member<'a>> {
    let words = words(query);
    let mut ranked: Vec<(usize, Member<'_>)> =
        members(declarations).map(|member| (score(&member, query.trim(), &words), member)).collect();
    ranked.retain(|(score, _)| *score > 0);
    ranked.sort_by_key(|(score, _)| Reverse(*score));
    ranked.into_iter().take(MOST_RESULTS).map(|(_, member)| member).collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn score(member: &Member<'_>, query: &str, wanted: &[String]) -> usize {
    if is_named(member, query) {
        return 1000;
    }
    let (namespace, function) = member;
    let name = words(&function.name);
    let namespace = namespace.map(words).unwrap_or_default();
    let description = words(&function.description);
    let properties = function.input_schema.get("properties").and_then(serde_json::Value::as_object);
    let properties: Vec<String> =
        properties.into_iter().flat_map(|map| map.keys()).flat_map(|key| words(key)).collect();
    let word_score = |word: &String| {
        let has_common_prefix =
            |other: &String| other.starts_with(word.as_str()) || word.starts_with(other.as_str()) && other.len() > 3;
        if name.contains(word) {
            16
        } else if name.iter().any(has_common_prefix) {
            8
        } else if description.contains(word) {
            4
        } else if namespace.contains(word) {
            3
        } else if properties.contains(word) || description.iter().any(has_common_prefix) {
            2
        } else {
            0
        }
    };
    wanted.iter().map(word_score).sum()
}

/// Splits identifiers as well: `readFile`, `read_file` and `Read file` give the same list.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in text.chars() {
        if c.is_alphanumeric() {
            let begins = !before.is_alphanumeric()
                || (before.is_lowercase() && c.is_uppercase())
                || before.is_numeric() != c.is_numeric();
            if begins {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        before = c;
    }
    words
}

/// The functions that code mentions, if there are many functions; the others make no difference to correct code.
/// `None` if any function may be used.
pub fn mentioned(declarations: &[Rc<Declaration>], code: &str) -> Option<Vec<Declaration>> {
    if members(declarations).nth(SEARCH_THRESHOLD).is_none() || code.contains("globalThis") {
        return None;
    }
    let mut found: Vec<Member<'_>> = Vec::new();
    for declaration in declarations {
        match &**declaration {
            Declaration::Function(function) => {
                found.extend(identifiers(code).any(|(_, word)| word == function.name).then_some((None, function)));
            }
            Declaration::Namespace { name, functions, .. } => {
                for (end, _) in identifiers(code).filter(|(_, word)| word == name) {
                    // As in `Object.keys(files)`, which may use all members.
                    let member = member_after(&code[end..])?;
                    found.extend(
                        functions.iter().filter(|function| function.name == member).map(|f| (Some(name.as_str()), f)),
                    );
                }
            }
        }
    }
    Some(grouped(declarations, &found))
}

/// `name` of `.name` at the start of a text.
fn member_after(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix('.')?.trim_start();
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// All identifiers of a text, including those in comments and strings, with their end offsets.
fn identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let parts = text.split(|c: char| !is_part(c));
    parts.filter(|part| !part.is_empty()).map(move |part| {
        let end = part.as_ptr() as usize - text.as_ptr() as usize + part.len();
        (end, part)
    })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Some functions in their original order, with their namespaces.
fn grouped(declarations: &[Rc<Declaration>], found: &[Member<'_>]) -> Vec<Declaration> {
    let is_found = |function: &FunctionSignature| found.iter().any(|(_, known)| std::ptr::eq(*known, function));
    let group = |declaration: &Rc<Declaration>| match &**declaration {
        Declaration::Function(function) => is_found(function).then(|| Declaration::Function(function.clone())),
        Declaration::Namespace { name, description, functions } => {
            let functions: Vec<_> = functions.iter().filter(|function| is_found(function)).cloned().collect();
            (!functions.is_empty()).then(|| Declaration::Namespace {
                name: name.clone(),
                description: description.clone(),
                functions,
            })
        }
    };
    declarations.iter().filter_map(group).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn function(name: &str, description: &str) -> FunctionSignature {
        FunctionSignature {
            name: name.to_owned(),
            description: description.to_owned(),
            input_schema: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
            output_schema: None,
        }
    }

    fn many(count: usize) -> Vec<Rc<Declaration>> {
        let mut functions: Vec<_> = (0..count).map(|number| function(&format!("tool_{number}"), "Does it")).collect();
        functions.push(function("readFile", "Gives the text of a file"));
        let name = "files".to_owned();
        vec![
            Rc::new(Declaration::Function(function("sum", "Adds numbers"))),
            Rc::new(Declaration::Namespace { name, description: String::new(), functions }),
        ]
    }

    #[test]
    fn the_overview_stays_within_its_budget() {
        assert_eq!(
            overview(&many(1), 1000),
            "sum: Adds numbers\nfiles.tool_0: Does it\nfiles.readFile: Gives the text of a file\n"
        );
        assert_eq!(overview(&many(1), 40), "sum\nfiles.tool_0\nfiles.readFile\n");
        let cut = overview(&many(2000), 300);
        assert!(cut.len() <= 300 && cut.starts_with("sum\nfiles.tool_0\n") && cut.contains(" more\n"), "{cut}");
    }

    #[test]
    fn words_find_functions() {
        let found = |query: &str| search(&many(2000), query, 2000).unwrap();
        assert!(found("read a file").contains("function readFile("));
        assert!(found("files.tool_7").contains("function tool_7("));
        assert!(found("adds").starts_with("/** Adds numbers */\ndeclare function sum("));
        assert_eq!(found("xyz"), "No function matches \"xyz\". There are 2002: sum, files");
        assert!(found("tool does it").len() <= 2000);
    }

    #[test]
    fn a_query_of_names_gives_these_functions_alone() {
        let names = |query: &str| {
            let text = search(&many(2000), query, 10_000).unwrap();
            let names = text
                .split("function ")
                .skip(1)
                .filter_map(|rest| rest.split_once('('))
                .map(|(name, _)| name.to_owned());
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("readFile"), "readFile");
        assert_eq!(names("files.tool_7, sum"), "sum tool_7");
        assert_eq!(names("tool_7 tool_1999"), "tool_7 tool_1999");
        // Not all of these are names, so that the words count.
        assert_eq!(names("readFile text").split(' ').next(), Some("readFile"));
        assert_eq!(names("tool_7 or").split(' ').count(), 8);
        assert_eq!(names("tool").split(' ').count(), 8);
    }

    #[test]
    fn mentioned_functions_are_found() {
        let names = |code: &str| {
            let found = mentioned(&many(100), code)?;
            Some(Declarations::new(&found).unwrap().functions().join(" "))
        };
        assert_eq!(names("return sum({})"), Some("sum".to_owned()));
        assert_eq!(names("await files.tool_3({}); files\n  . tool_4()"), Some("files.tool_3 files.tool_4".to_owned()));
        assert_eq!(names("1"), Some(String::new()));
        for all in
            ["Object.keys(files)", "const { tool_1 } = files;", "files['tool_1']", "globalThis.files", "files?.tool_1"]
        {
            assert_eq!(names(all), None, "{all}");
        }
        assert_eq!(mentioned(&many(3), "sum").map(|found| found.len()), None);
    }
}
