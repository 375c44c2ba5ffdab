//! `-f events` and `-f json` (docs/reference/events.md): every event as a line of JSON, or one object at the end.

use std::{cell::RefCell, rc::Rc};

use serde_json::Value;

use crate::cli::Printer;
use lmthing_base::{
    chat::StreamPart,
    event::{Event, EventKind, EventReader, PartialOutputs, SharedSummary},
};
use lmthing_providers::Redactor;

/// Prints the lines of `-f events`. `summary` must have received each event before.
pub(in crate::cli) fn lines(printer: Rc<Printer>, summary: SharedSummary, redactor: Redactor) -> EventReader {
    let secrets = redactor.clone();
    let partial_outputs = RefCell::new(PartialOutputs::new(move |output| secrets.apply_texts(output)));
    Rc::new(move |event: &Event<'_>| {
        let line = event.to_line(&summary.lock());
        let partial_output = partial_outputs.borrow_mut().line(event);
        let is_delta = is_delta(event.kind);
        let mut lines = [(line, Redaction::of(event.kind)), (partial_output, Redaction::None)];
        if !is_delta {
            lines.reverse();
        }
        for (line, redaction) in lines {
            let Some(line) = line else { continue };
            let mut line = match redaction {
                Redaction::None => line,
                Redaction::Output => without_secrets(line, &redactor, "/output"),
                Redaction::All => without_secrets(line, &redactor, ""),
            };
            line.push('\n');
            printer.text(&line);
        }
        // Deltas that arrive together are written together. Other events are written at once, as the reader may wait for them.
        if !is_delta {
            printer.flush();
        }
    })
}

/// Prints the object of `-f json`. `summary` must have received each event before.
pub(in crate::cli) fn object(printer: Rc<Printer>, summary: SharedSummary, redactor: Redactor) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        let EventKind::RunFinish(end) = event.kind else { return };
        let mut object = summary.lock().to_json(end);
        // Only the output is redacted: it may contain what scripts read. The model's text is left unchanged.
        if let Some(output) = object.get_mut("output") {
            redactor.apply_texts(output);
        }
        let text = if printer.stdout_is_terminal() { format!("{object:#}\n") } else { format!("{object}\n") };
        printer.text(&text);
        printer.flush();
    })
}

fn is_delta(kind: &EventKind) -> bool {
    let EventKind::Stream(part) = kind else { return false };
    matches!(&**part, StreamPart::TextDelta { .. } | StreamPart::ReasoningDelta { .. })
}

/// The part of an event that has to be redacted.
enum Redaction {
    /// Text of the model is left unchanged, and the output so far is redacted already.
    None,
    /// Text is left unchanged and errors are redacted already; the output is computed by the script.
    Output,
    All,
}

impl Redaction {
    fn of(kind: &EventKind) -> Self {
        match kind {
            EventKind::RunFinish(_) => Redaction::Output,
            kind if is_delta(kind) => Redaction::None,
            _ => Redaction::All,
        }
    }
}

/// Redacts the part of a line at a JSON pointer.
fn without_secrets(line: String, redactor: &Redactor, part: &str) -> String {
    if !redactor.finds(&line) {
        return line;
    }
    // Redacted as a JSON value, so that the line stays valid JSON.
    let Ok(mut value) = serde_json::from_str::<Value>(&line) else { return line };
    if let Some(part) = value.pointer_mut(part) {
        redactor.apply_texts(part);
    }
    value.to_string()
}
