//! The text of the system prompt. Values are not escaped: models read the tags loosely, and escapes would mislead
//! them.

use super::definitions::Variable;
use lmthing_base::chat::{SystemPart, SystemPartKind};

/// A text in pieces, to compare a long one with another before it is joined.
#[derive(Default)]
pub(super) struct Pieces<'a> {
    pieces: Vec<&'a str>,
    parts: Vec<NamedPieces<'a>>,
}

/// A part of the text, by the indices of its first piece and the piece after it.
struct NamedPieces<'a> {
    kind: SystemPartKind,
    name: &'a str,
    start: usize,
    end: usize,
}

impl<'a> Pieces<'a> {
    fn add(&mut self, pieces: impl IntoIterator<Item = &'a str>) {
        self.pieces.extend(pieces);
    }

    fn add_part(&mut self, kind: SystemPartKind, name: &'a str, pieces: impl IntoIterator<Item = &'a str>) {
        let start = self.pieces.len();
        self.add(pieces);
        self.parts.push(NamedPieces { kind, name, start, end: self.pieces.len() });
    }

    /// Adds an empty line between the existing text and the next.
    fn separate(&mut self) {
        if !self.pieces.is_empty() {
            self.pieces.push("\n\n");
        }
    }

    pub(super) fn equal(&self, text: &str) -> bool {
        let mut rest = Some(text);
        for piece in &self.pieces {
            rest = rest.and_then(|rest| rest.strip_prefix(piece));
        }
        rest == Some("")
    }

    /// Where the sections and variables are in the text.
    pub(super) fn parts(&self) -> Vec<SystemPart> {
        let mut offset = 0;
        let mut counted = 0;
        let mut offset_of = |piece: usize| {
            offset += self.pieces[counted..piece].iter().map(|piece| piece.len()).sum::<usize>();
            counted = piece;
            offset
        };
        let part = |part: &NamedPieces<'_>| {
            let range = offset_of(part.start)..offset_of(part.end);
            SystemPart { kind: part.kind, name: part.name.into(), range }
        };
        self.parts.iter().map(part).collect()
    }
}

impl From<Pieces<'_>> for String {
    fn from(pieces: Pieces<'_>) -> Self {
        pieces.pieces.concat()
    }
}

/// Plain text, sections and variables in this order. `None` if all are empty.
pub(super) fn system_prompt<'a>(
    plain: Option<&'a str>,
    sections: impl Iterator<Item = (&'a str, &'a str)>,
    variables: impl Iterator<Item = (&'a str, &'a Variable)>,
) -> Option<Pieces<'a>> {
    let mut pieces = Pieces::default();
    if let Some(plain) = plain.filter(|text| !text.is_empty()) {
        pieces.add_part(SystemPartKind::Plain, "", [plain]);
    }
    for (name, content) in sections {
        pieces.separate();
        pieces.add_part(SystemPartKind::Section, name, ["<", name, ">\n", content, "\n</", name, ">"]);
    }
    let mut variables = variables.peekable();
    if variables.peek().is_some() {
        pieces.separate();
        pieces.add(["<variables>\n"]);
        for (name, value) in variables {
            let (start, value, end) = match value {
                Variable::Text(text) => (">", text.as_str(), "</"),
                Variable::Data(data) => (">\n", data.yaml(), "  </"),
            };
            pieces.add_part(SystemPartKind::Variable, name, ["  <", name, start, value, end, name, ">\n"]);
        }
        pieces.add(["</variables>"]);
    }
    (!pieces.pieces.is_empty()).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::Data;

    #[test]
    fn plain_text_sections_and_variables_come_in_this_order() {
        let text = Variable::Text("1 < 2".into());
        let data = Variable::Data(Data::from_yaml("a: 1\n".into()).into());
        let rendered =
            system_prompt(Some("Be kind."), [("role", "Poet")].into_iter(), [("X", &text), ("D", &data)].into_iter());
        let expected =
            "Be kind.\n\n<role>\nPoet\n</role>\n\n<variables>\n  <X>1 < 2</X>\n  <D>\na: 1\n  </D>\n</variables>";
        let rendered = rendered.unwrap();
        assert!(rendered.equal(expected) && !rendered.equal("Be kind.") && !rendered.equal(&format!("{expected} ")));
        let parts = rendered.parts();
        assert_eq!(String::from(rendered), expected);
        let shown: Vec<_> = parts.iter().map(|part| (&*part.name, &expected[part.range.clone()])).collect();
        let expected = [
            ("", "Be kind."),
            ("role", "<role>\nPoet\n</role>"),
            ("X", "  <X>1 < 2</X>\n"),
            ("D", "  <D>\na: 1\n  </D>\n"),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn nothing_defined_is_no_system_prompt() {
        assert!(system_prompt(None, std::iter::empty(), std::iter::empty()).is_none());
    }
}
