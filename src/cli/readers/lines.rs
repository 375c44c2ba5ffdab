//! `-f events`: every event as a line of JSON on stdout (docs/events.md).

use std::{cell::RefCell, rc::Rc};

use serde_json::Value;

use crate::{
    chat::StreamPart,
    cli::Printer,
    event::{Event, EventKind, Reader, Summary},
    provider::Redactor,
};

/// Prints the lines. `summary` has taken note of each event before.
pub(in crate::cli) fn lines(printer: Rc<Printer>, summary: Rc<RefCell<Summary>>, redactor: Redactor) -> Reader {
    Rc::new(move |event: &Event<'_>| {
        let line = event.to_line(&summary.borrow());
        let is_delta = is_delta(event.kind);
        if let Some(line) = line {
            let mut line = if is_clean(event.kind) { line } else { without_secrets(line, &redactor) };
            line.push('\n');
            printer.text(&line);
        }
        // Pieces that come at once are written at once; everything else may be what a reader acts on.
        if !is_delta {
            printer.flush();
        }
    })
}

fn is_delta(kind: &EventKind) -> bool {
    let EventKind::Stream(part) = kind else { return false };
    matches!(&**part, StreamPart::TextDelta { .. } | StreamPart::ReasoningDelta { .. })
}

/// Whether there is nothing in it that may have to be replaced: what the model says is left as it is, and the words of
/// failures have been looked through.
fn is_clean(kind: &EventKind) -> bool {
    is_delta(kind) || matches!(kind, EventKind::RunFinish(_))
}

/// The line without keys: what tools are given and give may end up in a log.
fn without_secrets(line: String, redactor: &Redactor) -> String {
    if redactor.apply(&line) == line {
        return line;
    }
    // As values: a secret may be next to a quote, and the line has to stay JSON.
    let Ok(mut value) = serde_json::from_str::<Value>(&line) else { return line };
    redactor.apply_texts(&mut value);
    value.to_string()
}
