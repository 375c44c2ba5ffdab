//! Output of a run for people: the text of the root prompt or its typed output, warnings, and the progress line.

use std::{cell::Cell, rc::Rc, time::Duration};

use super::shortened;
use crate::cli::{Printer, progress::Progress};
use lmthing_base::{
    chat::StreamPart,
    event::{Event, EventKind, EventReader, OutputEvent},
};

/// Prints text to stdout; of a file with an output, only that.
pub(in crate::cli) fn text(printer: Rc<Printer>) -> EventReader {
    let is_typed = Cell::new(false);
    Rc::new(move |event: &Event<'_>| {
        if !event.agent.is_root() {
            return;
        }
        match event.kind {
            EventKind::Output(OutputEvent::Expected(_)) => is_typed.set(true),
            EventKind::Output(OutputEvent::Value(value)) => print_output(value, &printer),
            EventKind::Stream(part) => match &**part {
                StreamPart::TextDelta { .. } if is_typed.get() => {}
                StreamPart::TextStart { .. } => printer.begin_model_text(),
                StreamPart::TextDelta { delta, .. } => printer.model_text(delta),
                // Later events may keep the script busy, so the text is written before.
                _ => printer.flush(),
            },
            // Output of the script starts a line of its own from now on.
            EventKind::PromptEnd => printer.finish_line(),
            _ => {}
        }
    })
}

/// On several lines if standard output is a terminal.
fn print_output(value: &serde_json::Value, printer: &Printer) {
    let text = if printer.stdout_is_terminal() { format!("{value:#}\n") } else { format!("{value}\n") };
    printer.script_stdout(&text);
}

pub(in crate::cli) fn notices(printer: Rc<Printer>) -> EventReader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::Warning { message } => printer.stderr(&format!("Warning: {}\n", shortened(message))),
        EventKind::Notice { message } => printer.stderr(&format!("{}\n", shortened(message))),
        EventKind::Retry(retry) => printer.stderr(&format!("{}\n", shortened(&retry.message))),
        _ => {}
    })
}

pub(in crate::cli) fn progress(progress: Progress) -> EventReader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::Retry(retry) => progress.wait(Duration::from_millis(retry.wait_ms)),
        kind if event.agent.is_root() => progress.event(kind),
        _ => {}
    })
}
