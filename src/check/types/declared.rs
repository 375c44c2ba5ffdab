//! What the declarations of lmthing's own modules name, read out of their text. Must not know what is looked for.

use crate::check::declarations;

/// The declarations of lmthing's own modules.
pub(super) fn own_declarations() -> &'static str {
    declarations::read(&format!("{}/lmthing.d.ts", declarations::ROOT)).unwrap_or_default()
}

/// The lines between that of a declaration and the bracket that closes it.
fn block(head: String) -> impl Iterator<Item = &'static str> {
    let lines = own_declarations().lines();
    let mut indent = 0;
    lines
        .skip_while(move |line| {
            let rest = line.trim_start().strip_prefix(head.as_str());
            !rest.is_some_and(|rest| rest.starts_with([' ', '<']))
        })
        .take_while(move |line| {
            let width = line.len() - line.trim_start().len();
            if indent == 0 {
                indent = width + 1;
                return true;
            }
            !(line.trim() == "}" && width + 1 == indent)
        })
        .skip(1)
}

fn word(text: &'static str) -> &'static str {
    let end = text.find(|character: char| !character.is_alphanumeric() && character != '_' && character != '$');
    &text[..end.unwrap_or(text.len())]
}

/// The names of an interface's members.
pub(super) fn members_of(interface: &str) -> Vec<&'static str> {
    let lines = block(format!("export interface {interface}")).filter_map(|line| line.strip_prefix("    "));
    let lines = lines.map(|line| line.strip_prefix("readonly ").unwrap_or(line));
    lines.filter(|line| line.starts_with(|c: char| c.is_alphabetic() || c == '$')).map(word).collect()
}

/// The names of a prompt's methods and properties.
pub(super) fn prompt_methods() -> Vec<&'static str> {
    let mut methods = members_of("PromptMethods");
    methods.extend(["steps", "fullSteps"]);
    methods
}

/// The values that a module of lmthing's exports.
pub(super) fn exports_of(module: &str) -> Vec<&'static str> {
    let lines = block(format!("declare module '{module}'")).filter_map(|line| line.strip_prefix("  export "));
    let values = lines.filter_map(|line| line.strip_prefix("const ").or_else(|| line.strip_prefix("function ")));
    values.map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_out_of_the_declarations() {
        assert!(prompt_methods().contains(&"defTool") && prompt_methods().contains(&"$"));
        assert!(members_of("Config").contains(&"model") && members_of("CallSettings").contains(&"temperature"));
        for interface in ["PromptSettings", "SandboxConfig", "Limits"] {
            assert!(members_of(interface).len() > 2, "{interface}");
        }
        assert!(exports_of("lmthing").contains(&"runPrompt") && !exports_of("lmthing").contains(&"createMockModel"));
        assert!(exports_of("lmthing/test").contains(&"createMockModel"));
        assert!(exports_of("lmthing/plugins").contains(&"func"));
    }
}
