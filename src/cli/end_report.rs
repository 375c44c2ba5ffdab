//! Reports the end of a run from another thread when the run's own thread is blocked in native work.

use std::{
    io::{self, Write},
    sync::Arc,
    thread,
    time::Duration,
};

use super::{failure::Ending, pending::Pending, show_args::Format};
use lmthing_base::{
    diagnostic::Diagnostic,
    event::{EventClock, RunFinish, RunSummary, SharedSummary, run_finish_line},
};
use lmthing_store::journal::LastEntry;

/// How long to wait for the lock on the summary.
const LOCK_TIMEOUT: Duration = Duration::from_millis(50);

pub(super) struct EndReport {
    pub(super) format: Format,
    pub(super) pending: Arc<Pending>,
    pub(super) summary: SharedSummary,
    pub(super) run: String,
    pub(super) clock: EventClock,
    pub(super) journal: LastEntry,
    pub(super) stdout_is_terminal: bool,
    pub(super) stderr_has_colours: bool,
    pub(super) stderr_columns: Option<u16>,
}

impl EndReport {
    /// Writes the error to stderr, the pending text and the last line to stdout, and the status to the journal.
    /// `leave_screen` clears the rest of a terminal; no other thread draws after it.
    pub(super) fn write(&self, ending: &Ending, leave_screen: impl FnOnce()) {
        // On a terminal both streams are one screen. Elsewhere stdout may be a full pipe: the error is written first.
        if self.stdout_is_terminal {
            self.flush();
        }
        leave_screen();
        if let Some(diagnostic) = &ending.diagnostic {
            self.write_error(diagnostic);
        }
        let time = self.clock.now();
        let mut summary = self.summary.copy_within(LOCK_TIMEOUT).unwrap_or_default();
        summary.set_time(time);
        // The redactor belongs to the run's thread, so the output cannot be cleaned here.
        summary.output = None;
        let end = ending.to_event();
        let line = self.line(time, &summary, &end);
        let print = || {
            if !self.stdout_is_terminal {
                self.flush();
            }
            line.iter().for_each(|line| write_all(io::stdout().lock(), &[line, "\n"]));
        };
        thread::scope(|scope| {
            // stdout may be a full pipe, and another process may have locked the journal: neither waits for the other.
            let printing = thread::Builder::new().name("stdout".into()).stack_size(1 << 20).spawn_scoped(scope, print);
            if printing.is_err() {
                print();
            }
            // Without this entry the list of runs shows that the process is gone.
            let _ = self.journal.write(&summary, &end);
        });
    }

    pub(super) fn write_error(&self, error: &Diagnostic) {
        write_all(io::stderr().lock(), &[&error.render(self.stderr_has_colours, self.stderr_columns)]);
    }

    /// Writes the pending text. The run's thread writes nothing to stdout from then on.
    fn flush(&self) {
        // Locked first: what the printer writes comes before this text or not at all.
        let stdout = io::stdout().lock();
        let text = self.pending.close();
        let ends_line = if text.is_empty() { self.pending.is_at_line_start() } else { text.ends_with('\n') };
        // On a terminal leaving the screen ends the line.
        let end = if ends_line || self.stdout_is_terminal { "" } else { "\n" };
        write_all(stdout, &[&text, end]);
        if self.stdout_is_terminal && !text.is_empty() {
            super::screen::set_text(!ends_line);
        }
    }

    fn line(&self, time: u64, summary: &RunSummary, end: &RunFinish) -> Option<String> {
        match self.format {
            Format::Text => None,
            Format::Json if self.stdout_is_terminal => Some(format!("{:#}", summary.to_json(end))),
            Format::Json => Some(summary.to_json(end).to_string()),
            Format::Events => run_finish_line(&self.run, time, summary, end),
        }
    }
}

/// Errors are ignored: the process ends.
fn write_all(mut stream: impl Write, texts: &[&str]) {
    let _ = texts.iter().try_for_each(|text| stream.write_all(text.as_bytes())).and_then(|()| stream.flush());
}
