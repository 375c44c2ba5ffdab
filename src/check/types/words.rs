//! Messages of the type checker, made readable: names of modules in place of paths of declarations nobody has seen. Must not know
//! what is wrong.

use crate::check::declarations::ROOT;

/// Longer texts of types are cut.
const MAX_TYPE: usize = 240;

/// A message as an author reads it.
pub(super) fn readable(message: &str) -> String {
    let named = without_plugins(&without_paths(message)).replace("\"lmthing:text\"", "the text of a file");
    named.lines().map(shortened).collect::<Vec<_>>().join("\n")
}

/// `import("/…/zod/v4/classic/external").ZodString` is `ZodString`, and that module itself is `zod`.
fn without_paths(message: &str) -> String {
    let start = format!("import(\"{ROOT}/");
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(start.as_str()) {
        text.push_str(before);
        let (path, behind) = after.split_once("\")").unwrap_or((after, ""));
        match behind.strip_prefix('.') {
            Some(name) => rest = name,
            None => {
                text.push_str(module_of(path));
                rest = behind;
            }
        }
    }
    text.push_str(rest);
    text.replace(&format!("\"{ROOT}/node_modules/"), "\"").replace(&format!("\"{ROOT}/"), "\"")
}

/// The prompt with the methods of plugins is `Prompt` to its author.
fn without_plugins(message: &str) -> String {
    let Some((before, after)) = message.split_once("PromptOf<") else { return message.to_owned() };
    let mut depth = 1_usize;
    let mut last = '<';
    let end = after.char_indices().find(|(_, character)| {
        match character {
            '<' => depth += 1,
            // That of `=>` closes nothing.
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

/// The module that a path of declarations belongs to.
fn module_of(path: &str) -> &str {
    let package = path.strip_prefix("node_modules/").unwrap_or(path);
    package.split('/').next().unwrap_or(package).trim_end_matches(".d.ts")
}

/// A line with what is between its quotes cut where nobody reads on.
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

    #[test]
    fn paths_of_declarations_become_names() {
        let path = format!("{ROOT}/node_modules/zod/v4/classic/external");
        let message = format!("Property 'strng' does not exist on type 'typeof import(\"{path}\")'.");
        assert_eq!(readable(&message), "Property 'strng' does not exist on type 'typeof zod'.");
        let message = format!("Type 'import(\"{path}\").ZodString' is not it.");
        assert_eq!(readable(&message), "Type 'ZodString' is not it.");
    }

    #[test]
    fn the_prompt_is_called_prompt() {
        let message = "Property 'x' does not exist on type 'PromptOf<{ plugins: [{ a(): Set<() => void>; }]; }>'.";
        assert_eq!(readable(message), "Property 'x' does not exist on type 'Prompt'.");
        assert_eq!(readable("cut 'PromptOf<{ plugins: ...'"), "cut 'PromptOf<{ plugins: ...'");
    }

    #[test]
    fn long_types_are_cut() {
        let long = format!("Type '{}' is not assignable to type 'string'.", "a".repeat(1000));
        let short = readable(&long);
        assert!(short.ends_with("…' is not assignable to type 'string'.") && short.len() < 250, "{short}");
    }
}
