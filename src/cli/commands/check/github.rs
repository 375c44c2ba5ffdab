//! Findings as workflow commands of GitHub Actions, which show them at their lines. Must not know what is found.

use std::path::{Path, PathBuf};

use crate::check::{Finding, Severity};

/// The command for a finding, with the end of its line. `workspace` is the root of the repository, from which files are named.
pub(super) fn command(finding: &Finding, workspace: Option<&Path>) -> String {
    let name = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = vec![("file", from_root(&finding.file, workspace).display().to_string())];
    if let Some(span) = finding.span {
        properties.push(("line", span.start.line.to_string()));
        properties.push(("col", span.start.column.to_string()));
        properties.push(("endLine", span.end.line.to_string()));
        properties.push(("endColumn", span.end.column.to_string()));
    }
    properties.push(("title", format!("lmthing {}", finding.code)));
    let properties: Vec<String> =
        properties.iter().map(|(key, value)| format!("{key}={}", of_property(value))).collect();
    let hint = finding.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
    format!("::{name} {}::{}\n", properties.join(","), of_message(&format!("{}{hint}", finding.message)))
}

fn from_root(file: &Path, workspace: Option<&Path>) -> PathBuf {
    let from_root = workspace.and_then(|root| {
        let (root, real) = (root.canonicalize().ok()?, file.canonicalize().ok()?);
        Some(real.strip_prefix(root).ok()?.to_owned())
    });
    from_root.unwrap_or_else(|| file.to_owned())
}

fn of_message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn of_property(text: &str) -> String {
    of_message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Position, Span};

    #[test]
    fn what_ends_a_property_or_a_line_is_escaped() {
        let place = |line, column| Position { line, column };
        let finding = Finding {
            file: "a,b:c%.lmt.mjs".into(),
            span: Some(Span { start: place(2, 3), end: place(4, 1) }),
            severity: Severity::Warning,
            code: "mock".to_owned(),
            message: "100 %: a,\r\nb".to_owned(),
            hint: Some("::error::x".to_owned()),
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
