//! The findings that the client shows, by the prompt files whose checks found them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use gen_lsp_types::Range;
use lmthing_check::{Finding, Severity};
use lmthing_system::files::read_source_text;
use serde_json::{Value, json};

use super::{
    documents::{Document, Documents},
    text::Text,
    uris::uri_of,
};

#[derive(Default)]
pub(crate) struct Shown {
    of_checks: HashMap<PathBuf, Vec<Finding>>,
    /// Files about which the client was sent findings.
    with_findings: BTreeSet<PathBuf>,
}

impl Shown {
    /// Replaces the findings of the check of `prompt`. Returns the notifications to send.
    pub(crate) fn replace(&mut self, prompt: &Path, findings: Vec<Finding>, documents: &Documents) -> Vec<Value> {
        let mut files: BTreeSet<PathBuf> = findings.iter().map(|finding| finding.file.clone()).collect();
        let before = self.of_checks.insert(prompt.to_owned(), findings).unwrap_or_default();
        files.extend(before.into_iter().map(|finding| finding.file).filter(|file| self.with_findings.contains(file)));
        files.insert(prompt.to_owned());
        files.iter().flat_map(|file| self.notifications(file, documents)).collect()
    }

    /// The same for a prompt file that was closed.
    pub(crate) fn remove(&mut self, prompt: &Path, documents: &Documents) -> Vec<Value> {
        let before = self.of_checks.remove(prompt).unwrap_or_default();
        let mut files: BTreeSet<PathBuf> = before.into_iter().map(|finding| finding.file).collect();
        files.insert(prompt.to_owned());
        files.retain(|file| self.with_findings.contains(file));
        files.iter().flat_map(|file| self.notifications(file, documents)).collect()
    }

    /// Drops what was found in the former text of a file. It is found again, or not, in the new one.
    pub(crate) fn forget(&mut self, changed: &Path) {
        self.of_checks.values_mut().for_each(|findings| findings.retain(|finding| finding.file != changed));
    }

    /// The findings about a file, each once.
    pub(crate) fn of_file(&self, file: &Path) -> Vec<&Finding> {
        let all = self.of_checks.values().flatten().filter(|finding| finding.file == file);
        let mut found: BTreeMap<_, &Finding> = BTreeMap::new();
        for finding in all {
            found.entry((finding.span, finding.severity, &finding.code, &finding.message)).or_insert(finding);
        }
        found.into_values().collect()
    }

    /// One for each document of the file, or one for the file itself if none is open.
    fn notifications(&mut self, file: &Path, documents: &Documents) -> Vec<Value> {
        let texts = Texts { documents };
        let diagnostics: Vec<Value> =
            self.of_file(file).into_iter().map(|finding| diagnostic(finding, &texts)).collect();
        match diagnostics.is_empty() {
            true => self.with_findings.remove(file),
            false => self.with_findings.insert(file.to_owned()),
        };
        let Some(latest) = documents.at(file) else {
            let notification = |uri| json!({ "uri": uri, "diagnostics": diagnostics });
            return uri_of(file).map(notification).into_iter().collect();
        };
        // Positions in another text would be wrong.
        let is_same = |document: &&Document| document.text.as_str() == latest.text.as_str();
        let notification = |document: &Document| json!({ "uri": document.uri, "version": document.version, "diagnostics": diagnostics });
        documents.all_at(file).filter(is_same).map(notification).collect()
    }
}

struct Texts<'a> {
    documents: &'a Documents,
}

impl Texts<'_> {
    fn range(&self, file: &Path, span: Option<lmthing_check::Span>) -> Range {
        let Some(span) = span else { return Range::default() };
        match self.documents.at(file) {
            Some(document) => document.text.range_of(span),
            None => Text::new(read_source_text(file).unwrap_or_default()).range_of(span),
        }
    }
}

/// A finding as the protocol writes it.
pub(crate) fn diagnostic_of(finding: &Finding, documents: &Documents) -> Value {
    diagnostic(finding, &Texts { documents })
}

fn diagnostic(finding: &Finding, texts: &Texts<'_>) -> Value {
    let severity = match finding.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    };
    let hint = finding.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
    let mut diagnostic = json!({
        "range": texts.range(&finding.file, finding.span),
        "severity": severity,
        "code": finding.code,
        "source": "lmthing",
        "message": format!("{}{hint}", finding.message),
    });
    let related = finding.related.iter().filter_map(|place| {
        let uri = texts.documents.at(&place.file).map(|document| document.uri.clone()).or_else(|| uri_of(&place.file));
        let range = texts.range(&place.file, Some(place.span));
        Some(json!({ "location": { "uri": uri?, "range": range }, "message": place.message }))
    });
    let related: Vec<Value> = related.collect();
    if !related.is_empty() {
        diagnostic["relatedInformation"] = Value::Array(related);
    }
    diagnostic
}
