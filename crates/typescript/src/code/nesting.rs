//! Limits the nesting of model-written code, to protect recursive parsers.

use super::diagnostics::CodeDiagnostic;
use lmthing_base::parser::{MAX_NESTING, nested_too_deep, nesting_message};

/// Fails at the first bracket that is nested too deeply. The check is approximate; deeply nested code that passes it ends at
/// the worker's memory limit.
pub fn check_nesting(code: &str) -> Result<(), CodeDiagnostic> {
    let wrong = |offset| CodeDiagnostic::at(code, offset, 0, nesting_message(MAX_NESTING));
    nested_too_deep(code, MAX_NESTING).map_or(Ok(()), |offset| Err(wrong(offset)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_counted_outside_of_strings() {
        assert!(check_nesting(&format!("return {:?};", "(".repeat(5_000))).is_ok());
        assert!(check_nesting(&"(".repeat(5_000)).is_err());
        assert!(check_nesting(&format!("{}1{}", "[".repeat(900), "]".repeat(900))).is_ok());
        assert!(check_nesting(&format!("const a = `{}`;", "${`".repeat(2_000))).is_err());
    }
}
