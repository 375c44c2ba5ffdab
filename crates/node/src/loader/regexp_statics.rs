//! `RegExp.$1` and its relatives: the engine does not have them, and the JavaScript that records matches for them is
//! loaded only with a file that reads one.

use rquickjs::{Ctx, Result};

use crate::builtin::import_builtin;

const HALF: &str = "lmthing:internal/regexp-statics";

/// Starts recording matches if `code` reads a static property of `RegExp` about the last match. Must be called before
/// the code runs.
pub(super) fn load_if_read(ctx: &Ctx<'_>, code: &str) -> Result<()> {
    if is_read(code) { import_builtin(ctx, HALF).map(drop) } else { Ok(()) }
}

fn is_read(code: &str) -> bool {
    const NAMES: [&str; 7] = [".$", ".lastMatch", ".lastParen", ".leftContext", ".rightContext", "['$", "[\"$"];
    code.match_indices("RegExp").any(|(at, name)| {
        let is_assigned = || code[..at].trim_end().strip_suffix('=').is_some_and(|left| left.trim_end().ends_with('}'));
        let rest = &code[at + name.len()..];
        NAMES.iter().any(|name| rest.starts_with(name)) || is_assigned()
    })
}

#[cfg(test)]
mod tests {
    use super::is_read;

    #[test]
    fn finds_reads_of_the_last_match() {
        for code in ["RegExp.$1", "RegExp['$&']", "const {$1: name} = RegExp;", "({ $1 }=RegExp)", "RegExp.lastMatch"] {
            assert!(is_read(code), "{code}");
        }
        for code in ["new RegExp('$1')", "RegExp.prototype", "a = RegExp", "RegExp.escape", "{ x: RegExp }", "$1"] {
            assert!(!is_read(code), "{code}");
        }
    }
}
