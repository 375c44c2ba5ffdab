use std::rc::Rc;

use crate::{
    cli::Printer,
    event::{Event, EventKind, Reader, SharedSummary},
    provider::Redactor,
};

/// Prints the object of `-f json`. `summary` must have received each event before.
pub(in crate::cli) fn object(printer: Rc<Printer>, summary: SharedSummary, redactor: Redactor) -> Reader {
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
