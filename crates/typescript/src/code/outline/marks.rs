//! The column that the engine reports for a token.
//!
//! QuickJS remembers a *mark*: the end of the last white space or comment, or the start of the last name, whichever
//! came later. The position of a call is the mark when the token after its bracket has been read, not the token
//! itself.

use tsr_arena::Error;
use tsr_ast::SyntaxKind;

use crate::code::Tree;

/// The marks of one text in order.
pub(super) struct Marks(Vec<usize>);

impl Marks {
    pub(super) fn of(tree: &Tree) -> Result<Self, Error> {
        let literals = literals(tree)?;
        let bytes = tree.bytes();
        let mut marks = Vec::new();
        let mut literals = literals.into_iter().peekable();
        let mut at = 0;
        while at < bytes.len() {
            // Nothing is marked inside of strings, templates and regular expressions.
            while literals.next_if(|(_, end)| *end <= at).is_some() {}
            if let Some((_, end)) = literals.next_if(|(start, _)| *start <= at) {
                at = end;
                continue;
            }
            at = step(bytes, at, &mut marks);
        }
        Ok(Self(marks))
    }

    /// The mark when the token at `token` has been read.
    pub(super) fn at(&self, token: usize) -> usize {
        let before = self.0.partition_point(|mark| *mark <= token);
        before.checked_sub(1).map_or(0, |last| self.0[last])
    }
}

/// Reads one token and returns the offset of the next.
fn step(bytes: &[u8], at: usize, marks: &mut Vec<usize>) -> usize {
    let rest = &bytes[at..];
    let length_to = |found: Option<usize>| found.unwrap_or(rest.len());
    if rest.starts_with(b"//") {
        let end = at + length_to(rest.iter().position(|byte| *byte == b'\n'));
        marks.push(end);
        return end;
    }
    if rest.starts_with(b"/*") {
        let end = at + length_to(rest.windows(2).skip(2).position(|pair| pair == b"*/").map(|found| found + 4));
        marks.push(end);
        return end;
    }
    if rest[0].is_ascii_whitespace() {
        marks.push(at + 1);
        return at + 1;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || *byte >= 0x80;
    let length = rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len());
    // Numbers contain letters too, as in `0x1f`.
    if length > 0 && rest[0].is_ascii() && !rest[0].is_ascii_digit() {
        marks.push(at);
    }
    at + length.max(1)
}

/// The ranges of strings, templates and regular expressions.
fn literals(tree: &Tree) -> Result<Vec<(usize, usize)>, Error> {
    let mut found = Vec::new();
    tree.walk(tree.root(), |node, kind| {
        let is_literal = matches!(
            kind,
            SyntaxKind::StringLiteral
                | SyntaxKind::NoSubstitutionTemplateLiteral
                | SyntaxKind::TemplateHead
                | SyntaxKind::TemplateMiddle
                | SyntaxKind::TemplateTail
                | SyntaxKind::RegularExpressionLiteral
        );
        if is_literal {
            found.push((tree.start(node)?, tree.end(node)?));
        }
        Ok(!is_literal)
    })?;
    found.sort_unstable();
    Ok(found)
}
