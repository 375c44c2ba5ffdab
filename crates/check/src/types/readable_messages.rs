//! Makes messages of the type checker readable: module names instead of paths of embedded declarations.

use std::path::Path;

use crate::declarations::ROOT;
use lmthing_typescript::code::without_advice;

const MAX_TYPE: usize = 240;

pub(super) fn readable(message: &str, file: &Path) -> String {
    // Nothing has to be installed: the types are part of lmthing, and a hint says what to write instead.
    let named =
        without_plugins(&without_paths(without_advice(message))).replace("\"lmthing:text\"", "the text of a file");
    let folder = file.parent().unwrap_or(Path::new("/")).display();
    let named = named.replace(&format!("\"{folder}/"), "\"./");
    // A suggestion to import the whole module does not help where another name was meant.
    let named = named.split(" Did you mean to use 'import ").next().unwrap_or_default();
    // Compiler options are not visible to authors.
    let ends = [" when 'verbatimModuleSyntax' is enabled", " when 'verbatimModuleSyntax' is set"];
    let named = ends.iter().fold(named.to_owned(), |text, end| text.replace(end, ""));
    named.lines().map(shortened).collect::<Vec<_>>().join("\n")
}

/// `import("/…/zod/v4/classic/external").ZodString` becomes `ZodString`, and that module itself `zod`.
fn without_paths(message: &str) -> String {
    let start = format!("import(\"{ROOT}/");
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(start.as_str()) {
        text.push_str(before);
        let (path, remaining) = after.split_once("\")").unwrap_or((after, ""));
        match remaining.strip_prefix('.') {
            Some(name) => rest = name,
            None => {
                text.push_str(module_of(path));
                rest = remaining;
            }
        }
    }
    text.push_str(rest);
    text.replace(&format!("\"{ROOT}/node_modules/"), "\"").replace(&format!("\"{ROOT}/"), "\"")
}

/// `PromptOf<…>` with the methods of plugins becomes `Prompt`.
fn without_plugins(message: &str) -> String {
    let starts =
        ["PromptOf<", "PromptWith<", "Prompt<"].iter().filter_map(|name| Some((message.find(name)?, name.len())));
    let Some((at, length)) = starts.min() else { return message.to_owned() };
    let (before, after) = (&message[..at], &message[at + length..]);
    let mut depth = 1_usize;
    let mut last = '<';
    let end = after.char_indices().find(|(_, character)| {
        match character {
            '<' => depth += 1,
            // The `>` of `=>` closes nothing.
            '>' if last != '=' => depth -= 1,
            _ => {}
        }
        last = *character;
        depth == 0
    });
    match end {
        Some((end, _)) => format!("{before}Prompt{}", without_plugins(&after[end + 1..])),
        None => message.to_owned(),
    }
}

fn module_of(path: &str) -> &str {
    let package = path.strip_prefix("node_modules/").unwrap_or(path);
    package.split('/').next().unwrap_or(package).trim_end_matches(".d.ts")
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= MAX_TYPE {
        return line.to_owned();
    }
    let parts = line.split('\'').enumerate().map(|(index, part)| {
        let is_long = index % 2 == 1 && part.chars().count() > MAX_TYPE / 2;
        if is_long { part.chars().take(MAX_TYPE / 2).chain("…".chars()).collect() } else { part.to_owned() }
    });
    parts.collect::<Vec<String>>().join("'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(message: &str) -> String {
        readable(message, Path::new("/home/ada/p.lmt.mjs"))
    }

    #[test]
    fn modules_are_named_as_they_are_imported() {
        let message = "Module '\"/home/ada/lib\"' has no default export. Did you mean to use 'import { x } from \"/home/ada/lib\"' instead?";
        assert_eq!(shown(message), "Module '\"./lib\"' has no default export.");
    }

    #[test]
    fn nobody_is_sent_to_install_types() {
        let message = "Cannot find name 'test'. Do you need to install type definitions for a test runner? Try `npm i --save-dev @types/jest` or `npm i --save-dev @types/mocha`.";
        assert_eq!(shown(message), "Cannot find name 'test'.");
    }

    #[test]
    fn paths_of_declarations_become_names() {
        let path = format!("{ROOT}/node_modules/zod/v4/classic/external");
        let message = format!("Property 'strng' does not exist on type 'typeof import(\"{path}\")'.");
        assert_eq!(shown(&message), "Property 'strng' does not exist on type 'typeof zod'.");
        let message = format!("Type 'import(\"{path}\").ZodString' is not it.");
        assert_eq!(shown(&message), "Type 'ZodString' is not it.");
    }

    #[test]
    fn the_prompt_is_called_prompt() {
        let message = "Property 'x' does not exist on type 'PromptOf<{ plugins: [{ a(): Set<() => void>; }]; }>'.";
        assert_eq!(shown(message), "Property 'x' does not exist on type 'Prompt'.");
        assert_eq!(shown("cut 'PromptOf<{ plugins: ...'"), "cut 'PromptOf<{ plugins: ...'");
    }

    #[test]
    fn long_types_are_cut() {
        let long = format!("Type '{}' is not assignable to type 'string'.", "a".repeat(1000));
        let short = shown(&long);
        assert!(short.ends_with("…' is not assignable to type 'string'.") && short.len() < 250, "{short}");
    }
}
