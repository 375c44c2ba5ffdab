//! Turns errors of the type checker into findings: without false positives and cascades, at positions in the original
//! text.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::declared_names::is_declared_literal_union;
use super::files::Sources;
use super::hints::Hints;
use super::javascript_idioms::is_javascript_idiom;
use super::program::TypeError;
use super::readable_messages::readable;
use super::source::Source;
use crate::{Finding, Related, Severity};
use lmthing_base::parser::Language;

/// "Could not find a declaration file for module": such a package is `any`.
const NO_DECLARATIONS: i32 = 7016;
/// "Cannot find module", several variants.
const NO_MODULE: [i32; 6] = [2307, 2792, 2732, 2882, 6137, 5097];
/// "Type is not assignable to type."
const NOT_ASSIGNABLE: i32 = 2322;
/// "Unused '@ts-expect-error' directive."
const UNUSED_DIRECTIVE: i32 = 2578;
/// Reported for a type that no value has.
const TYPE_MISMATCH: [i32; 4] = [NOT_ASSIGNABLE, 2345, 2339, 2740];
/// "Did you forget to use 'await'?"
const FORGOTTEN_AWAIT: i32 = 2773;
/// The number of further positions listed for one error.
const MAX_RELATED: usize = 5;

struct Placed {
    source: Arc<Source>,
    range: std::ops::Range<usize>,
    error: TypeError,
}

pub(super) fn findings(errors: Vec<TypeError>, sources: &Sources) -> Vec<Finding> {
    let mut placed: Vec<Placed> = errors.into_iter().filter_map(|error| place(error, sources)).collect();
    placed.retain(|found| !is_false_positive(found));
    placed.sort_by(|a, b| {
        (&a.source.path, a.range.start, a.range.end).cmp(&(&b.source.path, b.range.start, b.range.end))
    });
    let placed = without_cascades(placed);
    let hints = Hints::new(sources);
    let mut findings: Vec<Finding> = Vec::new();
    let mut reported: HashMap<(PathBuf, i32, String), usize> = HashMap::new();
    for found in placed {
        let key = (found.source.path.clone(), found.error.code, found.error.message.clone());
        if let Some(first) = reported.get(&key).and_then(|at| findings.get_mut(*at)) {
            let span = found.source.edited.span(&found.range);
            let is_reported = first.related.iter().any(|related| related.file == first.file && related.span == span);
            if first.related.len() < MAX_RELATED && !is_reported {
                first.related.push(Related { file: first.file.clone(), span, message: "here as well".to_owned() });
            }
            continue;
        }
        reported.insert(key, findings.len());
        findings.push(finding(&found, sources, &hints));
    }
    findings
}

fn place(error: TypeError, sources: &Sources) -> Option<Placed> {
    let source = sources.get(&error.file)?;
    let range = source.edited.original_range(error.start..error.end);
    Some(Placed { source, range, error })
}

fn is_false_positive(found: &Placed) -> bool {
    let Placed { source, range, error } = found;
    if error.code == NO_DECLARATIONS {
        return true;
    }
    // The loader's lookup has already decided whether these can be resolved.
    if NO_MODULE.contains(&error.code) && source.imports.resolved.iter().any(|import| import.start == range.start) {
        return true;
    }
    let is_value = source.value_at(range.start).is_some();
    if error.code == UNUSED_DIRECTIVE && is_above_broken_import(source, range.end) {
        return true;
    }
    if source.language == Language::JavaScript
        && (is_inferred_from_empty(error)
            || is_role_argument(&error.message)
            || is_javascript_idiom(source.edited.original(), range, error))
    {
        return true;
    }
    let is_about_properties = error.code == NOT_ASSIGNABLE || error.message.contains("Types of property ");
    (is_value || source.language == Language::JavaScript) && is_about_properties && is_widened(&error.message)
}

/// Without an annotation `const items = [{ type: 'text' }]` is inferred as a list with any string.
fn is_widened(message: &str) -> bool {
    let last = message.lines().rev().map(str::trim).find(|line| line.contains(" is not assignable to type '"));
    last.and_then(|line| line.split_once(" is not assignable to type '")).is_some_and(|(from, to)| {
        let is_wide = ["Type 'string'", "Type 'number'", "Type 'boolean'"].contains(&from);
        is_wide && (to.starts_with(|first: char| first == '"' || first.is_ascii_digit()) || is_named_literal_union(to))
    })
}

fn is_above_broken_import(source: &Source, end: usize) -> bool {
    let text = source.edited.original();
    let between = |import: usize| text.get(end..import).map(|between| between.matches('\n').count());
    source.imports.problems.iter().any(|(import, _)| between(import.start) == Some(1))
}

/// Whether the type was inferred from an initial `null` or `[]`, which in JavaScript does not limit later values.
fn is_inferred_from_empty(error: &TypeError) -> bool {
    let ends = ["to type 'null'.", "to type 'undefined'.", "to type 'never'.", "of type 'never'.", "on type 'never'."];
    let last = error.message.lines().last().unwrap_or_default();
    TYPE_MISMATCH.contains(&error.code) && ends.iter().any(|end| last.ends_with(end))
}

/// `for (const [role, text] of turns) defMessage(role, text)`.
fn is_role_argument(message: &str) -> bool {
    let [from, to] = ["Argument of type 'string'", "parameter of type '\"assistant\" | \"system\" | \"user\"'."];
    message.starts_with(from) && message.ends_with(to)
}

fn is_named_literal_union(to: &str) -> bool {
    let name = to.split(|character: char| !character.is_alphanumeric()).next().unwrap_or_default();
    is_declared_literal_union(name)
}

/// Keeps the first of several errors in the same range, or about the same promise.
fn without_cascades(placed: Vec<Placed>) -> Vec<Placed> {
    let mut result: Vec<Placed> = Vec::new();
    for found in placed {
        let is_same = |other: &Placed| {
            if other.source.path != found.source.path {
                return false;
            }
            let overlaps = found.range.start < other.range.end && other.range.start < found.range.end;
            let both_await = |of: &Placed| of.error.related.iter().any(|related| related.code == FORGOTTEN_AWAIT);
            overlaps
                || found.range == other.range
                || is_caused_by_wrong_value(other, &found)
                || is_same_state(other, &found)
                || both_await(other)
                    && both_await(&found)
                    && type_in_message(&other.error) == type_in_message(&found.error)
        };
        if !result.iter().any(is_same) {
            result.push(found);
        }
    }
    result
}

/// Whether a value is `unknown` because the value in its declaration is wrong.
fn is_caused_by_wrong_value(earlier: &Placed, found: &Placed) -> bool {
    let text = earlier.source.edited.original();
    let Some(name) =
        found.error.message.strip_suffix("' is of type 'unknown'.").and_then(|text| text.strip_prefix('\''))
    else {
        return false;
    };
    let statement = text.get(..earlier.range.start).and_then(|before| before.rsplit([';', '\n']).next());
    statement.and_then(|statement| statement.split_once('=')).is_some_and(|(declared, _)| {
        let mut parts = declared.split(|character: char| !character.is_alphanumeric() && character != '_');
        parts.any(|word| word == name)
    })
}

fn is_same_state(earlier: &Placed, found: &Placed) -> bool {
    let kind = type_in_message(&found.error).filter(|kind| kind.starts_with("State<"));
    let between = earlier.source.edited.original().get(earlier.range.end..found.range.start);
    kind.is_some()
        && kind == type_in_message(&earlier.error)
        && between.is_some_and(|between| !between.contains([';', '}']))
}

fn type_in_message(error: &TypeError) -> Option<&str> {
    error.message.split_once(" on type '").map(|(_, kind)| kind)
}

fn finding(found: &Placed, sources: &Sources, hints: &Hints<'_>) -> Finding {
    let Placed { source, range, error } = found;
    let forgotten = error.related.iter().any(|related| related.code == FORGOTTEN_AWAIT);
    let related = error.related.iter().filter(|related| related.code != FORGOTTEN_AWAIT);
    let related = related.filter_map(|related| {
        let place = place(related.clone(), sources)?;
        let span = place.source.edited.span(&place.range);
        Some(Related { file: place.source.path.clone(), span, message: readable(&related.message, &source.path) })
    });
    let hint = match forgotten {
        true => Some("did you forget `await`?".to_owned()),
        false => hints.of(source, range, error),
    };
    Finding {
        file: source.path.clone(),
        span: Some(source.edited.span(range)),
        severity: Severity::Error,
        code: format!("TS{}", error.code),
        message: readable(&error.message, &source.path),
        hint,
        fix: None,
        related: related.take(MAX_RELATED).collect(),
    }
}

pub(super) fn checker_failure(file: &Path, reason: &str) -> Finding {
    Finding {
        file: file.to_owned(),
        span: None,
        severity: Severity::Warning,
        code: "types".to_owned(),
        message: format!("the types could not be checked: {reason}"),
        hint: Some("this is a defect of lmthing; the file may be right or wrong".to_owned()),
        fix: None,
        related: Vec::new(),
    }
}

pub(super) fn checker_timeout(file: &Path, limit: Duration) -> Finding {
    let message = format!("the types could not be checked within {} s", limit.as_secs());
    Finding { message, hint: None, ..checker_failure(file, "") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widened_literals_are_false_positives() {
        let inner =
            "Types of property 'type' are incompatible.\n    Type 'string' is not assignable to type '\"text\"'.";
        assert!(is_widened(&format!("Type '{{ type: string; }}' is not assignable to type 'MockItem'.\n  {inner}")));
        assert!(is_widened("Type 'string' is not assignable to type 'TaskNodeStatus | undefined'."));
        assert!(!is_widened("Type '\"tool_call\"' is not assignable to type '\"text\"'."));
        assert!(!is_widened("Type 'string' is not assignable to type 'number'."));
        assert!(is_role_argument(
            "Argument of type 'string' is not assignable to parameter of type '\"assistant\" | \"system\" | \"user\"'."
        ));
    }
}
