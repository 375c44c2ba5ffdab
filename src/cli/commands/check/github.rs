//! Findings as workflow commands of GitHub Actions.

use std::path::Path;

use lmthing_base::diagnostic::{Annotation, AnnotationLevel};
use lmthing_check::{Finding, Severity};

/// Returns the command with its line break. `workspace` is the root of the repository, to which paths are relative.
pub(super) fn command(finding: &Finding, workspace: Option<&Path>) -> String {
    let level = match finding.severity {
        Severity::Error => AnnotationLevel::Error,
        Severity::Warning => AnnotationLevel::Warning,
        Severity::Note => AnnotationLevel::Notice,
    };
    let mut annotation = Annotation::new(level, &finding.file, workspace);
    if let Some(span) = finding.span {
        annotation = annotation
            .with("line", span.start.line)
            .with("col", span.start.column)
            .with("endLine", span.end.line)
            .with("endColumn", span.end.column);
    }
    let hint = finding.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
    let title = format!("lmthing {}", finding.code);
    annotation.with("title", title).command(&format!("{}{hint}", finding.message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmthing_check::{Position, Span};

    #[test]
    fn separators_are_escaped() {
        let place = |line, column| Position { line, column };
        let finding = Finding {
            file: "a,b:c%.lmt.mjs".into(),
            span: Some(Span { start: place(2, 3), end: place(4, 1) }),
            severity: Severity::Warning,
            code: "mock".to_owned(),
            message: "100 %: a,\r\nb".to_owned(),
            hint: Some("::error::x".to_owned()),
            fix: None,
            related: Vec::new(),
        };
        assert_eq!(
            command(&finding, None),
            "::warning file=a%2Cb%3Ac%25.lmt.mjs,line=2,col=3,endLine=4,endColumn=1,title=lmthing mock::100 %25: \
             a,%0D%0Ab%0A::error::x\n"
        );
        let note = Finding { span: None, severity: Severity::Note, hint: None, ..finding };
        assert_eq!(command(&note, None), "::notice file=a%2Cb%3Ac%25.lmt.mjs,title=lmthing mock::100 %25: a,%0D%0Ab\n");
    }
}
