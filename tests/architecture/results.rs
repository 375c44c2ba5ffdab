//! Finds `Result`s whose error is a `String`: a caller could only tell such errors apart by their text.

/// The lines, from 1, on which such a type begins.
pub(crate) fn string_errors(code: &str) -> Vec<usize> {
    const START: &str = "Result<";
    let is_string = |at: usize| arguments(&code[at + START.len()..]).get(1) == Some(&"String");
    let found = code.match_indices(START).filter(|(at, _)| is_string(*at));
    found.map(|(at, _)| code[..at].matches('\n').count() + 1).collect()
}

/// The type arguments up to the closing `>`.
fn arguments(rest: &str) -> Vec<&str> {
    let (mut depth, mut start, mut before, mut found) = (0, 0, ' ', Vec::new());
    for (at, character) in rest.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            ',' | '>' if depth == 0 => {
                found.push(rest[start..at].trim());
                start = at + 1;
                if character == '>' {
                    break;
                }
            }
            // The arrow of a function.
            '>' if before == '-' => {}
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        before = character;
    }
    found
}

#[test]
fn only_errors_that_are_strings_are_found() {
    let code = "fn a() -> Result<(), String>\nfn b() -> Result<Vec<(String, u8)>, Wrong>\nfn c() -> io::Result<String>\n\
                type D = Result<Map<String, Value>,\n    String,\n>;\nx: Result<Box<dyn Fn(u8) -> u8>, String>";
    assert_eq!(string_errors(code), [1, 4, 7]);
}
