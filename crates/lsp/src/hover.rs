//! What is shown for the place under the cursor: what a definition renders to, what a model costs.

use std::path::Path;

use lmthing_base::diagnostic::Location;
use lmthing_check::{CheckOptions, Position, estimate_tokens, render, tool_part};
use lmthing_engine::bindings::inspect::{Rendered, RenderedDefinition};
use serde_json::{Value, json};

use super::{
    documents::Document,
    models::Models,
    syntax::{MethodCall, Syntax},
};

/// Longer texts are cut.
const MAX_SHOWN: usize = 4000;

/// What one call of a method renders to.
struct Part {
    heading: String,
    text: String,
    tokens: u64,
    location: Location,
}

/// Renders a file for the hover on one of its calls. Takes as long as the file takes to render.
pub(crate) fn of_call(path: &Path, options: &CheckOptions, document: &CallInDocument) -> Value {
    let rendered = render(path, options);
    let parts: Vec<Part> = rendered.iter().flat_map(parts).collect();
    let is_meant = |part: &&Part| document.is_at(path, &part.location);
    let meant: Vec<&Part> = parts.iter().filter(is_meant).collect();
    let method = &document.call.method;
    let text = match (&rendered, &meant[..]) {
        (Err(why), _) => {
            let why = why.as_ref().map(|finding| format!(": {}", finding.message)).unwrap_or_default();
            format!("`{method}`: the file cannot be rendered{why}")
        }
        (_, []) => format!("`{method}` adds nothing of its own to the first request"),
        (_, meant) => meant.iter().map(|part| part.markdown()).collect::<Vec<_>>().join("\n\n"),
    };
    json!({ "contents": { "kind": "markdown", "value": text }, "range": document.range })
}

fn parts(rendered: &Rendered) -> Vec<Part> {
    rendered.definitions.iter().map(|definition| part(rendered, definition)).collect()
}

fn part(rendered: &Rendered, definition: &RenderedDefinition) -> Part {
    let RenderedDefinition { method, name, text, location } = definition;
    let tool = || rendered.tools.iter().find(|tool| tool.name == *name).map(tool_part);
    let (text, tokens) = match text {
        Some(text) => (text.clone(), estimate_tokens(text)),
        None => tool().map_or_else(|| (String::new(), 0), |part| (part.text, part.tokens)),
    };
    let heading = match method.as_str() {
        "$" | "defMessage" => format!("{method}: a message of the role {name}"),
        _ => format!("{method}: {name}"),
    };
    Part { heading, text, tokens, location: location.clone() }
}

impl Part {
    fn markdown(&self) -> String {
        let Part { heading, text, tokens, .. } = self;
        if text.is_empty() {
            return format!("**{heading}**: not in the first request");
        }
        let cut = &text[..text.floor_char_boundary(MAX_SHOWN)];
        let more = if cut.len() < text.len() { "\n…" } else { "" };
        // Longer than any fence in the text.
        let fence = "`".repeat(longest_run(cut, '`').max(2) + 1);
        let unit = if *tokens == 1 { "token" } else { "tokens" };
        format!("**{heading}** · about {tokens} {unit}\n\n{fence}text\n{cut}{more}\n{fence}")
    }
}

fn longest_run(text: &str, letter: char) -> usize {
    text.split(|other| other != letter).map(str::len).max().unwrap_or(0)
}

/// A call, with what is needed to find it among the definitions of a render.
pub(crate) struct CallInDocument {
    call: MethodCall,
    first: Position,
    last: Position,
    range: gen_lsp_types::Range,
}

impl CallInDocument {
    pub(crate) fn at(document: &Document, syntax: &Syntax, offset: usize) -> Option<Self> {
        let call = syntax.call_at(offset)?;
        let text = &document.text;
        let first = text.finding_position(call.callee.start);
        let last = text.finding_position(call.callee.end);
        let range = text.range(call.name.clone());
        Some(CallInDocument { call, first, last, range })
    }

    fn is_at(&self, path: &Path, location: &Location) -> bool {
        let at = Position { line: location.line, column: location.column };
        Path::new(&location.path) == path && self.first <= at && at <= self.last
    }
}

/// The hover on a string that names a model.
pub(crate) fn of_model(document: &Document, syntax: &Syntax, offset: usize, models: &Models) -> Option<Value> {
    let found = syntax.string_at(offset)?;
    if !found.is_model && !models.has_provider(&found.text) {
        return None;
    }
    let range = document.text.range(found.range);
    Some(json!({ "contents": { "kind": "markdown", "value": models.describe(&found.text) }, "range": range }))
}
