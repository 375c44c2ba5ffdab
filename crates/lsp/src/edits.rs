//! What is offered in a prompt file: completions of models, quick fixes, lenses.

use gen_lsp_types::{CodeActionParams, Position, Range};
use lmthing_base::{cost::ListedModel, parser::Language};
use lmthing_check::{Finding, has_export};
use lmthing_system::files::FileKind;
use serde_json::{Value, json};

use super::{
    commands::{Kind, has_tests},
    diagnostics::diagnostic_of,
    documents::{Document, Documents},
    models::Models,
    syntax::Syntax,
};

/// The kind of a completion that is a constant.
const CONSTANT: u32 = 21;

/// Completions of a string that names a model.
pub(crate) fn completions(
    document: &Document,
    position: Position,
    models: &Models,
    table: &[ListedModel],
) -> Vec<Value> {
    let Some(typed) = typed_model(document.text.line_before(position), models) else { return Vec::new() };
    let end = document.text.offset(position);
    let range = document.text.range(end - typed.len()..end + rest_of_model(&document.text.as_str()[end..]));
    let suggested = models.suggestions(table).into_iter().filter(|found| match typed.split_once(':') {
        Some((provider, _)) => found.model.starts_with(&format!("{provider}:")),
        None => true,
    });
    let item = |(index, found): (usize, super::models::Suggestion)| {
        let order = u8::from(!found.is_configured);
        json!({
            "label": found.model,
            "kind": CONSTANT,
            "detail": found.about,
            "filterText": found.model,
            "sortText": format!("{order}{index:05}"),
            "textEdit": { "range": range, "newText": found.model },
        })
    };
    suggested.enumerate().map(item).collect()
}

/// What was typed of a model string: the text after the last quote, if `model:` comes before it or it begins with a
/// provider. The line may be unfinished, so it is not parsed.
fn typed_model<'a>(line: &'a str, models: &Models) -> Option<&'a str> {
    let quote = line.rfind(['\'', '"', '`'])?;
    let (before, typed) = (&line[..quote], &line[quote + 1..]);
    let is_name = typed.chars().all(is_of_model);
    let before = before.trim_end();
    let key = before.strip_suffix([':', '=']).unwrap_or_default().trim_end().trim_end_matches(['\'', '"']);
    let is_model = ["model", "Model"].iter().any(|word| key.ends_with(word));
    (is_name && (is_model || models.has_provider(typed))).then_some(typed)
}

/// The length of the rest of a model string, whose quote follows.
fn rest_of_model(after: &str) -> usize {
    let length = after.find(|letter| !is_of_model(letter)).unwrap_or(after.len());
    if after[length..].starts_with(['\'', '"', '`']) { length } else { 0 }
}

fn is_of_model(letter: char) -> bool {
    letter.is_alphanumeric() || ":._-/@".contains(letter)
}

/// The quick fixes of the findings in a range.
pub(crate) fn fixes(
    found: &[&Finding],
    document: &Document,
    params: &CodeActionParams,
    documents: &Documents,
) -> Vec<Value> {
    let wants = params.context.only.as_ref().is_none_or(|kinds| {
        let named = |kind| serde_json::to_value(kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        kinds.iter().filter_map(named).any(|kind| kind.is_empty() || "quickfix".starts_with(&kind))
    });
    let touches = |range: &Range| range.start <= params.range.end && params.range.start <= range.end;
    let action = |finding: &&Finding| {
        let fix = finding.fix.as_ref()?;
        let place = document.text.range_of(finding.span?);
        let edit = json!({ "range": document.text.range_of(fix.span), "newText": fix.text });
        touches(&place).then(|| {
            json!({
                "title": fix.title,
                "kind": "quickfix",
                "isPreferred": true,
                "diagnostics": [diagnostic_of(finding, documents)],
                "edit": { "changes": { &document.uri: [edit] } },
            })
        })
    };
    found.iter().filter(|_| wants).filter_map(action).collect()
}

/// The lenses of a prompt file, above its default export.
pub(crate) fn lenses(document: &Document) -> Vec<Value> {
    let language = Language::of_file(&document.path).unwrap_or(Language::JavaScript);
    let at = Syntax::of(document.text.as_str(), language).and_then(|syntax| syntax.default_export()).unwrap_or(0..0);
    let range = document.text.range(at);
    let has_mock = has_export(&document.path, "mock");
    let kind = FileKind::of(&document.path);
    let (is_prompt, is_test) = (kind == FileKind::Prompt, kind == FileKind::Tests);
    let shown = [
        (is_prompt, "run", Kind::Run),
        (is_prompt && has_mock, "run with mock", Kind::RunMock),
        (is_test || is_prompt && has_tests(&document.path), "test", Kind::Test),
    ];
    let lens = |(is_shown, title, kind): (bool, &str, Kind)| {
        let command = json!({ "title": title, "command": kind.name(), "arguments": [document.uri] });
        is_shown.then(|| json!({ "range": range, "command": command }))
    };
    shown.into_iter().filter_map(lens).collect()
}
