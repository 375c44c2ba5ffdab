//! Syntax of model-written code, by SWC: errors with positions, the shape of the body, refused module syntax.

use swc_common::{BytePos, FileName, SourceMap, Span, Spanned, sync::Lrc};
use swc_ecma_ast::{ArrowFunctionBody, CallExpr, Callee, EsVersion, Expr, Module, ModuleItem, NewExpr, Stmt};
use swc_ecma_parser::{Lexer, Parser, StringInput, Syntax, TsSyntax, error::SyntaxError};
use swc_ecma_visit::{Visit, VisitWith};

use super::{body::Body, diagnostics::CodeDiagnostic};

/// Brackets nested deeper than this are refused before any parser sees them.
const MAX_NESTING: usize = 1_000;

/// What a successful parse tells about the code.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Byte ranges, within the code, of the argument lists of calls.
    arguments: Vec<(usize, usize)>,
}

impl Shape {
    /// Whether a byte offset of the code lies in the arguments of a call.
    pub(crate) fn in_arguments(&self, offset: usize) -> bool {
        self.arguments.iter().any(|(from, to)| (*from..*to).contains(&offset))
    }
}

pub(crate) fn ts_syntax() -> TsSyntax {
    TsSyntax { decorators: true, ..TsSyntax::default() }
}

/// Parses the body of an async function.
///
/// # Errors
/// The first syntax errors. Code that closes the function around it is one of them.
pub(crate) fn parse(body: &Body) -> Result<Shape, Vec<CodeDiagnostic>> {
    let source_map: Lrc<SourceMap> = Lrc::default();
    let file = source_map.new_source_file(FileName::Anon.into(), body.text().to_owned());
    let start = file.start_pos;
    let lexer = Lexer::new(Syntax::Typescript(ts_syntax()), EsVersion::latest(), StringInput::from(&*file), None);
    let mut parser = Parser::new_from(lexer);
    let parsed = parser.parse_module();
    let mut errors: Vec<_> = parser.take_errors();
    let module = match parsed {
        Ok(module) => Some(module),
        Err(error) => {
            errors.insert(0, error);
            None
        }
    };
    if !errors.is_empty() {
        return Err(errors.into_iter().take(10).map(|error| diagnostic(body, start, error)).collect());
    }
    let Some(module) = module else { return Err(Vec::new()) };
    if let Some(outside) = first_outside(&module, start, body.statement_end()) {
        let message = "The code closes the function it is the body of: one closing bracket too many.".to_owned();
        return Err(vec![CodeDiagnostic::at(body.code(), body.offset_in_code(outside), 1128, message)]);
    }
    let mut visitor = Arguments { body, start, arguments: Vec::new() };
    module.visit_with(&mut visitor);
    Ok(Shape { arguments: visitor.arguments })
}

/// A cheap look at the nesting of brackets, so that no recursive parser is handed a bomb.
///
/// Brackets are counted twice, with and without those in strings and comments, and both counts must be too deep: this
/// is no lexer, and a quote in a template or a regular expression would mislead either count alone. What slips through
/// ends at the worker's memory limit.
///
/// # Errors
/// A diagnostic at the bracket that goes too deep.
pub(crate) fn check_nesting(code: &str) -> Result<(), CodeDiagnostic> {
    let (Some(offset), Some(_)) = (deepest(code.bytes().enumerate()), deepest(outside_of_strings(code))) else {
        return Ok(());
    };
    let message = format!("Brackets are nested more than {MAX_NESTING} levels deep. Write the code in smaller steps.");
    Err(CodeDiagnostic::at(code, offset, 0, message))
}

fn deepest(bytes: impl Iterator<Item = (usize, u8)>) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in bytes {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
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

/// Where code follows that is not in the wrapper: the module must be one expression statement that spans it all.
fn first_outside(module: &Module, start: BytePos, end: usize) -> Option<usize> {
    let relative = |position: BytePos| (position.0 - start.0) as usize;
    match module.body.as_slice() {
        [ModuleItem::Stmt(Stmt::Expr(statement))] if relative(statement.span.lo) == 0 => {
            let is_wrapper = matches!(&*statement.expr, Expr::Paren(paren) if matches!(&*paren.expr, Expr::Arrow(arrow)
                if arrow.is_async && matches!(*arrow.body, ArrowFunctionBody::FunctionBody(_)) && relative(arrow.span.hi) + 2 >= end));
            (!is_wrapper).then(|| relative(statement.expr.span().hi))
        }
        [first, ..] => Some(relative(first.span().hi)),
        [] => Some(0),
    }
}

fn diagnostic(body: &Body, start: BytePos, error: swc_ecma_parser::error::Error) -> CodeDiagnostic {
    let offset = (error.span().lo.0.saturating_sub(start.0)) as usize;
    let message = error.kind().msg();
    let hint = match error.kind() {
        SyntaxError::ImportExportInScript | SyntaxError::NonTopLevelImportExport => {
            " Modules cannot be used here: call the functions you were given, and return the result."
        }
        _ => "",
    };
    CodeDiagnostic::at(
        body.code(),
        body.offset_in_code(offset),
        typescript_code(error.kind()),
        format!("{message}{hint}"),
    )
}

/// SWC names many of its errors after TypeScript's numbers; 1005 ("… expected") stands for the rest.
fn typescript_code(kind: &SyntaxError) -> u32 {
    let name = format!("{kind:?}");
    let digits: String = name.strip_prefix("TS").unwrap_or_default().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(1005)
}

struct Arguments<'a> {
    body: &'a Body,
    start: BytePos,
    arguments: Vec<(usize, usize)>,
}

impl Arguments<'_> {
    fn note(&mut self, after: BytePos, whole: Span) {
        let offset = |position: BytePos| self.body.offset_in_code((position.0 - self.start.0) as usize);
        let range = (offset(after), offset(whole.hi));
        self.arguments.push(range);
    }
}

impl Visit for Arguments<'_> {
    fn visit_call_expr(&mut self, call: &CallExpr) {
        if let Callee::Expr(callee) = &call.callee {
            self.note(callee.span().hi, call.span);
        }
        call.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, new: &NewExpr) {
        self.note(new.callee.span().hi, new.span);
        new.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(code: &str) -> Vec<(u32, u32)> {
        match parse(&Body::for_check(code)) {
            Ok(_) => Vec::new(),
            Err(errors) => errors.iter().map(|error| (error.line, error.code)).collect(),
        }
    }

    #[test]
    fn accepts_the_body_of_an_async_function() {
        assert_eq!(errors("const a: number = await f();\nreturn a satisfies number;"), []);
        assert_eq!(errors(""), []);
        assert_eq!(errors("// only a comment"), []);
        assert_eq!(errors("enum A { B }\nclass C { constructor(private x: number) {} }\nreturn <T,>(x: T) => x;"), []);
    }

    #[test]
    fn reports_line_and_code() {
        assert_eq!(errors("const a = 1;\nconst b = ;")[0].0, 2);
        assert!(!errors("const a = {").is_empty());
    }

    #[test]
    fn refuses_module_syntax_with_a_hint() {
        let refused = parse(&Body::for_check("import fs from 'fs';")).unwrap_err();
        assert_eq!(refused[0].line, 1);
        assert!(refused[0].message.contains("functions you were given"), "{}", refused[0].message);
        assert!(!errors("export const a = 1;").is_empty());
    }

    #[test]
    fn refuses_to_leave_the_function() {
        for code in [
            "return 1;\n});\nglobalThis.x = 1;\n(async () => {",
            "})(); (async () => {",
            "}); function f() {",
            "}, async () => {",
            "}) + (() => {",
        ] {
            assert!(!errors(code).is_empty(), "{code}");
        }
    }

    #[test]
    fn nesting_is_counted_outside_of_strings() {
        assert!(check_nesting(&format!("return {:?};", "(".repeat(5_000))).is_ok());
        assert!(check_nesting(&"(".repeat(5_000)).is_err());
        assert!(check_nesting(&format!("{}1{}", "[".repeat(900), "]".repeat(900))).is_ok());
        assert!(check_nesting(&format!("const a = `{}`;", "${`".repeat(2_000))).is_err());
    }

    #[test]
    fn finds_the_arguments_of_calls() {
        let code = "const x: string = 5; f({ a: 'b' });";
        let shape = parse(&Body::for_check(code)).unwrap();
        assert!(!shape.in_arguments(code.find("x:").unwrap()));
        assert!(shape.in_arguments(code.find("a:").unwrap()));
    }
}
