//! Findings as text with source excerpts, drawn by `annotate-snippets` as in the Rust compiler.

use std::{borrow::Cow, collections::HashMap, ops::Range, path::PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use lmthing_base::diagnostic::{
    snippet::{offset, renderer},
    strip_controls,
};
use lmthing_check::{Finding, Position, Severity, Span};
use lmthing_system::files::read_source_text;

pub(super) struct Pretty {
    renderer: Renderer,
    has_colours: bool,
    sources: HashMap<PathBuf, Option<String>>,
}

impl Pretty {
    /// Lines longer than `columns` are cut around the span.
    pub(super) fn new(has_colours: bool, columns: Option<u16>) -> Self {
        Pretty { renderer: renderer(has_colours, columns), has_colours, sources: HashMap::new() }
    }

    pub(super) fn text(&mut self, finding: &Finding) -> String {
        for file in [&finding.file].into_iter().chain(finding.related.iter().map(|place| &place.file)) {
            self.sources.entry(file.clone()).or_insert_with(|| read_source_text(file).ok());
        }
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(self.without_foreign_escapes(&finding.message)).id(&finding.code);
        let mut first = self.place(Group::with_title(title), &finding.file, finding.span);
        if let Some(hint) = &finding.hint {
            first = first.element(Level::HELP.with_name("hint").message(self.without_foreign_escapes(hint)));
        }
        let related = finding.related.iter().map(|place| {
            let title = Group::with_title(Level::NOTE.secondary_title(self.without_foreign_escapes(&place.message)));
            self.place(title, &place.file, Some(place.span))
        });
        let groups: Vec<Group<'_>> = [first].into_iter().chain(related).collect();
        self.renderer.render(&groups) + "\n\n"
    }

    /// Removes escape sequences from foreign text if the output has colours.
    fn without_foreign_escapes<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.has_colours { strip_controls(text) } else { Cow::Borrowed(text) }
    }

    fn place<'a>(&'a self, group: Group<'a>, file: &std::path::Path, span: Option<Span>) -> Group<'a> {
        let shown = self.without_foreign_escapes(&file.display().to_string()).into_owned();
        let source = self.sources.get(file).and_then(Option::as_deref);
        match (span, source) {
            (None, _) => group.element(Origin::path(shown)),
            (Some(span), Some(source)) if !source.is_empty() => {
                let mark = AnnotationKind::Primary.span(bytes(source, span));
                group.element(Snippet::source(source).path(shown).annotation(mark))
            }
            (Some(Span { start, .. }), _) => {
                group.element(Origin::path(shown).line(start.line as usize).char_column(start.column as usize))
            }
        }
    }
}

/// The byte range of a span, clamped to the source.
fn bytes(source: &str, span: Span) -> Range<usize> {
    let at = |place: Position| offset(source, place.line, place.column);
    let start = at(span.start);
    start..at(span.end).max(start)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use lmthing_check::Related;

    fn finding(file: &Path, places: [u32; 4]) -> Finding {
        let [line, column, end_line, end_column] = places;
        let place = |line, column| Position { line, column };
        Finding {
            file: file.to_owned(),
            span: Some(Span { start: place(line, column), end: place(end_line, end_column) }),
            severity: Severity::Error,
            code: "TS2322".to_owned(),
            message: "Type 'string' is not assignable to type 'number'.".to_owned(),
            hint: None,
            fix: None,
            related: Vec::new(),
        }
    }

    #[test]
    fn findings_show_their_source() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let main = write(
            "p.lmt.mjs",
            "import { z } from 'zod';\r\n\tconst 日本 = \"ä\", days = 'x';\r\n\r\nf({\n  a: 1,\n  b: 2,\n  c: 3,\n  d: 4,\n});\n",
        );
        let other = write("lib.mjs", "export const a = 1;\n");
        let long = write("long.lmt.mjs", &format!("{}const wrong = 'x';{}\n", "a();".repeat(200), "b();".repeat(200)));
        let several = Finding {
            severity: Severity::Warning,
            message: "Argument is wrong.\n  Types of property 'a' are incompatible.\n    Type 'x' is not 'y'."
                .to_owned(),
            hint: Some("Did you mean 'a'?".to_owned()),
            related: vec![
                Related {
                    file: other.clone(),
                    span: finding(&other, [1, 14, 1, 15]).span.unwrap(),
                    message: "'a' is declared here.".to_owned(),
                },
                Related {
                    file: main.clone(),
                    span: finding(&main, [1, 10, 1, 11]).span.unwrap(),
                    message: "'z' was also declared here.".to_owned(),
                },
            ],
            ..finding(&main, [4, 3, 9, 2])
        };
        let whole =
            Finding { span: None, severity: Severity::Note, code: "render".to_owned(), ..finding(&main, [1, 1, 1, 1]) };
        let gone = Finding { file: folder.path().join("gone.mjs"), ..finding(&main, [3, 1, 3, 2]) };
        let beyond = finding(&other, [7, 9, 8, 1]);
        let control = Finding { message: "a \x1b[31mred\x1b[0m name".to_owned(), ..finding(&other, [1, 1, 1, 1]) };
        let mut pretty = Pretty::new(false, Some(80));
        let shown =
            [finding(&main, [2, 22, 2, 26]), several, finding(&long, [1, 807, 1, 812]), whole, gone, beyond, control];
        let shown: String = shown.iter().map(|finding| pretty.text(finding)).collect();
        let shown = shown.replace(&format!("{}/", folder.path().display()), "");
        insta::assert_snapshot!(shown);
        assert!(Pretty::new(true, None).text(&finding(&main, [2, 22, 2, 26])).contains("\x1b[1m\x1b[91merror[TS2322]"));
    }
}
