//! Recognizes type errors that are ordinary JavaScript.

use std::ops::Range;

use tsr_ast::SyntaxKind as K;

use super::filtered_lists::is_filtered;
use super::program::TypeError;
use lmthing_base::parser::Language;
use lmthing_typescript::code::Tree;

/// "'new Promise()' needs a JSDoc hint to produce a 'resolve' that can be called without arguments."
const RESOLVED_WITHOUT_VALUE: i32 = 2810;
/// "The left-hand (right-hand) side of an arithmetic operation must be of type …"
const ARITHMETIC: [i32; 2] = [2362, 2363];
/// "Property does not exist", without and with a suggestion.
const NO_PROPERTY: [i32; 2] = [2339, 2551];
/// "This comparison appears to be unintentional", and its variant for `case`.
const NO_OVERLAP: [i32; 2] = [2367, 2678];

/// "'x' is possibly 'undefined'", 'null', or either, and the variants for expressions.
const POSSIBLY_NOTHING: [i32; 6] = [18047, 18048, 18049, 2531, 2532, 2533];
/// "Argument of type … is not assignable to parameter of type …"
const WRONG_ARGUMENT: i32 = 2345;
const CONVERTING: [&str; 4] = ["parseInt(", "parseFloat(", "isNaN(", "isFinite("];
/// The types of arguments that they convert.
const CONVERTED: [&str; 6] = ["string", "number", "boolean", "null", "undefined", "Date"];

/// Whether an error in a JavaScript text is about ordinary code, not a mistake.
pub(super) fn is_javascript_idiom(text: &str, range: &Range<usize>, error: &TypeError) -> bool {
    let part = text.get(range.clone()).unwrap_or_default();
    match error.code {
        RESOLVED_WITHOUT_VALUE => true,
        code if ARITHMETIC.contains(&code) => is_date(text, part),
        code if NO_PROPERTY.contains(&code) => {
            is_assigned_to_error(text, part, &error.message) || is_missing_in_fallback(text, &error.message)
        }
        code if NO_OVERLAP.contains(&code) => is_edited_constant(text, part),
        code if POSSIBLY_NOTHING.contains(&code) => is_filtered(text, range),
        WRONG_ARGUMENT => is_converted(text, range, &error.message),
        _ => false,
    }
}

/// `new Date(a) - new Date(b)` is a number.
fn is_date(text: &str, part: &str) -> bool {
    let is_name = !part.is_empty() && part.chars().all(|character| character.is_alphanumeric() || character == '_');
    part.starts_with("new Date") || is_name && text.contains(&format!(" {part} = new Date("))
}

/// `error.code = 'E_X'`, and reads of it.
fn is_assigned_to_error(text: &str, name: &str, message: &str) -> bool {
    let first = message.lines().next().unwrap_or_default().split(" Did you mean ").next().unwrap_or_default();
    let is_error = first.split_once(" on type '").is_some_and(|(_, kind)| kind.ends_with("Error'."));
    let assigned = |(at, found): (usize, &str)| {
        let rest = text[at + found.len()..].trim_start();
        rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>")
    };
    is_error && !name.is_empty() && text.match_indices(&format!(".{name}")).any(assigned)
}

/// `await load().catch(() => ({}))`: only the fallback object lacks the property.
fn is_missing_in_fallback(text: &str, message: &str) -> bool {
    let mut lines = message.lines();
    let of_all = lines.next().is_some_and(|line| line.ends_with(" | {}'."));
    of_all && lines.any(|line| line.ends_with(" on type '{}'.")) && text.contains("({})")
}

/// `parseInt(7.9)`, `isNaN('x')`, `isNaN(new Date(text))`.
fn is_converted(text: &str, range: &Range<usize>, message: &str) -> bool {
    let before = text.get(..range.start).unwrap_or_default().trim_end();
    let calls = |name: &&str| before.strip_suffix(*name).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
    let given = message.strip_prefix("Argument of type '").and_then(|rest| rest.split_once('\''));
    CONVERTING.iter().any(calls)
        && given.is_some_and(|(given, _)| given.split(" | ").all(|kind| CONVERTED.contains(&kind)))
}

/// `MODE === 'long'` of a `const MODE = 'short'`, which the author edits by hand.
fn is_edited_constant(text: &str, part: &str) -> bool {
    let Some((left, right)) = part.split_once("==").or_else(|| part.split_once("!=")) else { return false };
    let names = [left.trim(), right.trim_start_matches('=').trim()];
    let Ok(tree) = Tree::parse(text, Language::JavaScript) else { return false };
    let mut found = false;
    let walked = tree.walk(tree.root(), |node, kind| {
        let read = tree.node(node)?;
        if kind == K::VariableDeclaration
            && let (Some(name), Some(value)) = (read.name(), read.initializer())
        {
            let is_literal = matches!(
                tree.kind(value)?,
                K::StringLiteral
                    | K::NumericLiteral
                    | K::TrueKeyword
                    | K::FalseKeyword
                    | K::NoSubstitutionTemplateLiteral
            );
            found |= is_literal && tree.kind(name)? == K::Identifier && names.contains(&tree.text(name)?.as_str());
        }
        Ok(true)
    });
    walked.is_ok() && found
}
