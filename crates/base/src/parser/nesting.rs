//! Counts nested brackets before a parser reads the text.

/// Brackets nested deeper than this are refused.
pub const MAX_NESTING: usize = 1_000;

/// The first bracket that is nested in more than `max` others: a cheap check that protects recursive parsers.
///
/// Brackets are counted with and without those in strings and comments, and both counts must exceed `max`: a quote in a template
/// or a regular expression would mislead either count alone.
pub fn nested_too_deep(code: &str, max: usize) -> Option<usize> {
    let offset = deepest(code.bytes().enumerate(), max)?;
    deepest(outside_of_strings(code), max)?;
    Some(offset)
}

/// The message for text that is nested too deep.
pub fn nesting_message(max: usize) -> String {
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
