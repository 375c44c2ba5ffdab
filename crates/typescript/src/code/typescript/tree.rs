//! The syntax tree of a text and its syntax errors.

use std::ops::ControlFlow;
use std::sync::Arc;

use tsr_arena::Error;
use tsr_ast::{
    AstFile, AstView, ChildVisitor, NodeId, NodeListId, NodeRead, NodeSlice, SourceFileParseOptions, SyntaxKind,
};
use tsr_compiler::diagnostic_writer::flattened;
use tsr_core::ScriptKind;
use tsr_jsstring::{JsString, SourceText};

use lmthing_base::parser::{Language, MAX_NESTING, SyntaxProblem, nested_too_deep};

/// Diagnostics of category "error" (`tsr_diagnostics::Category::Error`).
const ERROR: i32 = 1;

/// The syntax tree of one module. All offsets are bytes of the text.
pub struct Tree {
    file: AstFile,
    root: NodeId,
}

impl Tree {
    /// Parses `text`. A text with syntax errors has a tree too.
    ///
    /// # Errors
    /// If the parser fails, or brackets are nested more than [`MAX_NESTING`] deep, where it takes minutes.
    pub fn parse(text: &str, language: Language) -> Result<Self, Error> {
        if nested_too_deep(text, MAX_NESTING).is_some() {
            return Err(Error::InvalidGraph);
        }
        let (kind, name) = match language {
            Language::JavaScript => (ScriptKind::JS, b"/module.mjs"),
            Language::TypeScript => (ScriptKind::TS, b"/module.mts"),
        };
        let name = JsString::from_bytes(name.as_slice());
        let options = SourceFileParseOptions { path: name.clone(), file_name: name, ..Default::default() };
        let source = SourceText::from_loaded_bytes(Arc::<[u8]>::from(text.as_bytes()));
        let file = tsr_parser::parse_source_file(source, kind, options).try_publish_unbound()?;
        let root = file.root().ok_or(Error::InvalidGraph)?;
        Ok(Self { file, root })
    }

    pub(super) fn parser_problems(&self) -> Result<Vec<SyntaxProblem>, Error> {
        let source = self.view().source_file(self.root)?;
        let errors = source.diagnostics().iter().chain(source.js_diagnostics());
        let mut problems: Vec<SyntaxProblem> = errors.filter(|found| found.category == ERROR).map(problem_of).collect();
        problems.sort_by_key(|problem| problem.offset);
        Ok(problems)
    }

    pub fn root(&self) -> NodeId {
        self.root
    }

    pub fn statements(&self) -> Result<Vec<NodeId>, Error> {
        let mut statements = self.children(self.root)?;
        statements.retain(|node| self.kind(*node).is_ok_and(|kind| kind != SyntaxKind::EndOfFile));
        Ok(statements)
    }

    fn view(&self) -> AstView<'_> {
        self.file.view()
    }

    pub fn bytes(&self) -> &[u8] {
        self.view().source().as_bytes()
    }

    pub fn node(&self, node: NodeId) -> Result<NodeRead<'_>, Error> {
        self.view().node(node)
    }

    pub fn kind(&self, node: NodeId) -> Result<SyntaxKind, Error> {
        Ok(self.node(node)?.kind().known().unwrap_or(SyntaxKind::Unknown))
    }

    /// The start of the first token of `node`, after white space and comments.
    pub fn start(&self, node: NodeId) -> Result<usize, Error> {
        Ok(self.token_from(self.full_start(node)?))
    }

    /// The end of the token before `node`.
    pub fn full_start(&self, node: NodeId) -> Result<usize, Error> {
        Ok(usize::try_from(self.node(node)?.pos()).unwrap_or(0))
    }

    /// The end of the last token of `node`.
    pub fn end(&self, node: NodeId) -> Result<usize, Error> {
        Ok(usize::try_from(self.node(node)?.end()).unwrap_or(0))
    }

    /// The start of the first token at or after `offset`.
    pub fn token_from(&self, offset: usize) -> usize {
        let at = tsr_scanner::skip_trivia(self.bytes(), i64::try_from(offset).unwrap_or(i64::MAX));
        usize::try_from(at).unwrap_or(offset)
    }

    pub fn text(&self, node: NodeId) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(self.view().node_text(node)?.as_bytes()).into_owned())
    }

    pub fn list(&self, list: Option<NodeListId>) -> Result<Vec<NodeId>, Error> {
        let Some(list) = list else { return Ok(Vec::new()) };
        let nodes = self.view().list(list)?.nodes();
        Ok(self.view().node_slice(nodes)?.iter().flatten().collect())
    }

    /// The range between the brackets of a list.
    pub fn list_range(&self, list: NodeListId) -> Result<(usize, usize), Error> {
        let range = self.view().list(list)?.loc();
        Ok((usize::try_from(range.pos()).unwrap_or(0), usize::try_from(range.end()).unwrap_or(0)))
    }

    pub fn has_modifier(&self, node: NodeId, modifier: SyntaxKind) -> Result<bool, Error> {
        for found in self.list(self.node(node)?.modifiers())? {
            if self.kind(found)? == modifier {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub fn children(&self, node: NodeId) -> Result<Vec<NodeId>, Error> {
        let mut children = Children { view: self.view(), found: Vec::new(), failure: None };
        let _ = self.node(node)?.for_each_child(&mut children);
        children.failure.map_or(Ok(children.found), Err)
    }

    /// Calls `visit` with `node` and its descendants; `visit` returns whether to visit the children. Iterative, as the
    /// depth of the tree depends on the text.
    pub fn walk(
        &self,
        node: NodeId,
        mut visit: impl FnMut(NodeId, SyntaxKind) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut pending = vec![node];
        while let Some(next) = pending.pop() {
            if visit(next, self.kind(next)?)? {
                pending.extend(self.children(next)?.into_iter().rev());
            }
        }
        Ok(())
    }
}

fn problem_of(diagnostic: &tsr_ast::Diagnostic) -> SyntaxProblem {
    let message = flattened(diagnostic, b"\n").unwrap_or_default();
    SyntaxProblem {
        offset: usize::try_from(diagnostic.loc.pos()).unwrap_or(0),
        code: u32::try_from(diagnostic.code).unwrap_or(0),
        message: String::from_utf8_lossy(&message).into_owned(),
    }
}

struct Children<'a> {
    view: AstView<'a>,
    found: Vec<NodeId>,
    failure: Option<Error>,
}

impl Children<'_> {
    fn add(&mut self, nodes: Result<NodeSlice, Error>) -> ControlFlow<()> {
        let read = nodes.and_then(|nodes| self.view.node_slice(nodes));
        match read {
            Ok(nodes) => {
                self.found.extend(nodes.iter().flatten());
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.failure = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl ChildVisitor for Children<'_> {
    fn visit_node(&mut self, node: NodeId) -> ControlFlow<()> {
        self.found.push(node);
        ControlFlow::Continue(())
    }

    fn visit_list(&mut self, nodes: NodeListId) -> ControlFlow<()> {
        let nodes = self.view.list(nodes).map(|list| list.nodes());
        self.add(nodes)
    }

    fn visit_node_slice(&mut self, nodes: NodeSlice) -> ControlFlow<()> {
        self.add(Ok(nodes))
    }
}
