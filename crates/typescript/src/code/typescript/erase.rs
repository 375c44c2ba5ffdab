//! Replaces types by spaces, so that all other bytes keep their positions.

use tsr_arena::Error;
use tsr_ast::{NodeId, NodeListId, SyntaxKind};

use super::kinds::{is_function, is_only_types, is_type, is_type_modifier};
use super::tree::Tree;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Erased {
    Blanked(String),
    /// The module needs generated code, or blanks would change its meaning.
    NeedsCompiling,
}

/// Blanks the types of a tree without syntax errors.
pub(super) fn erase(tree: &Tree) -> Result<Erased, Error> {
    let mut eraser = Eraser { tree, blanks: Vec::new(), semicolons: Vec::new(), needs_compiling: false };
    tree.walk(tree.root(), |node, kind| Ok(!eraser.needs_compiling && eraser.visit(node, kind)?))?;
    if eraser.needs_compiling {
        return Ok(Erased::NeedsCompiling);
    }
    Ok(eraser.render().map_or(Erased::NeedsCompiling, Erased::Blanked))
}

struct Eraser<'a> {
    tree: &'a Tree,
    blanks: Vec<(usize, usize)>,
    /// Offsets of blanks that become a semicolon, where a line break alone would join two statements.
    semicolons: Vec<usize>,
    needs_compiling: bool,
}

impl Eraser<'_> {
    /// Records the blanks of `node` itself; returns whether its children have to be visited.
    fn visit(&mut self, node: NodeId, kind: SyntaxKind) -> Result<bool, Error> {
        use SyntaxKind as K;
        if is_type(kind) {
            self.blank(self.tree.start(node)?, self.tree.end(node)?);
            return Ok(false);
        }
        match kind {
            K::Decorator | K::AccessorKeyword | K::TypeAssertionExpression => self.compile(),
            K::EnumDeclaration | K::ModuleDeclaration | K::ImportEqualsDeclaration
                if !is_only_types(self.tree, node)? =>
            {
                self.compile()
            }
            _ if is_only_types(self.tree, node)? => self.erase_item(node),
            K::ImportSpecifier | K::ExportSpecifier if self.tree.node(node)?.is_type_only() => self.erase_of_list(node),
            K::HeritageClause => self.erase_heritage(node),
            K::AsExpression | K::SatisfiesExpression => self.erase_suffix(node),
            K::NonNullExpression => {
                let end = self.tree.end(node)?;
                self.blank(end - 1, end);
                Ok(true)
            }
            K::ExpressionWithTypeArguments | K::CallExpression | K::NewExpression | K::TaggedTemplateExpression => {
                self.erase_type_arguments(node, kind)
            }
            K::VariableDeclaration => self.erase_annotation(node),
            K::Parameter => self.erase_parameter(node),
            K::PropertyDeclaration => self.erase_property(node),
            K::ClassDeclaration | K::ClassExpression => {
                self.erase_type_parameters(node)?;
                self.erase_modifiers(node)?;
                Ok(true)
            }
            K::ArrowFunction => self.erase_arrow(node),
            _ if is_function(kind) => self.erase_function(node, kind),
            _ => Ok(true),
        }
    }

    fn compile(&mut self) -> Result<bool, Error> {
        self.needs_compiling = true;
        Ok(false)
    }

    fn blank(&mut self, from: usize, to: usize) {
        self.blanks.push((from, to));
    }

    fn erase_item(&mut self, node: NodeId) -> Result<bool, Error> {
        let start = self.tree.start(node)?;
        self.blank(start, self.tree.end(node)?);
        self.semicolons.push(start);
        Ok(false)
    }

    fn erase_of_list(&mut self, node: NodeId) -> Result<bool, Error> {
        let end = self.tree.end(node)?;
        let next = self.tree.token_from(end);
        let with_comma = if self.tree.bytes().get(next) == Some(&b',') { next + 1 } else { end };
        self.blank(self.tree.start(node)?, with_comma);
        Ok(false)
    }

    fn erase_heritage(&mut self, node: NodeId) -> Result<bool, Error> {
        let start = self.tree.start(node)?;
        let is_implements = self.tree.bytes()[start..].starts_with(b"implements");
        if is_implements {
            self.blank(start, self.tree.end(node)?);
        }
        Ok(!is_implements)
    }

    /// `x as T`, `x satisfies T`.
    fn erase_suffix(&mut self, node: NodeId) -> Result<bool, Error> {
        let [expression, ..] = self.tree.children(node)?[..] else { return Ok(true) };
        let from = self.tree.token_from(self.tree.end(expression)?);
        let end = self.tree.end(node)?;
        self.blank(from, end);
        self.end_statement_after(from, end);
        if self.is_operand_of_exponentiation(node)? { self.compile() } else { Ok(true) }
    }

    /// Adds a semicolon if the statement ended only because a type cannot continue in the next line.
    fn end_statement_after(&mut self, blank: usize, end: usize) {
        let next = self.tree.token_from(end);
        let bytes = self.tree.bytes();
        if has_line_break(&bytes[end..next]) && matches!(bytes.get(next), Some(b'(' | b'[' | b'`')) {
            self.semicolons.push(blank);
        }
    }

    /// `-x as T ** y` means `(-x) ** y`, but `-x ** y` is a syntax error.
    fn is_operand_of_exponentiation(&self, node: NodeId) -> Result<bool, Error> {
        let Some(parent) = self.tree.node(node)?.parent() else { return Ok(false) };
        let is_binary = self.tree.kind(parent)? == SyntaxKind::BinaryExpression;
        match self.tree.children(parent)?.get(1) {
            Some(operator) if is_binary => Ok(self.tree.kind(*operator)? == SyntaxKind::AsteriskAsteriskToken),
            _ => Ok(false),
        }
    }

    fn erase_type_arguments(&mut self, node: NodeId, kind: SyntaxKind) -> Result<bool, Error> {
        let Some(list) = self.tree.node(node)?.type_argument_list() else { return Ok(true) };
        let (from, to) = self.erase_angles(list)?;
        if kind == SyntaxKind::ExpressionWithTypeArguments {
            self.end_statement_after(from, to);
        }
        Ok(true)
    }

    fn erase_type_parameters(&mut self, node: NodeId) -> Result<Option<(usize, usize)>, Error> {
        let list = self.tree.node(node)?.type_parameter_list();
        list.map(|list| self.erase_angles(list)).transpose()
    }

    /// `<…>` around a list.
    fn erase_angles(&mut self, list: NodeListId) -> Result<(usize, usize), Error> {
        let (from, to) = self.tree.list_range(list)?;
        let range = (from.saturating_sub(1), self.tree.token_from(to) + 1);
        self.blank(range.0, range.1);
        Ok(range)
    }

    /// Blanks `: T` and a `?` or `!` before it. Returns the offset of the first blank.
    fn erase_annotation_of(&mut self, node: NodeId) -> Result<Option<usize>, Error> {
        let mut first = None;
        for child in self.tree.children(node)? {
            if matches!(self.tree.kind(child)?, SyntaxKind::QuestionToken | SyntaxKind::ExclamationToken) {
                let start = self.tree.start(child)?;
                self.blank(start, self.tree.end(child)?);
                first = Some(start);
            }
        }
        if let Some(annotation) = self.tree.node(node)?.type_node() {
            // A node begins at the end of the previous token, here the colon.
            let colon = self.tree.full_start(annotation)?.saturating_sub(1);
            self.blank(colon, self.tree.end(annotation)?);
            first = first.or(Some(colon));
        }
        Ok(first)
    }

    fn erase_annotation(&mut self, node: NodeId) -> Result<bool, Error> {
        self.erase_annotation_of(node)?;
        Ok(true)
    }

    fn erase_parameter(&mut self, node: NodeId) -> Result<bool, Error> {
        let read = self.tree.node(node)?;
        if !self.tree.list(read.modifiers())?.is_empty() {
            return self.compile();
        }
        let start = self.tree.start(node)?;
        let is_this = read
            .name()
            .map(|name| self.tree.end(name))
            .transpose()?
            .is_some_and(|end| self.tree.bytes().get(start..end) == Some(b"this"));
        if is_this {
            return self.erase_of_list(node);
        }
        self.erase_annotation(node)
    }

    fn erase_property(&mut self, node: NodeId) -> Result<bool, Error> {
        self.erase_member_modifiers(node)?;
        let first = self.erase_annotation_of(node)?;
        let read = self.tree.node(node)?;
        if let (Some(first), Some(name), None) = (first, read.name(), read.initializer()) {
            // Without its type, `get` would be read as the start of the member in the next line.
            let name = &self.tree.bytes()[self.tree.start(name)?..self.tree.end(name)?];
            if matches!(name, b"get" | b"set" | b"static" | b"async" | b"accessor") {
                self.semicolons.push(first);
            }
        }
        Ok(true)
    }

    fn erase_function(&mut self, node: NodeId, kind: SyntaxKind) -> Result<bool, Error> {
        self.erase_type_parameters(node)?;
        match kind {
            SyntaxKind::FunctionDeclaration | SyntaxKind::FunctionExpression => {
                self.erase_modifiers(node)?;
            }
            _ => self.erase_member_modifiers(node)?,
        }
        self.erase_annotation(node)
    }

    /// A line break is not allowed before the arrow, nor between `async` and the parameters.
    fn erase_arrow(&mut self, node: NodeId) -> Result<bool, Error> {
        let bytes = self.tree.bytes();
        if let Some((from, to)) = self.erase_type_parameters(node)?
            && has_line_break(&bytes[from..self.tree.token_from(to)])
        {
            return self.compile();
        }
        if let Some(colon) = self.erase_annotation_of(node)? {
            let arrow = self.tree.node(node)?.type_node().map(|annotation| self.tree.end(annotation)).transpose()?;
            let arrow = self.tree.token_from(arrow.unwrap_or(colon));
            if has_line_break(&bytes[colon..arrow]) {
                return self.compile();
            }
        }
        Ok(true)
    }

    /// Blanks modifiers that JavaScript does not have. Returns the start of the first and the end of the last.
    fn erase_modifiers(&mut self, node: NodeId) -> Result<Option<(usize, usize)>, Error> {
        let mut range: Option<(usize, usize)> = None;
        for modifier in self.tree.list(self.tree.node(node)?.modifiers())? {
            if is_type_modifier(self.tree.kind(modifier)?) {
                let (start, end) = (self.tree.start(modifier)?, self.tree.end(modifier)?);
                self.blank(start, end);
                range = Some((range.map_or(start, |(first, _)| first), end));
            }
        }
        Ok(range)
    }

    fn erase_member_modifiers(&mut self, node: NodeId) -> Result<(), Error> {
        let Some((first, end)) = self.erase_modifiers(node)? else { return Ok(()) };
        let rest = &self.tree.bytes()[self.tree.token_from(end)..];
        // Such a member would continue the initializer of the previous one.
        let continues = [b"[".as_slice(), b"*", b"in", b"instanceof"].iter().any(|start| rest.starts_with(start));
        if continues && first == self.tree.start(node)? {
            self.semicolons.push(first);
        }
        Ok(())
    }

    fn render(mut self) -> Option<String> {
        let mut code = self.tree.bytes().to_vec();
        for (from, to) in self.blanks {
            blank(code.get_mut(from..to)?);
        }
        self.semicolons.sort_unstable();
        for at in self.semicolons {
            *code.get_mut(at)? = b';';
        }
        String::from_utf8(code).ok()
    }
}

/// Replaces everything but line breaks by spaces. U+2028 and U+2029 are line breaks too, three bytes long.
fn blank(bytes: &mut [u8]) {
    let mut index = 0;
    while index < bytes.len() {
        if let [0xE2, 0x80, 0xA8 | 0xA9, ..] = bytes[index..] {
            index += 3;
            continue;
        }
        if !matches!(bytes[index], b'\n' | b'\r') {
            bytes[index] = b' ';
        }
        index += 1;
    }
}

fn has_line_break(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r')) || bytes.windows(2).any(|pair| pair == [0xE2, 0x80])
}
