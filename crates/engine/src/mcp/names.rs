//! Names that all providers accept for a tool and TypeScript for a function.

use std::collections::HashSet;

const MAX_TOOL_NAME: usize = 64;

#[derive(Debug, Default)]
pub struct UniqueNames(HashSet<String>);

impl UniqueNames {
    /// The name, with a number appended if it is taken.
    pub fn unique(&mut self, name: String) -> String {
        let mut number = 1;
        let mut candidate = name.clone();
        while !self.0.insert(candidate.clone()) {
            number += 1;
            let end = format!("_{number}");
            let room = MAX_TOOL_NAME.saturating_sub(end.len());
            candidate = format!("{}{end}", name.get(..room).unwrap_or(&name));
        }
        candidate
    }
}

/// Whether every provider accepts `name` for a tool: letters, digits, `_` and `-`, 64 at most.
pub fn is_tool_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_TOOL_NAME && name.chars().all(fits_tool_name)
}

fn fits_tool_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The name of a server's tool for models: `server_tool`, so that every provider accepts it.
pub fn tool_name(server: &str, tool: &str) -> String {
    let mut name = clean(&format!("{server}_{tool}"), fits_tool_name);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    if name.len() > MAX_TOOL_NAME {
        // A hash distinguishes tools with a common prefix, and is the same in every run.
        let end = format!("_{:08x}", fnv(&name));
        name.truncate(MAX_TOOL_NAME - end.len());
        name.push_str(&end);
    }
    name
}

/// The name of a tool or a server's namespace in code: an identifier.
pub fn function_name(name: &str) -> String {
    let mut name = clean(name, |c| c.is_alphanumeric() || c == '_' || c == '$');
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') {
        name.insert(0, '_');
    }
    name
}

fn clean(name: &str, fits: impl Fn(char) -> bool) -> String {
    name.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}

fn fnv(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_to_fit() {
        assert_eq!(tool_name("files", "read-file"), "files_read-file");
        assert_eq!(tool_name("my srv", "größe.x"), "my_srv_gr__e_x");
        assert_eq!(tool_name("2", "a"), "_2_a");
        assert_eq!(function_name("get-thing"), "get_thing");
        assert_eq!(function_name("größe"), "größe");
        assert_eq!(function_name("1st"), "_1st");
        assert_eq!(function_name(""), "_");
    }

    #[test]
    fn long_names_stay_apart() {
        let (one, two) =
            (tool_name("s", &format!("{}1", "x".repeat(90))), tool_name("s", &format!("{}2", "x".repeat(90))));
        assert!(one != two && one.len() == 64 && two.len() == 64);
        let mut names = UniqueNames::default();
        assert_eq!(names.unique("a".into()), "a");
        assert_eq!(names.unique("a".into()), "a_2");
        names.unique(one.clone());
        assert_eq!(names.unique(one).len(), 64);
    }
}
