//! Selects which of two zod modules a file gets. Files with only `import { z } from 'zod'` or `import * as z from
//! 'zod'` get a namespace whose members are created on access; all others get the module that evaluates all of zod,
//! which takes milliseconds. Both share their classes.

use std::borrow::Cow;

/// The module with every export.
pub(super) const ALL: &str = "zod";

/// The module with namespaces only: `z`, `default`, and `$` for the module's own namespace.
pub(super) const NAMESPACE: &str = "lmthing:internal/zod/z";

/// The code of a module for which [`NAMESPACE`] is enough; `None` if it imports or may import anything else. Strings
/// and comments that look like an import are harmless.
pub(super) fn narrowed(code: &str) -> Option<Cow<'_, str>> {
    let mut narrowed = Cow::Borrowed(code);
    let mut any = false;
    for (at, _) in code.match_indices(ALL) {
        let Some(before) = quoted(code, at) else { continue };
        match clause(before)? {
            Clause::Named => {}
            // Of the same length, so that columns stay valid.
            Clause::All { start, name } => {
                narrowed.to_mut().replace_range(start..before.len(), &format!("import{{$ as {name}}}from "));
            }
        }
        any = true;
    }
    // A name that is concatenated could also be zod's.
    let is_known = |(at, word): (usize, &str)| code[at + word.len()..].trim_start().starts_with(QUOTES);
    (any && code.match_indices("import(").all(is_known)).then_some(narrowed)
}

const QUOTES: [char; 3] = ['\'', '"', '`'];

/// The import clause before the quoted name of zod at `at`; `None` if these letters are something else.
fn quoted(code: &str, at: usize) -> Option<&str> {
    let (before, rest) = (&code[..at], &code[at + ALL.len()..]);
    let quote = before.chars().next_back().filter(|quote| QUOTES.contains(quote))?;
    rest.strip_prefix("/v4").unwrap_or(rest).starts_with(quote).then(|| &before[..before.len() - 1])
}

enum Clause<'a> {
    /// `import { z } from`, `import z from`.
    Named,
    /// `import * as name from `, from `start` on.
    All { start: usize, name: &'a str },
}

/// What an import clause imports; `None` for anything but namespaces.
fn clause(before: &str) -> Option<Clause<'_>> {
    let head = before.trim_end().strip_suffix("from")?;
    if let Some(list) = head.trim_end().strip_suffix('}') {
        let (head, list) = list.rsplit_once('{')?;
        let is_z = matches!(list.trim().trim_end_matches(',').trim(), "z" | "default as z");
        return (is_z && is_import(head)).then_some(Clause::Named);
    }
    let (rest, name) = head.trim_end().rsplit_once(char::is_whitespace)?;
    if !head.ends_with(char::is_whitespace) || !name.chars().all(is_of_name) {
        return None;
    }
    if is_import(rest) {
        return Some(Clause::Named);
    }
    let head = format!("import * as {name} from ");
    let start = before.len().checked_sub(head.len())?;
    (before.get(start..)? == head && is_import(&before[..start + "import".len()]))
        .then_some(Clause::All { start, name })
}

/// Whether text ends with `import` as a word.
fn is_import(head: &str) -> bool {
    head.trim_end().strip_suffix("import").is_some_and(|before| !before.ends_with(|c| is_of_name(c) || c == '.'))
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_alone_are_enough() {
        for code in [
            "import { z } from 'zod';",
            "import {z} from \"zod/v4\"\nz.string()",
            "import z from 'zod';",
            "let a;import { z, } from 'zod';",
            "/** @type {import('lmthing').Prompt} */ import { z } from 'zod'; const prozod = 'zod3';",
        ] {
            assert_eq!(narrowed(code).as_deref(), Some(code), "{code}");
        }
        let code = "import * as z from 'zod';\nimport * as y from 'zod/v4';";
        let expected = "import{$ as z}from 'zod';\nimport{$ as y}from 'zod/v4';";
        assert_eq!(narrowed(code).as_deref(), Some(expected));
    }

    #[test]
    fn anything_else_is_not() {
        for code in [
            "",
            "import { s } from 'other';",
            "import { z, ZodError } from 'zod';",
            "import z, { string } from 'zod';",
            "import { string as z } from 'zod';",
            "import { z } from 'zod'; import { string } from 'zod';",
            "import { z } from 'zod'; export * from 'zod';",
            "import { z } from 'zod'; await import('zod');",
            "import { z } from 'zod'; await import(name);",
            "export { z } from 'zod';",
            "import * as  z from 'zod';",
            "ximport * as z from 'zod';",
            "import 'zod';",
            "const name = 'zod'",
        ] {
            assert_eq!(narrowed(code), None, "{code}");
        }
    }
}
