//! TypeScript files: types are blanked in place, as Node does it, so every position stays true. Syntax that needs code of
//! its own (enums, parameter properties, namespaces) is refused with a position.

use std::cell::RefCell;
use std::rc::Rc;

use swc_common::errors::{DiagnosticBuilder, Emitter, HANDLER, Handler};
use swc_common::sync::Lrc;
use swc_common::{BytePos, SourceMap};
use swc_ts_fast_strip::{ErrorCode, Mode, Options, operate};

use crate::diagnostic::Location;
use crate::script::error::ScriptError;

/// Strips the types of the module `name`.
pub(super) fn strip(name: &str, text: String) -> Result<String, ScriptError> {
    let source_map = Lrc::new(SourceMap::default());
    let problems = Problems::default();
    let handler = Handler::with_emitter(false, false, Box::new(problems.clone()));
    let options =
        Options { module: Some(true), filename: Some(name.to_owned()), mode: Mode::StripOnly, ..Options::default() };
    let options = Options { parser: swc_ecma_parser::TsSyntax { decorators: false, ..Default::default() }, ..options };
    let output = HANDLER.set(&handler, || operate(&source_map, &handler, text, options));
    output.map(|output| output.code).map_err(|error| {
        let first = problems.0.borrow().first().cloned();
        let (message, position) = first.unwrap_or_else(|| (error.message.clone(), None));
        let failure = match position {
            Some(position) => ScriptError::syntax(message, locate(&source_map, name, position)),
            None => ScriptError::new("SyntaxError", message),
        };
        match error.code {
            ErrorCode::UnsupportedSyntax => {
                failure.hint("types are only stripped, not compiled: use syntax that disappears when types are removed")
            }
            _ => failure,
        }
    })
}

/// The column is in bytes, as everywhere before the diagnostic.
fn locate(source_map: &SourceMap, name: &str, position: BytePos) -> Location {
    let place = source_map.lookup_char_pos(position);
    let column = position.0 - place.file.line_begin_pos(position).0 + 1;
    Location { path: name.to_owned(), line: u32::try_from(place.line).unwrap_or(u32::MAX), column }
}

/// Collects what the parser complains about: message and position.
#[derive(Clone, Default)]
struct Problems(Rc<RefCell<Vec<Problem>>>);

type Problem = (String, Option<BytePos>);

impl Emitter for Problems {
    fn emit(&mut self, builder: &mut DiagnosticBuilder<'_>) {
        let position = builder.span.primary_span().map(|span| span.lo());
        self.0.borrow_mut().push((builder.message(), position));
    }
}
