//! What is told of a run whose thread is stuck in native work, by the thread that ends the process. Must not know why it ends.

use std::{
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use super::{failure::Ending, format::Format, pending::Pending};
use crate::{
    event::{EventClock, RunFinish, SharedSummary, Summary, run_finish_line},
    journal::LastEntry,
};

/// How long the thread of the run may keep the summary.
const PATIENCE: Duration = Duration::from_millis(50);

/// Everything that the end of a run is told from.
pub(super) struct LastWords {
    pub(super) format: Format,
    pub(super) pending: Arc<Pending>,
    pub(super) summary: SharedSummary,
    pub(super) run: String,
    pub(super) clock: EventClock,
    pub(super) journal: LastEntry,
    pub(super) stdout_is_terminal: bool,
    pub(super) stderr_has_colours: bool,
}

impl LastWords {
    /// Tells how the run ended: in words, to the journal, and to whoever reads standard output, behind the text that was on its way.
    /// `leave_screen` takes away what else is on a terminal.
    pub(super) fn tell(&self, ending: &Ending, leave_screen: impl FnOnce()) {
        // On a terminal both streams are one screen. Elsewhere the reader of the text may have stopped, and the words come first.
        if self.stdout_is_terminal {
            self.flush();
        }
        leave_screen();
        if let Some(diagnostic) = &ending.diagnostic {
            write_all(io::stderr().lock(), &[&diagnostic.render(self.stderr_has_colours)]);
        }
        let time = self.clock.now();
        let mut summary = self.summary.copy_within(PATIENCE).unwrap_or_default();
        summary.set_time(time);
        // The secrets that might be in it are known to the thread of the run alone.
        summary.output = None;
        let end = ending.to_event();
        // Without it the list of runs says that the process is gone.
        let _ = self.journal.write(&summary, &end);
        self.flush();
        if let Some(line) = self.line(time, &summary, &end) {
            write_all(io::stdout().lock(), &[&line, "\n"]);
        }
    }

    /// Writes the text that was on its way.
    fn flush(&self) {
        let text = self.pending.take();
        let ends_line = if text.is_empty() { self.pending.is_at_line_start() } else { text.ends_with('\n') };
        // On a terminal it is the screen that ends the line.
        let end = if ends_line || self.stdout_is_terminal { "" } else { "\n" };
        write_all(io::stdout().lock(), &[&text, end]);
        if self.stdout_is_terminal && !text.is_empty() {
            super::screen::set_text(!ends_line);
        }
    }

    fn line(&self, time: u64, summary: &Summary, end: &RunFinish) -> Option<String> {
        match self.format {
            Format::Text => None,
            Format::Json if self.stdout_is_terminal => Some(format!("{:#}", summary.to_json(end))),
            Format::Json => Some(summary.to_json(end).to_string()),
            Format::Events => run_finish_line(&self.run, time, summary, end),
        }
    }
}

/// The process ends: there is nobody left to tell that a stream is gone.
fn write_all(mut stream: impl Write, texts: &[&str]) {
    let _ = texts.iter().try_for_each(|text| stream.write_all(text.as_bytes())).and_then(|()| stream.flush());
}
