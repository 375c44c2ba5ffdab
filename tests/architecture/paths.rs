//! Collects the paths in a file: its `use` statements, and paths like `crate::chat::Message` or `values::to_text` in
//! code. A scanner of text, not a compiler: it relies on rustfmt's layout.

use std::collections::BTreeSet;

/// One name that a `use` statement imports.
#[derive(Debug, PartialEq)]
pub(crate) struct Use {
    /// As written: `["super", "engine", "Engine"]`; the last one is `*` for a glob.
    pub path: Vec<String>,
    /// The name in this file.
    pub name: String,
    /// `pub use`, of any visibility.
    pub is_public: bool,
}

#[derive(Default)]
pub(crate) struct Names {
    pub uses: Vec<Use>,
    /// Paths of two or more segments outside of `use` statements.
    pub paths: BTreeSet<Vec<String>>,
    /// The first segment of every path outside of `use` statements, single names included.
    pub identifiers: BTreeSet<String>,
}

pub(crate) fn names(code: &str) -> Names {
    let tokens = tokens(code);
    let mut names = Names::default();
    let mut blocks = Blocks::default();
    let mut at = 0;
    while at < tokens.len() {
        let (uses, start) = (names.uses.len(), at);
        match tokens[at] {
            "use" => {
                let is_public = at > 0 && matches!(tokens[at - 1], "pub" | ")");
                at = use_tree(&tokens, at + 1, &[], is_public, &mut names.uses);
            }
            token if is_identifier(token) => {
                let (path, end) = path(&tokens, at);
                at = end;
                if !path.is_empty() {
                    names.identifiers.insert(path[0].clone());
                    names.paths.insert(blocks.outside(path));
                }
            }
            _ => at += 1,
        }
        for import in &mut names.uses[uses..] {
            import.path = blocks.outside(std::mem::take(&mut import.path));
        }
        blocks.pass(&tokens, start);
    }
    names.paths.retain(|path| path.len() > 1);
    names
}

/// The open `mod name { … }` blocks: in them, `super` is the file's own module.
#[derive(Default)]
struct Blocks {
    depth: usize,
    modules: Vec<usize>,
}

impl Blocks {
    fn pass(&mut self, tokens: &[&str], at: usize) {
        match tokens[at] {
            "{" => {
                self.depth += 1;
                if at > 1 && tokens[at - 2] == "mod" {
                    self.modules.push(self.depth);
                }
            }
            "}" => {
                self.modules.pop_if(|depth| *depth == self.depth);
                self.depth -= 1;
            }
            _ => {}
        }
    }

    /// A path as it would be written outside of these blocks.
    fn outside(&self, path: Vec<String>) -> Vec<String> {
        let supers = path.iter().take_while(|name| *name == "super").count();
        let dropped = supers.min(self.modules.len());
        let is_own = dropped > 0 && dropped == supers;
        is_own.then(|| "self".to_owned()).into_iter().chain(path.into_iter().skip(dropped)).collect()
    }
}

/// The path that begins at `start`, and its end; empty for what is not a path (`.method`, `pub(in …)`).
fn path(tokens: &[&str], start: usize) -> (Vec<String>, usize) {
    let mut path = vec![tokens[start].to_owned()];
    let mut at = start + 1;
    while tokens.get(at) == Some(&"::") && tokens.get(at + 1).is_some_and(|next| is_identifier(next)) {
        path.push(tokens[at + 1].to_owned());
        at += 2;
    }
    let before = |distance: usize| start.checked_sub(distance).map(|before| tokens[before]);
    let is_reach = before(1) == Some("in") && before(2) == Some("(") && before(3) == Some("pub");
    // A method, the rest of `<T>::…`, or the declaration of a module.
    let is_part = matches!(before(1), Some("." | "::" | "mod"));
    if is_reach || is_part { (Vec::new(), at) } else { (path, at) }
}

/// Parses `a::{b, c as d}` and returns its end.
fn use_tree(tokens: &[&str], mut at: usize, prefix: &[String], is_public: bool, uses: &mut Vec<Use>) -> usize {
    let mut path = prefix.to_vec();
    while let Some(&token) = tokens.get(at) {
        at += 1;
        match token {
            "::" => {}
            "{" => {
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    at = use_tree(tokens, at, &path, is_public, uses);
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return at + 1;
            }
            "as" => {
                uses.push(Use { path, name: tokens[at].to_owned(), is_public });
                return at + 1;
            }
            _ => path.push(token.to_owned()),
        }
        if matches!(tokens.get(at), None | Some(&("," | ";" | "}"))) {
            if path.last().is_some_and(|name| name == "self") && path.len() > 1 {
                path.pop();
            }
            let name = path.last().cloned().unwrap_or_default();
            uses.push(Use { path, name, is_public });
            return at;
        }
    }
    at
}

fn is_identifier(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Identifiers, `::`, and every other character by itself.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = match first {
            ':' if rest.starts_with("::") => 2,
            first if is_part(first) => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            first => first.len_utf8(),
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

/// Removes what exists for unit tests only; also returns the test modules that are files of their own.
pub(crate) fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let (mut kept, mut modules, mut rest) = (String::new(), Vec::new(), code);
    while let Some((before, after)) = rest.split_once(MARK) {
        kept.push_str(before);
        let semicolon = after.find(';').unwrap_or(after.len());
        let item = after[..semicolon].trim();
        let is_short = !item.contains('{') || item.starts_with("use ");
        if is_short && let Some(name) = item.strip_prefix("mod ") {
            modules.push(name.to_owned());
        }
        let end = if is_short { semicolon + 1 } else { end_of_block(after) };
        // Keeps line numbers.
        kept.extend(after.chars().take(end).filter(|c| *c == '\n'));
        rest = after.get(end..).unwrap_or_default();
    }
    kept.push_str(rest);
    (kept, modules)
}

/// The end of the first block of `code`.
fn end_of_block(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// The text without comments, and with nothing inside strings and characters.
pub(crate) fn code(text: &str) -> String {
    let (mut code, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let skipped = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => string(rest),
            'r' if !code.ends_with(|c: char| c.is_alphanumeric() && c != 'b') => raw_string(rest).unwrap_or(0),
            '\'' => character(rest).unwrap_or(0),
            _ => 0,
        };
        if skipped == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            // Keeps line numbers.
            code.extend(rest[..skipped].chars().filter(|c| *c == '\n'));
            code.push(' ');
            rest = &rest[skipped..];
        }
    }
    code
}

fn string(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => drop(characters.next()),
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn raw_string(rest: &str) -> Option<usize> {
    let hashes = rest[1..].chars().take_while(|c| *c == '#').count();
    let inside = rest[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(2 + hashes + inside.find(&end).map_or(inside.len(), |at| at + end.len()))
}

/// The length of a quoted character; `None` for a lifetime.
fn character(rest: &str) -> Option<usize> {
    let inside = &rest[1..];
    let first = inside.chars().next()?;
    let length = if first == '\\' { 1 + inside.get(2..)?.find('\'')? + 1 } else { first.len_utf8() };
    inside.get(length..)?.starts_with('\'').then_some(1 + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Vec<String> {
        let names = names(&code(text));
        let uses = names.uses.iter().map(|import| format!("{} as {}", import.path.join("::"), import.name));
        uses.chain(names.paths.iter().map(|path| path.join("::"))).collect()
    }

    #[test]
    fn every_way_to_write_a_path_is_read() {
        let uses = "use crate::{chat::{A, b::{self, C as D}}, cli}; pub(crate) use super::*;";
        let expected = [
            "crate::chat::A as A",
            "crate::chat::b as b",
            "crate::chat::b::C as D",
            "crate::cli as cli",
            "super::* as *",
        ];
        assert_eq!(written(uses), expected);
        let code =
            "fn f<'a>(x: &'a values::A) -> Vec<super::B> { x.y::<crate::c::D>(); list.into_iter().map(self::e) }";
        assert_eq!(written(code), ["crate::c::D", "self::e", "super::B", "values::A"]);
    }

    #[test]
    fn tokens_that_are_not_paths_are_skipped() {
        let text = "/// [`X`](crate::cli::X)\n//! a::b\nfn f() { let x = \"c::d\"; let y = r#\"e::\"f\"#; let z = '\"'; g::h }";
        assert_eq!(written(text), ["g::h"]);
        assert_eq!(written("pub(in crate::node) fn f() { <A as B>::c() }"), [""; 0]);
    }

    #[test]
    fn super_in_a_block_is_the_file_itself() {
        let text = "mod a { use super::B; mod c { use super::super::super::D; } } use super::E;";
        assert_eq!(written(text), ["self::B as B", "super::D as D", "super::E as E"]);
    }

    #[test]
    fn unit_tests_are_taken_out() {
        let text = "a(); #[cfg(test)] use b::{c}; d(); #[cfg(test)] mod e; #[cfg(test)] mod f { { } g(); } h();";
        let (kept, modules) = without_tests(text);
        assert_eq!(kept.split_whitespace().collect::<Vec<_>>(), ["a();", "d();", "h();"]);
        assert_eq!(modules, ["e"]);
    }
}
