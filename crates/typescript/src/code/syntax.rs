//! Parses model-written code: syntax errors, module syntax, the arguments of calls.

use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

use super::{
    body::Body,
    diagnostics::CodeDiagnostic,
    typescript::{Tree, failed, guarded},
};
use lmthing_base::parser::{Language, SyntaxProblem};

const MAX_ERRORS: usize = 10;

#[derive(Debug)]
pub(super) struct CallArguments {
    arguments: Vec<(usize, usize)>,
}

impl CallArguments {
    pub(super) fn contain(&self, offset: usize) -> bool {
        self.arguments.iter().any(|(from, to)| (*from..*to).contains(&offset))
    }
}

/// Parses the body of an async function. Code that closes the function around it is a syntax error.
pub(super) fn parse(body: &Body) -> Result<CallArguments, Vec<CodeDiagnostic>> {
    let diagnostic = |problem: SyntaxProblem| {
        CodeDiagnostic::at(body.code(), body.offset_in_code(problem.offset), problem.code, problem.message)
    };
    let parsed = guarded(|| {
        let tree = Tree::parse(body.text(), Language::TypeScript).map_err(failed)?;
        let mut problems = tree.problems().map_err(failed)?;
        if problems.is_empty() {
            problems.extend(disallowed_syntax(&tree, body).map_err(failed)?);
        }
        Ok(if problems.is_empty() { Ok(arguments(&tree, body).map_err(failed)?) } else { Err(problems) })
    });
    match parsed {
        Ok(Ok(arguments)) => Ok(CallArguments { arguments }),
        Ok(Err(problems)) => Err(problems.into_iter().take(MAX_ERRORS).map(diagnostic).collect()),
        Err(failure) => Err(vec![diagnostic(failure)]),
    }
}

fn disallowed_syntax(tree: &Tree, body: &Body) -> Result<Option<SyntaxProblem>, Error> {
    if let Some(offset) = first_outside(tree, body.statement_end())? {
        let message = "The code closes the function it is the body of: one closing bracket too many.".to_owned();
        return Ok(Some(SyntaxProblem { offset, code: 1128, message }));
    }
    let mut found = None;
    tree.walk(tree.root(), |node, kind| {
        if found.is_none() && is_module_syntax(kind) {
            let message = "Modules cannot be used here: call the functions you were given, and return the result.";
            found = Some(SyntaxProblem { offset: tree.start(node)?, code: 1232, message: message.to_owned() });
        }
        Ok(found.is_none())
    })?;
    Ok(found)
}

fn is_module_syntax(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::ImportDeclaration
            | SyntaxKind::ExportDeclaration
            | SyntaxKind::ExportAssignment
            | SyntaxKind::ExportKeyword
    )
}

/// The end of the wrapper if other code follows it: the module must be one expression statement.
fn first_outside(tree: &Tree, end: usize) -> Result<Option<usize>, Error> {
    let statements = tree.statements()?;
    let Some(&first) = statements.first() else { return Ok(Some(0)) };
    let is_wrapper = statements.len() == 1 && tree.start(first)? == 0 && is_wrapper(tree, first, end)?;
    if is_wrapper { Ok(None) } else { Ok(Some(tree.end(first)?)) }
}

/// Whether a statement is `(async () => {…});` up to the end.
fn is_wrapper(tree: &Tree, statement: NodeId, end: usize) -> Result<bool, Error> {
    let mut node = statement;
    for kind in [SyntaxKind::ExpressionStatement, SyntaxKind::ParenthesizedExpression] {
        match tree.children(node)?[..] {
            [only] if tree.kind(node)? == kind => node = only,
            _ => return Ok(false),
        }
    }
    let is_async =
        tree.kind(node)? == SyntaxKind::ArrowFunction && tree.has_modifier(node, SyntaxKind::AsyncKeyword)?;
    let body = tree.children(node)?.last().copied();
    let has_block = body.map(|body| tree.kind(body)).transpose()? == Some(SyntaxKind::Block);
    Ok(is_async && has_block && tree.end(node)? + 2 >= end)
}

/// The ranges in the code between the callees and the ends of calls.
fn arguments(tree: &Tree, body: &Body) -> Result<Vec<(usize, usize)>, Error> {
    let mut arguments = Vec::new();
    tree.walk(tree.root(), |node, kind| {
        if matches!(kind, SyntaxKind::CallExpression | SyntaxKind::NewExpression)
            && let Some(callee) = tree.children(node)?.first()
        {
            let range = (tree.end(*callee)?, tree.end(node)?);
            arguments.push((body.offset_in_code(range.0), body.offset_in_code(range.1)));
        }
        Ok(true)
    })?;
    Ok(arguments)
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
    fn finds_the_arguments_of_calls() {
        let code = "const x: string = 5; f({ a: 'b' });";
        let call_arguments = parse(&Body::for_check(code)).unwrap();
        assert!(!call_arguments.contain(code.find("x:").unwrap()));
        assert!(call_arguments.contain(code.find("a:").unwrap()));
    }
}
