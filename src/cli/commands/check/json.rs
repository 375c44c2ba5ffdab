//! Findings as one JSON object (docs/reference/check.md).

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::findings::Counts;
use lmthing_check::{Finding, Span};

pub(super) fn document(
    is_ok: bool,
    counts: Counts,
    files: &[PathBuf],
    findings: &[Finding],
    renders: Option<Vec<Value>>,
) -> String {
    let mut document = json!({
        "ok": is_ok,
        "files": files,
        "errors": counts.errors,
        "warnings": counts.warnings,
        "notes": counts.notes,
        "diagnostics": findings.iter().map(diagnostic).collect::<Vec<_>>(),
    });
    if let Some(renders) = renders {
        document["renders"] = Value::Array(renders);
    }
    format!("{document}\n")
}

fn diagnostic(finding: &Finding) -> Value {
    let mut object = Map::new();
    object.insert("file".to_owned(), json!(finding.file));
    add_place(&mut object, finding.span);
    object.insert("severity".to_owned(), json!(finding.severity));
    object.insert("code".to_owned(), json!(finding.code));
    object.insert("message".to_owned(), json!(finding.message));
    object.insert("hint".to_owned(), json!(finding.hint));
    if !finding.related.is_empty() {
        let related = finding.related.iter().map(|place| {
            let mut object = Map::new();
            object.insert("file".to_owned(), json!(place.file));
            add_place(&mut object, Some(place.span));
            object.insert("message".to_owned(), json!(place.message));
            Value::Object(object)
        });
        object.insert("related".to_owned(), related.collect());
    }
    Value::Object(object)
}

fn add_place(object: &mut Map<String, Value>, span: Option<Span>) {
    let values = [
        ("line", span.map(|span| span.start.line)),
        ("column", span.map(|span| span.start.column)),
        ("endLine", span.map(|span| span.end.line)),
        ("endColumn", span.map(|span| span.end.column)),
    ];
    object.extend(values.map(|(key, value)| (key.to_owned(), json!(value))));
}
