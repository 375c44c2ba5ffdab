//! `-f json`: what a run came to, as one object on stdout at its end (docs/events.md).

use std::rc::Rc;

use crate::{
    cli::Printer,
    event::{Event, EventKind, EventReader, SharedSummary},
    provider::Redactor,
};

/// Prints the object. `summary` has taken note of each event before.
pub(in crate::cli) fn object(printer: Rc<Printer>, summary: SharedSummary, redactor: Redactor) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        let EventKind::RunFinish(end) = event.kind else { return };
        let mut object = summary.lock().to_json(end);
        // Not the text: what the model says is left as it is. What the script makes of it may be anything.
        if let Some(output) = object.get_mut("output") {
            redactor.apply_texts(output);
        }
        let text = if printer.stdout_is_terminal() { format!("{object:#}\n") } else { format!("{object}\n") };
        printer.text(&text);
        printer.flush();
    })
}
