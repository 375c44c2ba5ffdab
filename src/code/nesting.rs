//! Counts nested brackets before a parser reads the text.

use super::diagnostics::CodeDiagnostic;

/// Brackets nested deeper than this are refused.
pub(crate) const MAX_NESTING: usize = 1_000;

/// A cheap look at the nesting of brackets, so that no recursive parser is given too deep a text.
///
/// Brackets are counted twice, with and without those in strings and comments, and both counts must be too deep: this
/// is no lexer, and a quote in a template or a regular expression would mislead either count alone. What slips through
/// ends at the worker's memory limit.
///
/// # Errors
/// A diagnostic at the bracket that goes too deep.
pub(crate) fn check_nesting(code: &str) -> Result<(), CodeDiagnostic> {
    let wrong = |offset| CodeDiagnostic::at(code, offset, 0, nesting_message(MAX_NESTING));
    nested_too_deep(code, MAX_NESTING).map_or(Ok(()), |offset| Err(wrong(offset)))
}

/// The first bracket that is in more than `max` others.
pub(crate) fn nested_too_deep(code: &str, max: usize) -> Option<usize> {
    let offset = deepest(code.bytes().enumerate(), max)?;
    deepest(outside_of_strings(code), max)?;
    Some(offset)
}

/// What is said of it.
pub(crate) fn nesting_message(max: usize) -> String {
    format!("Brackets are nested more than {max} levels deep. Write the code in smaller steps.")
}

fn deepest(bytes: impl Iterator<Item = (usize, u8)>, max: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in bytes {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > max {
            return Some(offset);
        }
    }
    None
}

/// The bytes that are in no quoted string and no comment.
fn outside_of_strings(code: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    let bytes = code.as_bytes();
    let mut position = 0;
    std::iter::from_fn(move || {
        loop {
            let byte = *bytes.get(position)?;
            let here = position;
            position += 1;
            match (byte, bytes.get(position)) {
                (b'"' | b'\'', _) => {
                    while let Some(next) = bytes.get(position).filter(|next| **next != b'\n') {
                        position += if *next == b'\\' { 2 } else { 1 };
                        if *next == byte {
                            break;
                        }
                    }
                }
                (b'/', Some(b'/')) => position += code[position..].find('\n').unwrap_or(code.len() - position),
                (b'/', Some(b'*')) => position += code[position..].find("*/").unwrap_or(code.len() - position),
                _ => return Some((here, byte)),
            }
        }
    })
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
