//! What requests need to know of a prompt file's syntax: calls, strings and the default export at an offset.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lmthing_base::parser::Language;
use lmthing_typescript::code::{Tree, check_nesting};
use tsr_arena::Error;
use tsr_ast::{NodeId, SyntaxKind};

/// A call of a method such as `def`, or a template with the tag `$`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MethodCall {
    pub(crate) method: String,
    /// The bytes of what is called: `def`, `prompt.def`.
    pub(crate) callee: Range<usize>,
    /// The bytes of the method's name.
    pub(crate) name: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StringValue {
    pub(crate) text: String,
    /// With its quotes.
    pub(crate) range: Range<usize>,
    /// Whether it is the value of a property `model`.
    pub(crate) is_model: bool,
}

pub(crate) struct Syntax(Tree);

impl Syntax {
    /// `None` if the text cannot be parsed at all.
    pub(crate) fn of(text: &str, language: Language) -> Option<Self> {
        check_nesting(text).ok()?;
        // The parser may panic on invalid text.
        catch_unwind(AssertUnwindSafe(|| Tree::parse(text, language))).ok()?.ok().map(Syntax)
    }

    /// The call whose name is at `offset`, if it is one of `def…` or `$`.
    pub(crate) fn call_at(&self, offset: usize) -> Option<MethodCall> {
        self.search(offset, |tree, node, kind| {
            let is_call = matches!(kind, SyntaxKind::CallExpression | SyntaxKind::TaggedTemplateExpression);
            let Some(callee) =
                is_call.then(|| tree.children(node)).transpose()?.and_then(|parts| parts.first().copied())
            else {
                return Ok(None);
            };
            let name = match tree.kind(callee)? {
                SyntaxKind::PropertyAccessExpression => tree.children(callee)?.last().copied(),
                _ => Some(callee),
            };
            let Some(name) = name else { return Ok(None) };
            let name_range = tree.start(name)?..tree.end(name)?;
            let text = tree.text(name)?;
            let is_method = text == "$" || text.starts_with("def");
            let is_meant = is_method && name_range.start <= offset && offset <= name_range.end;
            let callee = tree.start(callee)?..tree.end(callee)?;
            Ok(is_meant.then_some(MethodCall { method: text, callee, name: name_range }))
        })
    }

    /// The string at `offset`.
    pub(crate) fn string_at(&self, offset: usize) -> Option<StringValue> {
        let mut models: Vec<usize> = Vec::new();
        self.search(offset, |tree, node, kind| {
            if kind == SyntaxKind::PropertyAssignment
                && let [name, value] = tree.children(node)?[..]
                && ["model", "'model'", "\"model\""].contains(&tree.text(name)?.as_str())
            {
                models.push(tree.start(value)?);
            }
            if !matches!(kind, SyntaxKind::StringLiteral | SyntaxKind::NoSubstitutionTemplateLiteral) {
                return Ok(None);
            }
            let range = tree.start(node)?..tree.end(node)?;
            let is_model = models.contains(&range.start);
            Ok(range.contains(&offset).then_some(StringValue { text: tree.text(node)?, range, is_model }))
        })
    }

    /// The bytes of the keywords `export default`, else of the first statement.
    pub(crate) fn default_export(&self) -> Option<Range<usize>> {
        let tree = &self.0;
        let found = || -> Result<Option<Range<usize>>, Error> {
            let statements = tree.statements()?;
            for statement in &statements {
                let is_default = tree.kind(*statement)? == SyntaxKind::ExportAssignment
                    || tree.has_modifier(*statement, SyntaxKind::DefaultKeyword)?;
                if is_default {
                    let start = tree.start(*statement)?;
                    let default = tree.token_from(start + "export".len());
                    return Ok(Some(start..default + "default".len()));
                }
            }
            let Some(first) = statements.first() else { return Ok(None) };
            let start = tree.start(*first)?;
            Ok(Some(start..start))
        };
        found().ok().flatten()
    }

    /// The first thing that `find` returns among the nodes that contain `offset`, the innermost last.
    fn search<T>(
        &self,
        offset: usize,
        mut find: impl FnMut(&Tree, NodeId, SyntaxKind) -> Result<Option<T>, Error>,
    ) -> Option<T> {
        let tree = &self.0;
        let mut found = None;
        let walked = tree.walk(tree.root(), |node, kind| {
            let contains = tree.start(node)? <= offset && offset <= tree.end(node)?;
            if contains && let Some(new) = find(tree, node, kind)? {
                found = Some(new);
            }
            Ok(contains)
        });
        walked.ok().and(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn syntax(text: &str) -> Syntax {
        Syntax::of(text, Language::JavaScript).unwrap()
    }

    #[test]
    fn the_call_under_the_cursor_is_found() {
        let text = "export default ({ def, $ }, p) => { $`a ${def('N', p.defData('D', {}))}`; };";
        let syntax = syntax(text);
        let at =
            |needle: &str| syntax.call_at(text.find(needle).unwrap()).map(|call| (call.method, &text[call.callee]));
        assert_eq!(at("$`a"), Some(("$".to_owned(), "$")));
        assert_eq!(at("def('N'"), Some(("def".to_owned(), "def")));
        assert_eq!(at("defData("), Some(("defData".to_owned(), "p.defData")));
        assert_eq!(at("'D'"), None);
        assert_eq!(&text[syntax.default_export().unwrap()], "export default");
    }

    #[test]
    fn strings_know_whether_they_name_a_model() {
        let text = "export const config = { model: 'mock', name: 'openai:gpt' };";
        let at =
            |needle: &str| syntax(text).string_at(text.find(needle).unwrap()).map(|found| (found.text, found.is_model));
        assert_eq!(at("mock"), Some(("mock".to_owned(), true)));
        assert_eq!(at("openai"), Some(("openai:gpt".to_owned(), false)));
        assert_eq!(at("config"), None);
    }
}
