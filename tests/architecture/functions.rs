//! Measures functions as rustfmt lays them out: from the line with `fn` to the brace at the same indentation.

#[derive(Debug, PartialEq)]
pub(crate) struct Function {
    /// 1-based.
    pub line: usize,
    pub name: String,
    pub length: usize,
}

/// The functions in this [`code`](crate::paths::code). Declarations without a body do not count; nested functions also
/// count by themselves.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    let lines: Vec<&str> = code.lines().map(str::trim_end).collect();
    let starts = lines.iter().enumerate().filter_map(|(index, line)| Some((index, function_name(line)?)));
    starts
        .filter_map(|(index, name)| {
            let length = length(&lines[index..])?;
            Some(Function { line: index + 1, name: name.to_owned(), length })
        })
        .collect()
}

/// The name in a line that begins a function.
fn function_name(line: &str) -> Option<&str> {
    const QUALIFIERS: [&str; 4] = ["const ", "async ", "unsafe ", "extern \"C\" "];
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        rest = match after.strip_prefix('(') {
            Some(reach) => reach.split_once(") ")?.1,
            None => after.strip_prefix(' ')?,
        };
    }
    while let Some(after) = QUALIFIERS.iter().find_map(|qualifier| rest.strip_prefix(qualifier)) {
        rest = after;
    }
    let name = rest.strip_prefix("fn ")?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Lines of the function that begins in the first line; `None` without a body.
fn length(lines: &[&str]) -> Option<usize> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let outer = indentation(lines[0]);
    // At this indentation there are only parts of the signature and the brace that closes the body.
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty() && indentation(line) == outer) {
        match line.chars().last() {
            Some(';') => return None,
            Some('}') if index > 0 || line.contains('{') => return Some(index + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::code;

    #[test]
    fn functions_are_measured_to_their_last_brace() {
        let text = "\
impl A {
    pub(crate) async fn long<T>(
        &self,
    ) -> B
    where
        T: C,
    {
        let text = r#\"
    }
\"#;
        match x {}
    }

    fn one(&self) -> [u8; 2] { [1, 2] } // fn
}
trait D {
    fn declared(&self);
    fn declared_over_lines(
        &self,
    ) -> E;
    const fn with_default(&self) {
    }
}
";
        let found: Vec<_> = functions(&code(text)).into_iter().map(|f| (f.line, f.name, f.length)).collect();
        let expected = [(2, "long", 11), (14, "one", 1), (21, "with_default", 2)];
        assert_eq!(found, expected.map(|(line, name, length)| (line, name.to_owned(), length)));
    }
}
