//! Prepares code for execution: checks nesting, syntax and types, then removes the types.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{
    body::Body,
    check::{CheckErrors, Checker, CheckerError, Located},
    diagnostics::CodeDiagnostic,
    mode::CheckMode,
    nesting::check_nesting,
    strip::{LineMap, strip},
    syntax::{CallArguments, parse},
};

#[derive(Debug)]
pub struct Prepared {
    pub javascript: String,
    pub lines: LineMap,
    /// Type errors that do not prevent the run in `CheckMode::Essential`.
    pub warnings: Vec<CodeDiagnostic>,
    pub notice: Option<String>,
}

#[derive(Debug)]
pub struct Refused {
    pub errors: Vec<CodeDiagnostic>,
    pub notice: Option<String>,
}

/// Checks code against `declarations` and removes its types.
///
/// # Errors
/// The syntax and type errors that prevent the run in `mode`. If the checker fails or panics, only the syntax is
/// checked: the sandbox protects the host, not the checker.
pub fn prepare(
    checker: &mut Option<Checker>,
    code: &str,
    declarations: &str,
    mode: CheckMode,
) -> Result<Prepared, Refused> {
    let refused = |errors: Vec<CodeDiagnostic>, notice: Option<String>| Refused { errors, notice };
    check_nesting(code).map_err(|error| refused(vec![error], None))?;
    let body = Body::for_check(code);
    let call_arguments = parse(&body);
    // Nested too deeply, or the parser failed; the checker would fail too.
    if let Err(errors) = &call_arguments
        && errors.iter().any(|error| error.code == 0)
    {
        return Err(refused(errors.clone(), None));
    }
    let (found, notice) = match mode {
        CheckMode::Off => (CheckErrors::default(), None),
        _ => match check(checker, &body, declarations) {
            Ok(found) => (found, None),
            Err(failure) => (CheckErrors::default(), Some(failure.to_string())),
        },
    };
    let call_arguments = match call_arguments {
        Ok(call_arguments) if found.syntax.is_empty() => call_arguments,
        other => return Err(refused(syntax_errors(found, other.err()), notice)),
    };
    let (errors, warnings) = split_by_severity(found.types, &call_arguments, mode);
    if !errors.is_empty() {
        return Err(refused(errors, notice));
    }
    match strip(code) {
        Ok(stripped) => Ok(Prepared { javascript: stripped.javascript, lines: stripped.lines, warnings, notice }),
        Err(error) => Err(refused(vec![error], notice)),
    }
}

/// The errors of the checker come first, as they are more complete than the parser's.
fn syntax_errors(found: CheckErrors, from_parser: Option<Vec<CodeDiagnostic>>) -> Vec<CodeDiagnostic> {
    let from_typescript = if found.syntax.is_empty() { found.types } else { found.syntax };
    if !from_typescript.is_empty() {
        return from_typescript.into_iter().map(|located| located.diagnostic).collect();
    }
    from_parser
        .filter(|errors| !errors.is_empty())
        .unwrap_or_else(|| vec![CodeDiagnostic::at("", 0, 1005, "The code could not be parsed.".to_owned())])
}

fn split_by_severity(
    types: Vec<Located>,
    call_arguments: &CallArguments,
    mode: CheckMode,
) -> (Vec<CodeDiagnostic>, Vec<CodeDiagnostic>) {
    let (errors, warnings): (Vec<_>, Vec<_>) = types
        .into_iter()
        .partition(|located| mode.prevents_run(located.diagnostic.code, call_arguments.contain(located.offset)));
    let diagnostics = |located: Vec<Located>| located.into_iter().map(|located| located.diagnostic).collect();
    (diagnostics(errors), diagnostics(warnings))
}

/// Why the code runs unchecked.
#[derive(Debug, thiserror::Error)]
enum Unchecked {
    #[error("the type checker failed ({0}); the code runs unchecked")]
    Failed(#[from] CheckerError),
    #[error("the type checker crashed ({0}); the code runs unchecked")]
    Crashed(String),
}

/// A panic leaves the checker in an unknown state, so it is replaced.
fn check(checker: &mut Option<Checker>, body: &Body, declarations: &str) -> Result<CheckErrors, Unchecked> {
    let mut current = checker.take().unwrap_or_default();
    match catch_unwind(AssertUnwindSafe(|| {
        let found = current.check(body, declarations);
        (current, found)
    })) {
        Ok((current, found)) => {
            *checker = Some(current);
            Ok(found?)
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(Unchecked::Crashed(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARATIONS: &str = "declare function calc(args: { a: number; b?: number }): Promise<{ sum: number }>;\n";

    fn verdict(code: &str, mode: CheckMode) -> (Vec<(u32, u32)>, usize) {
        let line_and_code = |error: &CodeDiagnostic| (error.line, error.code);
        match prepare(&mut Some(Checker::new()), code, DECLARATIONS, mode) {
            Ok(prepared) => {
                assert_eq!(prepared.notice, None);
                (Vec::new(), prepared.warnings.len())
            }
            Err(refused) => (refused.errors.iter().map(line_and_code).collect(), 0),
        }
    }

    #[test]
    fn strict_reports_every_error() {
        assert_eq!(verdict("const r = await calc({ a: 1 });\nreturn r.sum;", CheckMode::Strict), (vec![], 0));
        assert_eq!(verdict("const ok = 1;\nawait calc({ a: 'five' });", CheckMode::Strict), (vec![(2, 2322)], 0));
        assert_eq!(verdict("return nothing;", CheckMode::Strict), (vec![(1, 2304)], 0));
        assert_eq!(verdict("const x: string = 5;\nreturn x;", CheckMode::Strict), (vec![(1, 2322)], 0));
        assert_eq!(verdict("const s = 'x;\nreturn s;", CheckMode::Strict).0.first(), Some(&(1, 1002)));
    }

    #[test]
    fn essential_turns_other_errors_into_warnings() {
        assert_eq!(verdict("const x: string = 5 as any as number;\nreturn x;", CheckMode::Essential), (vec![], 1));
        assert_eq!(verdict("await calc({ a: 'five' });", CheckMode::Essential), (vec![(1, 2322)], 0));
        assert_eq!(verdict("return (await calc({ a: 1 })).total;", CheckMode::Essential), (vec![(1, 2339)], 0));
    }

    #[test]
    fn off_checks_syntax_only() {
        assert_eq!(verdict("return nothing;", CheckMode::Off), (vec![], 0));
        assert_eq!(verdict("return {;", CheckMode::Off).0.first().map(|error| error.0), Some(1));
    }

    #[test]
    fn a_node_name_gets_a_hint() {
        let refused = prepare(&mut None, "return require('fs');", "", CheckMode::Strict).unwrap_err();
        assert!(refused.errors[0].message.contains("There is no Node.js"), "{}", refused.errors[0].message);
        let refused = prepare(&mut None, "return await import('zod');", "", CheckMode::Strict).unwrap_err();
        assert!(refused.errors[0].message.contains("Modules cannot be imported"), "{}", refused.errors[0].message);
        let refused = prepare(&mut None, "import a from 'b';\nreturn a;", "", CheckMode::Strict).unwrap_err();
        assert!(refused.errors[0].message.contains("Modules cannot be imported"), "{:?}", refused.errors);
    }

    #[test]
    fn leaving_the_function_is_a_syntax_error_in_every_mode() {
        for mode in [CheckMode::Strict, CheckMode::Essential, CheckMode::Off] {
            let (errors, _) = verdict("return 1;\n});\n(async () => {", mode);
            assert_eq!(errors, [(2, 1128)]);
        }
    }
}
