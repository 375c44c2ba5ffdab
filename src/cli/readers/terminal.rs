//! What a person sees of a run: the text of the file's own prompt as it comes, or its typed output in its place, warnings and waits in a line each, and the
//! progress line.

use std::{cell::Cell, rc::Rc, time::Duration};

use crate::{
    chat::StreamPart,
    cli::{Printer, progress::Progress},
    event::{Event, EventKind, EventReader, OutputEvent},
};

/// Shows the text on stdout; of a file with an output, only that.
pub(in crate::cli) fn text(printer: Rc<Printer>) -> EventReader {
    let is_typed = Cell::new(false);
    Rc::new(move |event: &Event<'_>| {
        if !event.agent.is_root() {
            return;
        }
        match event.kind {
            EventKind::Output(OutputEvent::Expected) => is_typed.set(true),
            EventKind::Output(OutputEvent::Value(value)) => print_output(value, &printer),
            EventKind::Stream(part) => match &**part {
                StreamPart::TextDelta { .. } if is_typed.get() => {}
                StreamPart::TextStart { .. } => printer.begin_model_text(),
                StreamPart::TextDelta { delta, .. } => printer.model_text(delta),
                // What follows may keep the script busy, and the text has to be there by then.
                _ => printer.flush(),
            },
            // What the script prints from now on starts a line of its own.
            EventKind::PromptEnd => printer.finish_line(),
            _ => {}
        }
    })
}

/// For a person on a terminal; on one line for programs.
fn print_output(value: &serde_json::Value, printer: &Printer) {
    let text = if printer.stdout_is_terminal() { format!("{value:#}\n") } else { format!("{value}\n") };
    printer.script_stdout(&text);
}

/// Shows warnings and waits on stderr.
pub(in crate::cli) fn notices(printer: Rc<Printer>) -> EventReader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::Warning { message } => printer.stderr(&format!("Warning: {message}\n")),
        EventKind::Retry(retry) => printer.stderr(&format!("{}\n", retry.message)),
        _ => {}
    })
}

/// Keeps the progress line up to date.
pub(in crate::cli) fn progress(progress: Progress) -> EventReader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::Retry(retry) => progress.wait(Duration::from_millis(retry.wait_ms)),
        kind if event.agent.is_root() => progress.event(kind),
        _ => {}
    })
}
