//! `-f events`: every event as a line of JSON on stdout (docs/events.md).

use std::rc::Rc;

use serde_json::Value;

use crate::{
    chat::StreamPart,
    cli::Printer,
    event::{Event, EventKind, EventReader, SharedSummary},
    provider::Redactor,
};

/// Prints the lines. `summary` has taken note of each event before.
pub(in crate::cli) fn lines(printer: Rc<Printer>, summary: SharedSummary, redactor: Redactor) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        let line = event.to_line(&summary.lock());
        let is_delta = is_delta(event.kind);
        if let Some(line) = line {
            let mut line = match Clean::of(event.kind) {
                Clean::All => line,
                Clean::ButOutput => without_secrets(line, &redactor, "/output"),
                Clean::Nothing => without_secrets(line, &redactor, ""),
            };
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

/// What of an event has nothing in it that may have to be replaced.
enum Clean {
    /// What the model says is left as it is.
    All,
    /// So it is at the end, and the words of failures have been looked through; what a script makes of an answer has not.
    ButOutput,
    Nothing,
}

impl Clean {
    fn of(kind: &EventKind) -> Self {
        match kind {
            EventKind::RunFinish(_) => Clean::ButOutput,
            kind if is_delta(kind) => Clean::All,
            _ => Clean::Nothing,
        }
    }
}

/// The line without keys in a part of it, by its JSON pointer: what tools are given and give may end up in a log.
fn without_secrets(line: String, redactor: &Redactor, part: &str) -> String {
    if !redactor.finds(&line) {
        return line;
    }
    // As values: a secret may be next to a quote, and the line has to stay JSON.
    let Ok(mut value) = serde_json::from_str::<Value>(&line) else { return line };
    if let Some(part) = value.pointer_mut(part) {
        redactor.apply_texts(part);
    }
    value.to_string()
}
