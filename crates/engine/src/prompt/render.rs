//! The text of the system prompt. Values are not escaped: models read the tags loosely, and escapes would mislead
//! them.

use super::definitions::Variable;

/// A text in pieces, to compare a long one with another before it is joined.
#[derive(Default)]
pub(super) struct Pieces<'a>(Vec<&'a str>);

impl<'a> Pieces<'a> {
    fn add(&mut self, pieces: impl IntoIterator<Item = &'a str>) {
        self.0.extend(pieces);
    }

    /// Adds an empty line between the existing text and the next.
    fn separate(&mut self) {
        if !self.0.is_empty() {
            self.0.push("\n\n");
        }
    }

    pub(super) fn equal(&self, text: &str) -> bool {
        let mut rest = Some(text);
        for piece in &self.0 {
            rest = rest.and_then(|rest| rest.strip_prefix(piece));
        }
        rest == Some("")
    }
}

impl From<Pieces<'_>> for String {
    fn from(pieces: Pieces<'_>) -> Self {
        pieces.0.concat()
    }
}

/// Plain text, sections and variables in this order. `None` if all are empty.
pub(super) fn system_prompt<'a>(
    plain: Option<&'a str>,
    sections: impl Iterator<Item = (&'a str, &'a str)>,
    variables: impl Iterator<Item = (&'a str, &'a Variable)>,
) -> Option<Pieces<'a>> {
    let mut pieces = Pieces::default();
    pieces.add(plain.filter(|text| !text.is_empty()));
    for (name, content) in sections {
        pieces.separate();
        pieces.add(["<", name, ">\n", content, "\n</", name, ">"]);
    }
    let mut variables = variables.peekable();
    if variables.peek().is_some() {
        pieces.separate();
        pieces.add(["<variables>\n"]);
        for (name, value) in variables {
            match value {
                Variable::Text(text) => pieces.add(["  <", name, ">", text, "</", name, ">\n"]),
                Variable::Data(data) => pieces.add(["  <", name, ">\n", data.yaml(), "  </", name, ">\n"]),
            }
        }
        pieces.add(["</variables>"]);
    }
    (!pieces.0.is_empty()).then_some(pieces)
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
        assert_eq!(String::from(rendered), expected);
    }

    #[test]
    fn nothing_defined_is_no_system_prompt() {
        assert!(system_prompt(None, std::iter::empty(), std::iter::empty()).is_none());
    }
}
