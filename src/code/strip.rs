//! Types removed from model-written code, and the way back from the lines of the result.
//!
//! Plain type syntax is blanked in place, so every position stays. Enums, parameter properties and old-style assertions
//! need new code; then the compiler's source map leads back.

use serde_json::Value;
use swc_common::{
    SourceMap,
    errors::{DiagnosticBuilder, Emitter, HANDLER, Handler},
    sync::Lrc,
};
use swc_ts_fast_strip::{ErrorCode, Mode, Options, TransformConfig, TsError};

use super::{body::Body, diagnostics::CodeDiagnostic, syntax::ts_syntax};

/// From a line of the generated JavaScript back to a line of the submitted code.
#[derive(Debug)]
pub struct LineMap {
    head_lines: u32,
    source_map: Option<swc_sourcemap::SourceMap>,
}

impl LineMap {
    /// The line and column of the code, from 1, that a generated position (from 1) stands for; none for the wrapper.
    pub fn original(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let (line, column) = match &self.source_map {
            None => (line, column),
            Some(map) => {
                let token = map.lookup_token(line.checked_sub(1)?, column.saturating_sub(1))?;
                (token.get_src_line() + 1, token.get_src_col() + 1)
            }
        };
        line.checked_sub(self.head_lines).filter(|line| *line > 0).map(|line| (line, column))
    }
}

/// JavaScript for the engine.
#[derive(Debug)]
pub(crate) struct Stripped {
    pub javascript: String,
    pub lines: LineMap,
}

/// Removes the types from `code`, which must have passed the syntax check.
///
/// # Errors
/// A diagnostic when the syntax cannot be turned into JavaScript.
pub(crate) fn strip(code: &str) -> Result<Stripped, CodeDiagnostic> {
    let body = Body::for_engine(code);
    let head_lines = body.head_lines();
    match operate(&body, Mode::StripOnly) {
        Ok(output) => Ok(Stripped { javascript: output.code, lines: LineMap { head_lines, source_map: None } }),
        Err(error) if matches!(error.code, ErrorCode::UnsupportedSyntax) => {
            let output = operate(&body, Mode::Transform).map_err(|error| failure(&body, &error))?;
            let source_map = output.map.and_then(|map| swc_sourcemap::SourceMap::from_slice(map.as_bytes()).ok());
            Ok(Stripped { javascript: output.code, lines: LineMap { head_lines, source_map } })
        }
        Err(error) => Err(failure(&body, &error)),
    }
}

fn operate(body: &Body, mode: Mode) -> Result<swc_ts_fast_strip::TransformOutput, TsError> {
    let source_map: Lrc<SourceMap> = Lrc::default();
    let handler = Handler::with_emitter(true, false, Box::new(Silent));
    let transform = matches!(mode, Mode::Transform);
    let config: TransformConfig = serde_json::from_value(Value::Object(
        [("nativeClassProperties".to_owned(), Value::Bool(true))].into_iter().collect(),
    ))
    .unwrap_or_default();
    let options = Options {
        module: Some(true),
        filename: Some(super::BODY_FILE.to_owned()),
        parser: ts_syntax(),
        mode,
        transform: transform.then_some(config),
        deprecated_ts_module_as_error: None,
        source_map: transform,
    };
    swc_common::GLOBALS.set(&swc_common::Globals::new(), || {
        HANDLER.set(&handler, || swc_ts_fast_strip::operate(&source_map, &handler, body.text().to_owned(), options))
    })
}

fn failure(body: &Body, error: &TsError) -> CodeDiagnostic {
    CodeDiagnostic::at(body.code(), 0, 0, format!("The types could not be removed from the code: {}", error.message))
}

/// SWC reports through an emitter; what it would print is in the error already.
struct Silent;

impl Emitter for Silent {
    fn emit(&mut self, _: &mut DiagnosticBuilder<'_>) {}
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
    fn enums_and_parameter_properties_become_code_with_a_map_back() {
        let code =
            "enum E { A, B = 'b' }\nclass C {\n  constructor(private x: number) {}\n}\n\n\nthrow new Error(E[0]);";
        let stripped = strip(code).unwrap();
        assert!(!stripped.javascript.contains("private"));
        let (index, text) = stripped.javascript.lines().enumerate().find(|(_, text)| text.contains("throw")).unwrap();
        let column = text.find("throw").unwrap() as u32 + 1;
        assert_eq!(stripped.lines.original(index as u32 + 1, column).map(|place| place.0), Some(7));
    }
}
