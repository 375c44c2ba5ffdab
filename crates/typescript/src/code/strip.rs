//! Removes the types of model-written code, and maps lines back.

use super::{body::Body, diagnostics::CodeDiagnostic, typescript::to_javascript};
use lmthing_base::parser::Positions;

/// Maps lines of the generated JavaScript to lines of the submitted code.
#[derive(Debug)]
pub struct LineMap {
    head_lines: u32,
    positions: Option<Positions>,
}

impl LineMap {
    /// Maps a generated line and column (from 1) to the code; `None` for the wrapper.
    pub fn original(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let (line, column) = match &self.positions {
            None => (line, column),
            Some(positions) => positions.original(line, column)?,
        };
        line.checked_sub(self.head_lines).filter(|line| *line > 0).map(|line| (line, column))
    }
}

#[derive(Debug)]
pub(super) struct Stripped {
    pub javascript: String,
    pub lines: LineMap,
}

/// Removes the types from `code`, which must have passed the syntax check.
pub(super) fn strip(code: &str) -> Result<Stripped, CodeDiagnostic> {
    let body = Body::for_engine(code);
    let javascript = to_javascript(body.text()).map_err(|problem| {
        CodeDiagnostic::at(body.code(), body.offset_in_code(problem.offset), problem.code, problem.message)
    })?;
    let lines = LineMap { head_lines: body.head_lines(), positions: javascript.positions };
    Ok(Stripped { javascript: javascript.code, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_types_are_blanked_in_place() {
        let code = "const a: number = 1;\nreturn a as unknown;";
        let stripped = strip(code).unwrap();
        assert_eq!(stripped.javascript.lines().nth(1).unwrap(), "const a         = 1;");
        assert_eq!(stripped.lines.original(3, 5), Some((2, 5)));
        assert_eq!(stripped.lines.original(1, 5), None);
    }

    #[test]
    fn enums_and_parameter_properties_are_compiled_with_a_position_map() {
        let code =
            "enum E { A, B = 'b' }\nclass C {\n  constructor(private x: number) {}\n}\n\n\nthrow new Error(E[0]);";
        let stripped = strip(code).unwrap();
        assert!(!stripped.javascript.contains("private"));
        let (index, text) = stripped.javascript.lines().enumerate().find(|(_, text)| text.contains("throw")).unwrap();
        let column = text.find("throw").unwrap() as u32 + 1;
        assert_eq!(stripped.lines.original(index as u32 + 1, column), Some((7, 1)));
    }
}
